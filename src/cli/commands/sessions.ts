import type { Session } from '../../protocol/session/state.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../failure.ts';
import { shortId } from '../ids.ts';
import { bold, dim, type Line } from '../output/spans.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/times.ts';
import { stateOf } from '../render/sessionText.ts';
import { allSessions, deletedSessions } from '../sessions.ts';

export const sessions: Command = {
  name: 'sessions',
  usage: '',
  summary: 'List the sessions of the folder: pinned ones, then the newest activity first',
  options: {
    goal: { type: 'string', value: 'KEY', about: 'Only those of one goal' },
    all: { type: 'boolean', about: 'Closed and archived ones, too' },
    archived: { type: 'boolean', about: 'Only archived ones' },
    deleted: { type: 'boolean', about: 'Only deleted ones, which can be brought back for seven days' },
  },
  examples: ['attache sessions', 'attache sessions --goal cart-rounding --all', 'attache sessions --json | jq -r ".sessions[0].sessionId"'],
  access: 'read',
  run: async ({ output, attach, clock }, given) => {
    const { calls, workspace } = await attach();
    const every = given.flag('deleted') ? await deletedSessions(calls, workspace) : await allSessions(calls, workspace);
    const goal = given.text('goal');
    const isShown = ({ status, archivedAt }: Session): boolean => given.flag('deleted') || (given.flag('archived') ? archivedAt !== null : given.flag('all') || (status !== 'closed' && archivedAt === null));
    const shown = every.filter((session) => isShown(session) && (goal === undefined || session.goalId === goal)).sort((a, b) => Number(b.pinned) - Number(a.pinned));
    const ids = every.map(({ sessionId }) => sessionId);
    await output.answer({ workspace, sessions: shown }, () => (shown.length === 0 ? nothing(workspace, every.length) : sessionTable(shown, ids, clock.now(), output.width)));
    return EXIT.ok;
  },
};

function nothing(workspace: string, others: number): Line[] {
  return [[`No such sessions in ${workspace}.`], [dim(others > 0 ? 'There are others: attache sessions --all' : 'A session begins in an editor window, with the first message in the Attaché chat.')]];
}

function sessionTable(shown: readonly Session[], ids: readonly string[], now: number, width: number): Line[] {
  const rows = shown.map((session): Line => [
    bold(shortId(session.sessionId, ids)), stateOf(session), session.queue.pending === 0 ? dim('—') : `${session.queue.pending}`, session.agentId,
    `${session.goalId} · ${session.lifetime}`, `${session.pinned ? '* ' : ''}${session.title}`, dim(ago(session.updatedAt, now)),
  ]);
  const columns = [{ head: 'ID' }, { head: 'STATE' }, { head: 'QUEUED' }, { head: 'AGENT', min: 8 }, { head: 'GOAL', min: 10 }, { head: 'TITLE', min: 12 }, { head: 'ACTIVE' }];
  return table(columns, rows, width);
}
