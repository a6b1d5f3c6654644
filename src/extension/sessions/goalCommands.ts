import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { visibleLine } from '../../client/visibleText.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { CommandId, GoalId } from '../../protocol/ids.ts';
import { newCommandId } from '../randomId.ts';
import { endedInWords, endInWords, lifetimeEnd } from './lifetimeEnd.ts';
import { plainLabel } from './sessionLook.ts';

export interface NewGoal {
  readonly goalId: string | null;
  readonly title: string;
  readonly objective: string;
}

const KEY = /^[A-Za-z0-9._:-]{1,200}$/;

/** Asks for a new goal in three steps; undefined when the person gave up. */
export async function askForGoal(existing: readonly Goal[]): Promise<NewGoal | undefined> {
  const taken = new Set<string>(existing.filter(({ state }) => state === 'live').map(({ goalId }) => goalId));
  const box = { ignoreFocusOut: true };
  const title = await vscode.window.showInputBox({ ...box, title: vscode.l10n.t('New Goal (1 of 3): Title'), prompt: vscode.l10n.t('What is to be achieved, in one line'), validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('A goal needs a title.') : null) });
  if (title === undefined) return undefined;
  const key = await vscode.window.showInputBox({
    ...box,
    title: vscode.l10n.t('New Goal (2 of 3): Key'),
    prompt: vscode.l10n.t('A short key for people and the command line; leave it empty to have one made'),
    validateInput: (text) => keyProblem(text.trim(), taken),
  });
  if (key === undefined) return undefined;
  const objective = await vscode.window.showInputBox({ ...box, title: vscode.l10n.t('New Goal (3 of 3): Objective'), prompt: vscode.l10n.t('Given to the agent at the start of each session; may stay empty') });
  if (objective === undefined) return undefined;
  return { goalId: key.trim() === '' ? null : key.trim(), title: title.trim(), objective: objective.trim() };
}

function keyProblem(key: string, taken: ReadonlySet<string>): string | null {
  if (key === '') return null;
  if (!KEY.test(key)) return vscode.l10n.t('A key has up to 200 letters, digits and . _ : -');
  return taken.has(key) ? vscode.l10n.t('A live goal has this key already.') : null;
}

export async function createGoal(calls: GatewayCalls, workspace: string, { goalId, title, objective }: NewGoal): Promise<Goal> {
  const named = goalId === null ? {} : { goalId: goalId as GoalId };
  const { goal } = await calls.call('goal/create', { commandId: newCommandId(), workspace, title, ...named, ...(objective === '' ? {} : { objective }) });
  return goal;
}

/** Lets a person choose among goals; `current` stands first. */
export async function pickGoal(title: string, goals: readonly Goal[], current: string | null): Promise<Goal | undefined> {
  if (goals.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Attaché: there is no such goal in this folder.'));
    return undefined;
  }
  const sorted = [...goals].sort((a, b) => Number(b.goalId === current) - Number(a.goalId === current) || b.updatedAt - a.updatedAt);
  const rows = sorted.map((goal) => ({ label: `$(target) ${plainLabel(goal.title)}`, description: goal.state === 'retired' ? vscode.l10n.t('{0} · life {1} · retired', goal.goalId, goal.lifetime) : vscode.l10n.t('{0} · life {1}', goal.goalId, goal.lifetime), detail: plainLabel(goal.objective), goal }));
  return (await vscode.window.showQuickPick(rows, { title, matchOnDescription: true }))?.goal;
}

const READABLE = vscode.l10n.t('History can be read and closed, and gets no new work.');
const OPENED = vscode.l10n.t('A session of the new life is opened.');

/** Ends the goal's lifetime, after saying once what that does. */
export async function retireGoal(calls: GatewayCalls, goal: Goal): Promise<void> {
  const detail = `${endInWords(await lifetimeEnd(calls, goal))} ${READABLE}`;
  if (!(await confirm(vscode.l10n.t('Retire “{0}” (life {1})?', visibleLine(goal.title), goal.lifetime), detail, vscode.l10n.t('Retire')))) return;
  const { sessionsEnded, turnsEnded } = await calls.call('goal/retire', { ...targetOf(goal), expectedLifetime: goal.lifetime });
  void vscode.window.showInformationMessage(`${vscode.l10n.t('Attaché: retired “{0}”.', visibleLine(goal.title))} ${endedInWords(sessionsEnded, turnsEnded)}`);
}

/** Begins the next lifetime, after saying once what that does; undefined when the person gave up. */
export async function recreateGoal(calls: GatewayCalls, goal: Goal): Promise<Goal | undefined> {
  const detail = goal.state === 'live'
    ? `${endInWords(await lifetimeEnd(calls, goal))} ${READABLE} ${OPENED}`
    : `${vscode.l10n.t('Its earlier sessions stay history.')} ${OPENED}`;
  if (!(await confirm(vscode.l10n.t('Recreate “{0}” as life {1}?', visibleLine(goal.title), goal.lifetime + 1), detail, vscode.l10n.t('Recreate')))) return undefined;
  return (await calls.call('goal/recreate', { ...targetOf(goal), expectedLifetime: goal.lifetime })).goal;
}

const targetOf = (goal: Goal): { commandId: CommandId; workspace: string; goalId: GoalId } => ({ commandId: newCommandId(), workspace: goal.workspace, goalId: goal.goalId });

async function confirm(message: string, detail: string, action: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, action)) === action;
}
