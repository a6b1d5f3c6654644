import * as vscode from 'vscode';
import { AttacheError } from '../../protocol/errors.ts';
import type { HunkPlace, Mark } from '../../protocol/approval/lenses.ts';
import { choosableChanges } from '../../protocol/approval/part.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { CommandTable } from '../commands.ts';
import type { WindowMemory } from '../memory.ts';
import type { Workspaces } from '../sessions/workspaces.ts';
import { noHunk, nothingWaits, type Answers, type RequestPlace } from './answers.ts';
import type { ApprovalCentre } from './approvalCentre.ts';
import { isSideOf, proposalPlace } from './proposalDocuments.ts';
import { requestOfTab } from './proposalTabs.ts';

export interface ApprovalCommandOptions {
  readonly centre: ApprovalCentre;
  readonly answers: Answers;
  readonly panels: ChatPanels;
  readonly workspaces: Workspaces;
  readonly memory: WindowMemory;
  readonly agentLabel: (agentId: string) => string;
  /** Shows a conversation in the chat used last. */
  readonly show: (conversation: string) => Promise<void>;
}

type ApprovalCommand =
  | 'approve' | 'reject' | 'rejectWithComment' | 'approveDiff' | 'rejectDiff' | 'openDiff' | 'alwaysAllow' | 'alwaysAllowDiff'
  | 'approveHunk' | 'rejectHunk' | 'undoHunk' | 'moreAnswers' | 'answerWith'
  | 'showPendingApprovals' | 'focusRequest' | 'revealRequest';

/** The palette's, the diff title's and the code lens' commands about requests. */
export class ApprovalCommands implements Pick<CommandTable, ApprovalCommand> {
  readonly #options: ApprovalCommandOptions;

  constructor(options: ApprovalCommandOptions) {
    this.#options = options;
  }

  readonly approve = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, (id) => this.#options.answers.approve(id));

  readonly reject = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, (id) => this.#options.answers.reject(id, false));

  readonly rejectWithComment = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, (id) => this.#options.answers.reject(id, true));

  readonly alwaysAllow = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, (id) => this.#alwaysAllow(id));

  readonly alwaysAllowDiff = async (uri?: unknown): Promise<void> => this.#alwaysAllow(inFront(uri));

  readonly approveDiff = async (uri?: unknown): Promise<void> => this.#options.answers.approve(inFront(uri));

  readonly rejectDiff = async (uri?: unknown): Promise<void> => this.#options.answers.reject(inFront(uri), false);

