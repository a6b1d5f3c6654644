import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { ExecutionPlane } from '../../execution/plane.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { ItemId, TurnId } from '../../protocol/ids.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import type { BlobTexts } from '../approvals/blobTexts.ts';
import { openTurnChanges } from '../approvals/proposalDocuments.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import { showFailure, type CommandTable } from '../commands.ts';
import { newCommandId } from '../randomId.ts';
import { changesOfRevert, laterDigests, readTurn } from './readTurn.ts';
import { revertTurn, undoRevert, type Reverted } from './revertTurn.ts';

export interface TurnCommandOptions {
  readonly calls: GatewayCalls;
  readonly panels: ChatPanels;
  readonly texts: BlobTexts;
  /** Writes for the person, under the rules of an agent's edits. */
  readonly plane: (folder: string) => ExecutionPlane;
}

interface Place {
  readonly turnId: TurnId;
  readonly workspace: string;
}

/** The palette's commands about what a turn did to files. Without an argument they are about a turn of the chat in front. */
export function turnCommands({ calls, panels, texts, plane }: TurnCommandOptions): Pick<CommandTable, 'turnActions' | 'showTurnChanges' | 'revertTurn' | 'undoRevert'> {
  const about = async (turnId: unknown, act: (place: Place) => Promise<void>): Promise<void> => {
    const view = panels.current?.view ?? null;
    const found = view === null ? undefined : typeof turnId === 'string' ? (turnId as TurnId) : await pickTurn(view);
    if (found !== undefined && view !== null) await act({ turnId: found, workspace: view.session.workspace });
  };
  const show = async ({ turnId, workspace }: Place): Promise<void> => {
    const { turn, changes } = await readTurn(calls, turnId);
    if (changes.length === 0) return nothingChanged();
    await openTurnChanges(changes, workspace, vscode.l10n.t('Turn {0}: before and after', turn.turnIdx));
  };
  const revert = async ({ turnId, workspace }: Place): Promise<void> => {
    if (!vscode.workspace.isTrusted) throw new AttacheError('workspace_untrusted');
    const read = await readTurn(calls, turnId);
    if (!hasEnded(read.turn.state)) throw new AttacheError('turn_in_progress', { message: 'The turn is still running.', next: 'Stop it, or wait for its end, then revert it.' });
    if (read.changes.length === 0) return nothingChanged();
    let later: ReturnType<typeof laterDigests> | undefined;
    const done = await revertTurn(read.changes, { plane: plane(workspace), texts, workspace, later: () => (later ??= laterDigests(calls, read.turn)) });
    if (done !== null) await record(done, read.turn.turnId, false);
  };
  const undo = async (itemId: ItemId): Promise<void> => {
    if (!vscode.workspace.isTrusted) throw new AttacheError('workspace_untrusted');
    const { item } = await calls.call('item/get', { itemId });
    const note = item.data.kind === 'notice' ? item.data.revert : undefined;
    if (note === undefined) throw new AttacheError('not_found', { message: 'This is no revert that could be undone.' });
    const { snapshot: { session: { workspace } } } = await calls.call('session/get', { sessionId: item.sessionId });
    await record(await undoRevert(changesOfRevert(note), { plane: plane(workspace), texts, workspace, later: () => Promise.resolve(new Map()) }), note.turnId, !note.again);
  };
  /** Tells everybody, and offers the way back here. */
  const record = async ({ files, said, isFailure }: Reverted, turnId: TurnId, again: boolean): Promise<void> => {
    if (said === '') return;
    if (files.length === 0) return void (isFailure ? vscode.window.showWarningMessage(said) : vscode.window.setStatusBarMessage(said, 8000));
    const { item } = await calls.call('turn/reverted', { commandId: newCommandId(), turnId, again, files: [...files] });
    void offerUndo(said, isFailure, () => undo(item.itemId));
  };
  return {
    turnActions: (turnId) => about(turnId, async (place) => {
      const [open, takeBack] = [vscode.l10n.t('Show Turn’s Changes'), vscode.l10n.t('Revert Turn’s Changes…')];
      const answer = await vscode.window.showQuickPick([open, takeBack].map((label) => ({ label })), { title: vscode.l10n.t('What This Turn Did to Files') });
      if (answer !== undefined) await (answer.label === open ? show : revert)(place);
    }),
    showTurnChanges: (turnId) => about(turnId, show),
    revertTurn: (turnId) => about(turnId, revert),
    undoRevert: async (itemId) => {
      if (typeof itemId === 'string') await undo(itemId as ItemId);
    },
  };
}

async function offerUndo(said: string, isFailure: boolean, undo: () => Promise<void>): Promise<void> {
  const back = vscode.l10n.t('Undo');
  const answer = await (isFailure ? vscode.window.showWarningMessage(said, back) : vscode.window.showInformationMessage(said, back));
  if (answer === back) await undo().catch(showFailure);
}

/** The one that changed files; one of several is chosen from a list, the newest first. */
async function pickTurn({ turns, items }: SessionSnapshot): Promise<TurnId | undefined> {
  const changing = new Set(items.filter(({ data, state }) => (data.kind === 'edit' && state === 'completed') || (data.kind === 'tool_call' && (data.changes ?? []).length > 0)).map(({ turnId }) => turnId));
  const found = turns.filter(({ turnId }) => changing.has(turnId)).reverse();
  const [only, ...more] = found;
  if (only === undefined) nothingChanged();
  if (only === undefined || more.length === 0) return only?.turnId;
  const rows = found.map(({ turnId, turnIdx, text }) => ({ label: vscode.l10n.t('Turn {0}', turnIdx), description: text.split('\n', 1)[0] ?? '', turnId }));
  return (await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Which Turn?'), matchOnDescription: true }))?.turnId;
}

const nothingChanged = (): void => void vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: no turn here has changed a file.'), 4000);
