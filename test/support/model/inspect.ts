import assert from 'node:assert/strict';
import type { ParamsOf } from '../../../src/protocol/methods.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import type { Performer } from './perform.ts';
import { hasEnded, pendingOf, type Model, type ModelSession } from './state.ts';

type States = Readonly<Record<string, unknown>>;

/** Every session and turn as the gateway shows them, and as the reference has them. */
export async function openStates(performer: Performer, model: Model): Promise<[actual: States, expected: States]> {
  const { driver } = performer;
  const listing = driver.call(-1, 'session/list', { workspace: driver.workspace, includeClosed: true, limit: 200 } as ParamsOf<'session/list'>);
  const turnsOf = model.sessions.map((_, s) => driver.call(-1, 'turn/list', { sessionId: performer.idOf(s) } as ParamsOf<'turn/list'>));
  const [{ sessions }, ...lists] = await Promise.all([listing, ...turnsOf]);
  const byId = new Map<string, (typeof sessions)[number]>(sessions.map((session) => [session.sessionId, session]));
  const actual: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [s, session] of model.sessions.entries()) {
    const shown = byId.get(performer.idOf(s));
    const turns = lists[s]?.turns ?? [];
    const active = turns.filter(({ state }) => state !== 'queued' && !hasEnded(state)).map(({ clientTurnId }) => clientTurnId);
    assert.ok(active.length <= 1, `at most one executor per session: ${active.join(', ')}`);
    actual[`session ${s}`] = shown && {
      status: shown.status, paused: shown.queue.paused, pending: shown.queue.pending, match: shown.bindingMatch, executor: shown.executor.state, requests: shown.pendingApprovals,
      active: active[0] ?? null, turns: Object.fromEntries(turns.map((turn) => [turn.clientTurnId, turn.state])),
    };
    expected[`session ${s}`] = expectedState(model, session);
  }
  return [actual, expected];
}

function expectedState(model: Model, session: ModelSession): unknown {
  const goal = model.goals[session.goal];
  const { link } = session;
  return {
    status: session.status, paused: session.paused, pending: pendingOf(model, session).length,
    match: goal?.live !== true ? 'goal_not_registered' : goal.lifetime === session.lifetime ? 'current' : 'goal_instance_mismatch',
    executor: link === null || link.expired ? 'none' : link.connected ? 'connected' : 'disconnected',
    requests: session.requests.filter(({ status }) => status === 'pending').length,
    active: session.active, turns: Object.fromEntries(session.turns.map(({ key, state }) => [key, state])),
  };
}

/** At the end: what was said is there once, what ended did so once, and nothing of it is left open. */
export async function checkTranscripts(performer: Performer, model: Model): Promise<number> {
  const ends = await performer.driver.ends();
  let checks = 0;
  for (const [s, session] of model.sessions.entries()) {
    const { snapshot } = await performer.driver.call(-1, 'session/get', { sessionId: performer.idOf(s) } as ParamsOf<'session/get'>);
    if (session.status === 'closed') assert.equal(session.turns.filter(({ state }) => !hasEnded(state)).length, 0, 'a closed session runs nothing');
    for (const turn of session.turns) {
      const turnId = performer.turnId(s, turn.key);
      assert.equal(ends.get(turnId) ?? 0, hasEnded(turn.state) ? 1 : 0, `session ${s}: the end of ${turn.key} (${turn.state}) is told once`);
      checkTurn(snapshot, turnId, { ended: hasEnded(turn.state), text: turn.text, answer: turn.answer });
      checks += 5;
    }
  }
  return checks;
}

function checkTurn({ items, approvals }: SessionSnapshot, turnId: string, turn: { readonly ended: boolean; readonly text: string; readonly answer: string | null }): void {
  const own = items.filter((item) => item.turnId === turnId);
  const said = (kind: string): string[] => own.filter(({ data }) => data.kind === kind).map(({ text }) => text);
  assert.deepEqual(said('user_message'), [turn.text], 'every message is there once');
  assert.deepEqual(said('agent_message'), turn.answer === null ? [] : [turn.answer], 'the first answer stays, alone');
  assert.ok(own.filter(({ data }) => data.kind === 'notice' && data.code === 'late_result').length <= 1, 'a late result is kept at most once');
  if (!turn.ended) return;
  assert.deepEqual(own.filter(({ state }) => state === 'started'), [], 'nothing of an ended turn is open');
  assert.deepEqual(approvals.filter((approval) => approval.turnId === turnId && approval.status === 'pending'), [], 'no request of an ended turn is open');
}
