import { approvalLenses, type ApprovalLens } from '../../protocol/approval/lenses.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { ApprovalId } from '../../protocol/ids.ts';
import type { ResultOf } from '../../protocol/methods.ts';
import { accessTo } from '../admission/access.ts';
import type { GatewayCore, Principal } from '../core.ts';
import { canonicalFile, fileOfUri, foldersAround } from './lspFiles.ts';

export interface LspCommand {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

export interface LspCodeLens {
  readonly range: { readonly start: LspPlace; readonly end: LspPlace };
  readonly command: LspCommand;
}

interface LspPlace {
  readonly line: number;
  readonly character: number;
}

const NEVER = new AbortController().signal;

/** The open edit requests about a document, as code lenses: nothing is resolved later, and every lens stands at the beginning of its line. */
export async function codeLenses(core: GatewayCore, principal: Principal, uri: string): Promise<LspCodeLens[]> {
  const named = fileOfUri(uri);
  if (named === null) return [];
  const file = await canonicalFile(named);
  const lenses: LspCodeLens[] = [];
  for (const workspace of foldersAround(principal, file)) {
    const canAnswer = accessTo(principal, workspace) === 'full';
    for (let before: ApprovalId | undefined; ;) {
      const { approvals, next }: ResultOf<'approval/list'> = await core.handle(principal, 'approval/list', { workspace, status: 'pending', ...(before === undefined ? {} : { before }) }, NEVER);
      for (const approval of approvals) lenses.push(...(await ofApproval(approval, file, canAnswer)));
      if (next === undefined) break;
      before = next;
    }
  }
  return lenses;
}

async function ofApproval(approval: Approval, file: string, canAnswer: boolean): Promise<LspCodeLens[]> {
  if (approval.subject.kind !== 'edit') return [];
  const lenses: LspCodeLens[] = [];
  for (const change of approval.subject.changes) {
    if ((await canonicalFile(change.path)) !== file) continue;
    for (const lens of approvalLenses(approval, change, canAnswer)) lenses.push(toLsp(approval, lens));
  }
  return lenses;
}

function toLsp({ approvalId, actionDigest }: Approval, lens: ApprovalLens): LspCodeLens {
  const place = { line: lens.line, character: 0 };
  const answer = lens.does === 'approve' || lens.does === 'reject' ? { optionId: lens.option.optionId, ...(lens.part === undefined ? {} : { part: lens.part }) } : {};
  const argument = { approvalId, actionDigest, ...answer };
  return { range: { start: place, end: place }, command: { title: lens.title, command: `attache.${lens.does}`, arguments: [argument] } };
}
