import { AttacheError } from '../../protocol/errors.ts';
import { goalId } from '../../protocol/ids.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { Command, Given } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CliFailure, EXIT } from '../failure.ts';
import type { Attached } from '../gateway/attached.ts';
import { bold, dim, good, type Line } from '../output/spans.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/times.ts';
import { newCommandId } from '../sessions.ts';

export const goals: Command = {
  name: 'goals',
  usage: '',
  summary: 'List the goals of the folder',
  options: { all: { type: 'boolean', about: 'Retired ones, too' } },
  examples: ['attache goals', 'attache goals --all --json'],
  access: 'read',
  run: async ({ output, attach, clock }, given) => {
    const { calls, workspace } = await attach();
    const found = (await calls.call('goal/list', { workspace })).goals.filter(({ state }) => state === 'live' || given.flag('all'));
    await output.answer({ workspace, goals: found }, () => (found.length === 0 ? nothing(workspace) : goalTable(found, clock.now(), output.width)));
    return EXIT.ok;
  },
};

function nothing(workspace: string): Line[] {
  return [[`No goals in ${workspace}.`], [dim('Make one with: attache goal new "What is to be achieved"')]];
}

function goalTable(found: readonly Goal[], now: number, width: number): Line[] {
  const rows = found.map((goal): Line => [bold(goal.goalId), goal.state === 'live' ? good('live') : dim('retired'), `${goal.lifetime}`, goal.title, dim(ago(goal.updatedAt, now))]);
  return table([{ head: 'KEY', min: 12 }, { head: 'STATE' }, { head: 'LIFE' }, { head: 'TITLE', min: 12 }, { head: 'CHANGED' }], rows, width);
}

export const goalNew: Command = {
  name: 'goal new',
  usage: '<title>',
  summary: 'Make a goal',
  options: {
    goal: { type: 'string', value: 'KEY', about: 'Its key: letters, digits and . _ : - (default: one is made)' },
    objective: { type: 'string', value: 'TEXT', about: 'Given to the agent at the start of each session' },
  },
  examples: ['attache goal new "Round the cart"', 'attache goal new "Round the cart" --goal cart-rounding --objective "Half to even"'],
  access: 'write',
  run: async ({ output, attach }, given) => {
    const { calls, workspace } = await attach();
    const [key, objective] = [given.text('goal'), given.text('objective')];
    const { goal } = await calls.call('goal/create', {
      commandId: newCommandId(),
      workspace,
      title: given.positionals[0] ?? '',
      ...(key === undefined ? {} : { goalId: parsedKey(key) }),
      ...(objective === undefined ? {} : { objective }),
    });
    await output.answer({ goal }, () => [[good('made'), ` ${goal.title} `, dim(`(${goal.goalId}, life ${goal.lifetime})`)]]);
    return EXIT.ok;
  },
};

function parsedKey(text: string): Goal['goalId'] {
  const parsed = goalId.safeParse(text);
  if (!parsed.success) throw new CliFailure('usage', { message: `“${text}” is no key of a goal.`, next: 'A key has up to 200 letters, digits and . _ : -' });
  return parsed.data;
}

const LIFETIME = { lifetime: { type: 'string', value: 'N', about: 'Only if this is its present life (default: whatever it is)' }, yes: { type: 'boolean', short: 'y', about: 'Do not ask' } } as const;

/** The goal as it is, and the life that is decided about. */
async function target({ calls, workspace }: Attached, given: Given): Promise<{ goal: Goal; expectedLifetime: number }> {
  const typed = given.positionals[0] ?? '';
  const { goal } = await calls.call('goal/get', { workspace, goalId: parsedKey(typed) }).catch((error: unknown) => {
    throw error instanceof AttacheError && error.kind === 'not_found' ? new AttacheError('goal_not_registered', { message: `There is no goal “${typed}” in ${workspace}.` }) : error;
  });
  const lifetime = given.text('lifetime');
  if (lifetime !== undefined && !/^[1-9]\d{0,8}$/.test(lifetime)) throw new CliFailure('usage', { message: `“${lifetime}” is no number of a life.` });
  return { goal, expectedLifetime: lifetime === undefined ? goal.lifetime : Number(lifetime) };
}

const ended = (sessions: number, turns: number): string => `sessions that became history: ${sessions}, waiting messages that ended: ${turns}`;

export const goalRetire: Command = {
  name: 'goal retire',
  usage: '<key>',
  summary: 'End a goal’s life: its sessions become history',
  about: ['Waiting messages end, waiting requests are withdrawn; a running turn may finish. Everything can still be read.'],
  options: LIFETIME,
  examples: ['attache goal retire cart-rounding', 'attache goal retire cart-rounding --lifetime 2 --yes'],
  access: 'write',
  run: async (context, given) => {
    const attached = await context.attach();
    const { goal, expectedLifetime } = await target(attached, given);
    await confirm(context, given.flag('yes'), [`Retire “${goal.title}” (life ${expectedLifetime})? Its sessions become history.`]);
    const result = await attached.calls.call('goal/retire', { commandId: newCommandId(), workspace: attached.workspace, goalId: goal.goalId, expectedLifetime });
    await context.output.answer(result, () => [[good('retired'), ` ${goal.title}`], [dim(ended(result.sessionsEnded, result.turnsEnded))]]);
    return EXIT.ok;
  },
};

export const goalRecreate: Command = {
  name: 'goal recreate',
  usage: '<key>',
  summary: 'Begin the next life of a goal',
  options: {
    ...LIFETIME,
    title: { type: 'string', value: 'TEXT', about: 'Another title' },
    objective: { type: 'string', value: 'TEXT', about: 'Another objective' },
  },
  examples: ['attache goal recreate cart-rounding', 'attache goal recreate cart-rounding --objective "Half up" --yes'],
  access: 'write',
  run: async (context, given) => {
    const attached = await context.attach();
    const { goal, expectedLifetime } = await target(attached, given);
    // Nothing ends with a goal that was retired before.
    await confirm(context, given.flag('yes') || goal.state === 'retired', [`Recreate “${goal.title}” as life ${expectedLifetime + 1}? Sessions of its present life become history.`]);
    const result = await attached.calls.call('goal/recreate', { commandId: newCommandId(), workspace: attached.workspace, goalId: goal.goalId, expectedLifetime, ...changes(given) });
    await context.output.answer(result, () => [[good('begun'), ` ${result.goal.title} `, dim(`(${goal.goalId}, life ${result.goal.lifetime})`)], [dim(ended(result.sessionsEnded, result.turnsEnded))]]);
    return EXIT.ok;
  },
};

function changes(given: Given): { title?: string; objective?: string } {
  const [title, objective] = [given.text('title'), given.text('objective')];
  return { ...(title === undefined ? {} : { title }), ...(objective === undefined ? {} : { objective }) };
}
