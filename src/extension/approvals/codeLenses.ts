import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { approvalLenses, type ApprovalLens } from '../../protocol/approval/lenses.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import type { FileChange } from '../../protocol/item/state.ts';
import { minimalEdits } from '../editor/minimalEdits.ts';
import type { ApprovalCentre } from './approvalCentre.ts';
import type { BlobTexts } from './blobTexts.ts';
import { statusLine } from './choose.ts';
import type { PartChoices } from './partChoices.ts';
import { isSideOf, PROPOSAL_SCHEME, proposalPlace } from './proposalDocuments.ts';

export interface CodeLensOptions {
  readonly centre: ApprovalCentre;
  readonly choices: PartChoices;
  readonly texts: BlobTexts;
  readonly workspaceOf: (sessionId: string) => string | undefined;
}

/** Answers beside the proposed change itself: in the proposal and in the real file where it is open. */
export class ApprovalCodeLenses implements vscode.CodeLensProvider, Disposable {
  readonly #options: CodeLensOptions;
  readonly #disposables = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<void>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(options: CodeLensOptions) {
    this.#options = options;
    this.#disposables.add(this.#changed);
    this.#disposables.add(options.centre.onChanged(() => this.#changed.fire()));
    this.#disposables.add(options.choices.onChanged(() => this.#changed.fire()));
    this.#disposables.add(vscode.languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: PROPOSAL_SCHEME }], this));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    return document.uri.scheme === PROPOSAL_SCHEME ? this.#inProposal(document) : this.#inFile(document);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #inProposal(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const place = proposalPlace(document.uri);
    if (place === null || place.approvalId === null || place.side !== 'after') return [];
    const approval = await this.#options.centre.get(place.approvalId);
    const change = changesOf(approval).find((each) => isSideOf(document.uri, each));
    if (approval.status !== 'pending') return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title: `$(info)\u00A0${statusLine(approval)}`, command: '' })];
    if (change === undefined) return [];
    const lenses = this.#lenses(approval, change);
    const answers = lenses.filter(({ does }) => does !== 'show');
    // Here everybody sees what is proposed: the room is for the answers.
    return (answers.length > 0 ? answers : lenses).map((lens) => drawn(approval, lens, lineOf(document, lens.toLine)));
  }

  async #inFile(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const lenses: vscode.CodeLens[] = [];
    for (const approval of this.#options.centre.pending) {
      const workspace = this.#options.workspaceOf(approval.sessionId);
      const change = changesOf(approval).find(({ path }) => path === document.uri.fsPath);
      if (change === undefined || workspace === undefined) continue;
      const before = change.before === null ? '' : await this.#options.texts.read(workspace, change.before);
      const now = movedLines(before, document);
      lenses.push(...this.#lenses(approval, change).map((lens) => drawn(approval, lens, now(lens.line))));
    }
    return lenses;
  }

  #lenses(approval: Approval, change: FileChange): Shown[] {
    const { choices } = this.#options;
    const all = approvalLenses(approval, change, vscode.workspace.isTrusted, (place) => choices.markOf(approval.approvalId, place));
    // Which answers have a lens of their own; the others are behind More….
    const own = ['allow_once', 'reject_once'].map((kind) => approval.options.find((option) => option.kind === kind)).filter((option) => option !== undefined);
    return all.flatMap((lens, at): Shown[] => {
      const isAnswer = lens.does === 'approve' || lens.does === 'reject';
      if (isAnswer && own.length > 0 && !own.includes(lens.option)) return [];
      const next = all[at + 1];
      const isLast = isAnswer && (next === undefined || next.does === 'show');
      return isLast ? [lens, { line: lens.line, toLine: lens.toLine, title: vscode.l10n.t('More…'), does: 'more' }] : [lens];
    });
  }
}

type Shown = ApprovalLens | (Pick<ApprovalLens, 'line' | 'toLine' | 'title'> & { readonly does: 'more' });

/** Where the lines of an earlier text are in a document now. */
function movedLines(before: string, document: vscode.TextDocument): (line: number) => vscode.Range {
  const starts = [0];
  for (const match of before.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  const edits = minimalEdits(before, document.getText());
  return (line) => lineOf(document, document.positionAt(moved(starts[line] ?? before.length, edits)).line);
}

function moved(offset: number, edits: ReturnType<typeof minimalEdits>): number {
  let shift = 0;
  for (const { start, end, text } of edits) {
    if (start > offset) break;
    if (end > offset) return start + shift;
    shift += text.length - (end - start);
  }
  return offset + shift;
}

const lineOf = (document: vscode.TextDocument, line: number): vscode.Range => document.lineAt(Math.max(0, Math.min(line, document.lineCount - 1))).range;

const changesOf = ({ subject }: Approval): readonly FileChange[] => (subject.kind === 'edit' ? subject.changes : []);

/** The options that `approve` and `reject` stand for. */
const ONCE = { approve: 'allow_once', reject: 'reject_once' } as const;

const ICONS = { show: 'diff', approve: 'check', reject: 'close', undo: 'discard' } as const;

function drawn({ approvalId }: Approval, lens: Shown, at: vscode.Range): vscode.CodeLens {
  const named = (icon: keyof typeof ICONS, command: string, argument: unknown): vscode.CodeLens =>
    // A plain space after an icon is not drawn.
    new vscode.CodeLens(at, { title: `$(${ICONS[icon]})\u00A0${lens.title}`, command: `attache.${command}`, arguments: [argument] });
  switch (lens.does) {
    case 'show':
      return named('show', 'openDiff', approvalId);
    case 'more':
      return new vscode.CodeLens(at, { title: lens.title, command: 'attache.moreAnswers', arguments: [approvalId] });
    case 'mark':
      return named(lens.mark ?? 'undo', lens.mark === null ? 'undoHunk' : `${lens.mark}Hunk`, { approvalId, ...lens.place });
    default:
      return lens.option.kind === ONCE[lens.does] ? named(lens.does, lens.does, approvalId) : named(lens.does, 'answerWith', [approvalId, lens.option.optionId]);
  }
}
