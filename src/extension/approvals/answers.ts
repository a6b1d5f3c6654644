import * as vscode from 'vscode';
import type { HunkPlace, Mark } from '../../protocol/approval/lenses.ts';
import { meaningOf } from '../../protocol/approval/meaning.ts';
import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { CommandTable } from '../commands.ts';
import { chooseAlways } from '../grants/alwaysAllow.ts';
import { explain } from '../log.ts';
import type { AnswerExtras, ApprovalCentre } from './approvalCentre.ts';
import { approveOption, rejectOption, requestName } from './choose.ts';
import { openRequest } from './conflictView.ts';
import type { PartChoices } from './partChoices.ts';

/** How a person answers a request from the editor's own surfaces: palette, diff title, code lens. */
export class Answers {
  readonly #centre: ApprovalCentre;
  readonly #choices: PartChoices;

  constructor(centre: ApprovalCentre, choices: PartChoices) {
    this.#centre = centre;
    this.#choices = choices;
  }

  /** Of all that the person does not leave out. */
  async approve(approvalId: string): Promise<void> {
    const approval = await this.#centre.get(approvalId);
    const option = approveOption(approval) ?? (await chooseOption(approval));
    if (option !== undefined) await this.answer(approval, option.optionId, this.#partFor(approval, option));
  }

  async option(approvalId: string, optionId: string): Promise<void> {
    const approval = await this.#centre.get(approvalId);
    const option = approval.options.find((each) => each.optionId === optionId);
    if (option !== undefined) await this.answer(approval, option.optionId, this.#partFor(approval, option));
  }

  /** Marks one hunk. The last mark answers the request: with just what is to be written, or with a refusal where that is nothing. not_found: there is no such hunk to choose. */
  async mark(approvalId: string, place: HunkPlace, mark: Mark | null): Promise<void> {
    const approval = await this.#centre.get(approvalId);
    if (approval.status !== 'pending') return nothingWaits();
    if (!this.#choices.canMark(approval, place)) throw noHunk();
    this.#choices.mark(approvalId, place, mark);
    if (!this.#choices.isComplete(approval)) return;
    const isNothing = this.#choices.part(approval)?.every((chosen) => chosen.length === 0) === true;
    await (isNothing ? this.reject(approvalId, false) : this.approve(approvalId));
  }

  #partFor(approval: Approval, { kind }: ApprovalOption): Pick<AnswerExtras, 'part'> {
    return meaningOf(approval, { kind }) === 'reject' ? {} : { part: this.#choices.part(approval) };
  }

  async reject(approvalId: string, withComment: boolean): Promise<void> {
    const approval = await this.#centre.get(approvalId);
    const option = rejectOption(approval) ?? (await chooseOption(approval));
    if (option === undefined) return;
    const comment = withComment ? await vscode.window.showInputBox({ title: vscode.l10n.t('Reject: {0}', approval.title), prompt: vscode.l10n.t('What should the agent do instead?'), ignoreFocusOut: true }) : '';
    // Escape in the box means: not answered after all.
    if (comment !== undefined) await this.answer(approval, option.optionId, comment === '' ? {} : { comment });
  }

  /** Allows it, and stores the rule that the person has chosen. */
  async alwaysAllow(approval: Approval, session: Session, agent: string): Promise<void> {
    const choice = await chooseAlways(approval, session, agent);
    if (choice !== undefined) await this.answer(approval, choice.option.optionId, { remember: choice.remember, part: this.#choices.part(approval) });
  }

  async answer(approval: Approval, optionId: string, extras: AnswerExtras = {}): Promise<void> {
    try {
      const outcome = await this.#centre.decide(approval, optionId, extras);
      if (outcome === 'already') vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: somebody had given the same answer already.'), 5000);
    } catch (error) {
      if (!(error instanceof AttacheError)) throw error;
      this.#centre.look();
      void vscode.window.showWarningMessage(`Attaché: ${explain(error)}`);
    }
  }

  /** Every other way to answer. */
  async more(approvalId: string, ways: Pick<CommandTable, 'alwaysAllow' | 'rejectWithComment' | 'revealRequest'>): Promise<void> {
    const approval = await this.#centre.get(approvalId);
    if (approval.status !== 'pending') return nothingWaits();
    const rows = [
      ...approval.options.map((option) => ({ label: option.name, run: () => this.option(approvalId, option.optionId) })),
      { label: '', kind: vscode.QuickPickItemKind.Separator, run: () => Promise.resolve() },
      { label: vscode.l10n.t('Always Allow…'), run: () => ways.alwaysAllow(approvalId) },
      { label: vscode.l10n.t('Reject with Comment…'), run: () => ways.rejectWithComment(approvalId) },
      { label: vscode.l10n.t('Show in Chat'), run: () => ways.revealRequest(approvalId) },
    ];
    const row = await vscode.window.showQuickPick(rows, { title: approval.title, placeHolder: vscode.l10n.t('Choose an answer') });
    await row?.run();
  }

  async openDiff(approvalId: string, workspace: string): Promise<void> {
    await openRequest(await this.#centre.get(approvalId), workspace);
  }

  /** Lists what waits; choosing one shows it in the chat. */
  async showPending(reveal: (approval: Approval) => Promise<void>, about: (approval: Approval) => RequestPlace): Promise<void> {
    const { pending } = this.#centre;
    if (pending.length === 0) return nothingWaits();
    const rows = pending.map((approval) => {
      const { agent, session, folder } = about(approval);
      return { label: `${icon(approval)} ${requestName(approval)}`, description: `${agent} · ${session}`, detail: folder, approval };
    });
    const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Requests That Wait for an Answer'), placeHolder: vscode.l10n.t('Choose one to see it in the chat'), matchOnDescription: true, matchOnDetail: true });
    if (row !== undefined) await reveal(row.approval);
  }
}

/** Where a request comes from, in words. */
export interface RequestPlace {
  readonly agent: string;
  readonly session: string;
  readonly folder: string;
}

export const noHunk = (): AttacheError => new AttacheError('not_found', { message: 'There is no change at the cursor that could be approved by itself.', next: 'Put the cursor into one in the diff, or answer the whole request.' });

/** No failure: somebody was quicker, or nothing was asked. */
export const nothingWaits = (): void => void vscode.window.showInformationMessage(vscode.l10n.t('Attaché: no request waits for an answer.'));

function icon(approval: Approval): string {
  switch (approval.subject.kind) {
    case 'edit':
      return '$(diff)';
    case 'command':
      return '$(terminal)';
    case 'tool':
      return '$(tools)';
    case 'plan':
      return '$(checklist)';
    case 'question':
      return '$(question)';
  }
}

async function chooseOption(approval: Approval): Promise<ApprovalOption | undefined> {
  const rows = approval.options.map((option) => ({ label: option.name, option }));
  return (await vscode.window.showQuickPick(rows, { title: approval.title, placeHolder: vscode.l10n.t('Choose an answer') }))?.option;
}