  readonly openDiff = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, async (id) => {
    const approval = await this.#options.centre.get(id);
    const workspace = this.#options.workspaces.session(approval.sessionId)?.workspace;
    if (workspace !== undefined) await this.#options.answers.openDiff(approval.approvalId, workspace);
  });

  readonly approveHunk = async (hunk?: unknown): Promise<void> => this.#mark(hunk, 'approve');

  readonly rejectHunk = async (hunk?: unknown): Promise<void> => this.#mark(hunk, 'reject');

  readonly undoHunk = async (hunk?: unknown): Promise<void> => this.#mark(hunk, null);

  readonly moreAnswers = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, (id) => this.#options.answers.more(id, this));

  /** Only for code lenses, which name the request and the option. */
  readonly answerWith = async (answer?: unknown): Promise<void> => {
    if (!Array.isArray(answer) || typeof answer[0] !== 'string' || typeof answer[1] !== 'string') return;
    await this.#options.answers.option(answer[0], answer[1]);
  };

  readonly showPendingApprovals = async (): Promise<void> => {
    await this.#options.answers.showPending((approval) => this.#reveal(approval), (approval) => this.#placeOf(approval));
  };

  readonly focusRequest = async (): Promise<void> => {
    const approval = this.#next();
    if (approval === undefined) return void vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: no request waits for an answer.'), 4000);
    await this.#reveal(approval);
  };

  readonly revealRequest = async (approvalId?: unknown): Promise<void> => this.#about(approvalId, async (id) => this.#reveal(await this.#options.centre.get(id)));

  async #reveal(approval: Approval): Promise<void> {
    const { panels, show, memory } = this.#options;
    const panel = panels.showing(approval.sessionId);
    if (panel === undefined) await show(memory.conversationOf(approval.sessionId));
    else panel.reveal(false);
    panels.showing(approval.sessionId)?.postWhenReady({ type: 'reveal', approvalId: approval.approvalId, focus: true });
  }

  async #alwaysAllow(approvalId: string): Promise<void> {
    const { centre, workspaces, answers, agentLabel } = this.#options;
    const approval = await centre.get(approvalId);
    const session = workspaces.session(approval.sessionId);
    if (approval.status !== 'pending' || session === undefined) return nothingWaits();
    await answers.alwaysAllow(approval, session, agentLabel(session.agentId));
  }

  /** Those of the chat in front first, one after the other: each press goes on to the next one. */
  #next(): Approval | undefined {
    const { centre, panels } = this.#options;
    const shown = panels.current?.sessionId;
    const order = [...centre.pending.filter(({ sessionId }) => sessionId === shown), ...centre.pending.filter(({ sessionId }) => sessionId !== shown)];
    const at = order.findIndex(({ approvalId }) => approvalId === panels.focusedRequest);
    return order[(at + 1) % Math.max(1, order.length)];
  }

  async #mark(hunk: unknown, mark: Mark | null): Promise<void> {
    const { answers, centre } = this.#options;
    const named = isNamedHunk(hunk) ? hunk : await hunkAtCursor(centre);
    if (named === null) throw noHunk();
    await answers.mark(named.approvalId, named, mark);
  }

  #placeOf(approval: Approval): RequestPlace {
    const session = this.#options.workspaces.session(approval.sessionId);
    return { agent: session === undefined ? '' : this.#options.agentLabel(session.agentId), session: session?.title ?? '', folder: session?.workspace ?? '' };
  }

  /** Acts on the one named, else on the only one that waits in the chat or anywhere. Never a guess among several: they are listed. */
  async #about(approvalId: unknown, act: (approvalId: string) => Promise<void>): Promise<void> {
    if (typeof approvalId === 'string') return act(approvalId);
    const shown = this.#options.panels.current?.sessionId;
    const here = this.#options.centre.pending.filter(({ sessionId }) => sessionId === shown);
    const [only, ...more] = here.length > 0 ? here : this.#options.centre.pending;
    if (only === undefined) return nothingWaits();
    return more.length > 0 ? this.showPendingApprovals() : act(only.approvalId);
  }
}

interface NamedHunk extends HunkPlace {
  readonly approvalId: string;
}

const isNamedHunk = (value: unknown): value is NamedHunk =>
  typeof value === 'object' && value !== null && 'approvalId' in value && typeof value.approvalId === 'string' && 'change' in value && Number.isInteger(value.change) && 'hunk' in value && Number.isInteger(value.hunk);

/** The hunk that the cursor of a proposal's diff stands in, or right below of. */
async function hunkAtCursor(centre: ApprovalCentre): Promise<NamedHunk | null> {
  const editor = vscode.window.activeTextEditor;
  const place = editor === undefined ? null : proposalPlace(editor.document.uri);
  if (editor === undefined || place === null || place.approvalId === null) return null;
  const { approvalId, subject } = await centre.get(place.approvalId);
  const changes = choosableChanges(subject) ?? [];
  const change = changes.findIndex((each) => isSideOf(editor.document.uri, each));
  const { line } = editor.selection.active;
  const hunk = changes[change]?.hunks.findIndex(({ fromStart, fromEnd, toStart, toEnd }) => {
    const [start, end] = place.side === 'after' ? [toStart, toEnd] : [fromStart, fromEnd];
    // Lines that are only taken away stand between two others.
    return start === end ? line === start || line === start - 1 : line >= start && line < end;
  });
  return hunk === undefined || hunk < 0 ? null : { approvalId, change, hunk };
}

/** The request of the diff that the button stands on, else of the editor in front. */
function inFront(uri: unknown): string {
  const approvalId = uri instanceof vscode.Uri ? proposalPlace(uri)?.approvalId : requestOfTab(vscode.window.tabGroups.activeTabGroup.activeTab);
  if (approvalId === undefined || approvalId === null) throw new AttacheError('not_found', { message: 'This editor shows no request.', next: 'Open its diff first.' });
  return approvalId;
}
