import * as vscode from 'vscode';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import { asAttacheError } from '../protocol/errors.ts';
import type { FreeableSession } from '../protocol/gateway/commands.ts';
import type { ResultOf } from '../protocol/methods.ts';
import { newCommandId } from './randomId.ts';

const LISTED = 10;
const DAY_MS = 24 * 3_600_000;

type Plan = ResultOf<'gateway/freeSpace'>;

/** Shows what closed sessions hold beside their transcripts, asks, and frees just that; goes on as long as there is more and the person wants it. */
export async function freeUpSpace(calls: GatewayCalls): Promise<void> {
  for (let wanted = true; wanted;) wanted = await freeOnce(calls);
}

/** Gives whether the person wants more of it. */
async function freeOnce(calls: GatewayCalls): Promise<boolean> {
  const plan = await calls.call('gateway/freeSpace', { commandId: newCommandId(), dryRun: true });
  if (plan.sessions.length === 0) {
    await tellNothing(calls);
    return false;
  }
  const go = vscode.l10n.t('Free Up {0}', sizeText(plan.bytes));
  if ((await vscode.window.showWarningMessage(question(plan), { modal: true, detail: detailOf(plan, Date.now()) }, go)) !== go) return false;
  const done = await carryOut(calls, plan);
  if (done === null) return true;
  const more = vscode.l10n.t('Free Up More ({0})', sizeText(done.left));
  const text = vscode.l10n.t('Attaché: {0} of {1} were freed.', sizeText(done.bytes), sessionsText(done.sessions.length));
  return (await vscode.window.showInformationMessage(text, ...(done.left > 0 ? [more] : []))) === more;
}

/** Null when something else would go by now: then it is shown anew. */
async function carryOut(calls: GatewayCalls, { planId }: Plan): Promise<Plan | null> {
  try {
    return await calls.call('gateway/freeSpace', { commandId: newCommandId(), planId });
  } catch (error) {
    if (asAttacheError(error)?.kind === 'revision_conflict') return null;
    throw error;
  }
}

async function tellNothing(calls: GatewayCalls): Promise<void> {
  const { usedBytes, capBytes } = await calls.call('gateway/space', {});
  void vscode.window.showInformationMessage(vscode.l10n.t('Attaché: nothing can be freed. {0} of {1} are in use; closing or deleting sessions makes more of it free.', sizeText(usedBytes), sizeText(capBytes)));
}

const question = ({ sessions, bytes }: Plan): string => vscode.l10n.t('Remove {0} of full texts that {1} refer to?', sizeText(bytes), sessionsText(sessions.length));

/** What goes, line by line, and what stays. */
export function detailOf({ sessions }: Pick<Plan, 'sessions'>, now: number): string {
  const rest = sessions.length - LISTED;
  return [
    vscode.l10n.t('The transcripts stay. The whole texts of changed files and attached files of these closed sessions cannot be opened any more:'),
    ...sessions.slice(0, LISTED).map((session) => lineOf(session, now)),
    ...(rest > 0 ? [vscode.l10n.t('and {0} more', rest)] : []),
  ].join('\n');
}

function lineOf({ title, bytes, closedAt }: FreeableSession, now: number): string {
  const days = Math.floor(Math.max(0, now - closedAt) / DAY_MS);
  const when = days === 0 ? vscode.l10n.t('closed today') : days === 1 ? vscode.l10n.t('closed yesterday') : vscode.l10n.t('closed {0} days ago', days);
  return `• ${title}: ${sizeText(bytes)}, ${when}`;
}

const sessionsText = (count: number): string => vscode.l10n.t(count === 1 ? '{0} closed session' : '{0} closed sessions', count);

export function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024))} KiB`;
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
