import assert from 'node:assert/strict';
import type { Operation } from '../../../src/gateway/admission/facts.ts';
import { AdmissionTable, type NamedFacts } from '../../support/admissionTable.ts';
import { GOALS, STAMPS, STATUSES } from './support/admissionCases.ts';
import { RefusalScene, type Asker } from './support/refusalScene.ts';

const STAMP_NAMES = Object.keys(STAMPS);
const TURN_OPERATIONS: readonly Operation[] = ['claim_replay', 'report', 'approval_request', 'complete'];
/** Stamps of the running turn at submit and at its claim, beside the session's. */
const TURNS = [['same', 'same'], ['same', 'never'], ['same', 'differs'], ['differs', 'same'], ['differs', 'differs'], ['differs', 'never']] as const;

interface SessionState {
  readonly session: string;
  readonly status: string;
  readonly stamp: string;
}

const SESSIONS: readonly SessionState[] = [
  ...STATUSES.flatMap((status) => STAMP_NAMES.map((stamp) => ({ session: 'attached', status, stamp }))),
  ...['ready', 'closed'].flatMap((status) => STAMP_NAMES.map((stamp) => ({ session: 'managed', status, stamp }))),
  { session: 'unrecognized', status: 'ready', stamp: 'current' },
];

const MODES: Readonly<Record<string, string>> = { attached: 'attached_host', managed: 'managed_runtime', unrecognized: 'hybrid_handoff' };

describe('every refusal, through the real core', () => {
  const table = new AdmissionTable();
  const seen = new Set<string>();
  let refusals = 0;
  let scene: RefusalScene;

  before(async () => {
    scene = await RefusalScene.make();
  });
  after(() => scene.gw.close());

  async function expectRefusal(operation: Operation, names: NamedFacts, call: (() => Promise<unknown>) | undefined): Promise<void> {
    const written = table.decide(operation, names);
    if (call === undefined || written.startsWith('allow')) return;
    refusals += 1;
    seen.add(table.rowOf(operation, names));
    await scene.refuses(written, call, `${operation} ${JSON.stringify(names)}`);
  }

  function setSession({ session, status, stamp }: SessionState): void {
    const goalInstanceId = scene.stampOf(stamp);
    scene.setSession({ sessionMode: MODES[session] ?? '', status: status === 'empty' ? '' : status, goalInstanceId });
    scene.setQueue(goalInstanceId);
    scene.setTurn(goalInstanceId, { at: goalInstanceId });
  }

  /** What this asker is told to see of the session. */
  const seenBy = (asker: Asker, state: SessionState): NamedFacts =>
    (asker.names['access'] === 'none' ? { session: 'unknown', access: '-', status: '-', stamp: '-' } : { ...state, access: asker.names['access'] ?? '' });

  async function askEverything(goal: string, asker: Asker, state: SessionState): Promise<void> {
    const turn = state.stamp === 'malformed' ? 'differs' : 'same';
    const names = { ...seenBy(asker, state), ...host(asker), goal, draining: 'no', turn, 'handed out': turn, executor: 'alive', 'can host': 'yes' };
    for (const [operation, call] of Object.entries(scene.callsOn(asker.client))) await expectRefusal(operation as Operation, names, call);
  }

  async function askAboutTurns(goal: string, asker: Asker, state: SessionState): Promise<void> {
    const calls = scene.callsOn(asker.client);
    const stampFor = (which: string): string | null => scene.stampOf(which === 'same' ? state.stamp : state.stamp === 'oldest' ? 'older' : 'oldest');
    for (const [turn, handedOut] of TURNS) {
      if (state.stamp === 'malformed') continue;
      scene.setTurn(stampFor(turn), handedOut === 'never' ? null : { at: stampFor(handedOut) });
      const names = { ...seenBy(asker, state), ...host(asker), goal, turn, 'handed out': handedOut };
      for (const operation of TURN_OPERATIONS) await expectRefusal(operation, names, calls[operation]);
    }
    scene.setTurn(stampFor('same'), { at: stampFor('same') });
    scene.setQueue(stampFor('differs'));
    await expectRefusal('claim_new', { ...seenBy(asker, state), ...host(asker), goal, turn: 'differs', draining: 'no' }, calls.claim_new);
    scene.setQueue(stampFor('same'));
  }

  const host = ({ names }: Asker): NamedFacts => ({ host: names['host'] ?? '' });

  for (const goal of Object.keys(GOALS)) {
    it(`leaves the store as it was: ${goal} goal, every session`, async () => {
      scene.setGoal(goal);
      for (const state of SESSIONS) {
        setSession(state);
        for (const asker of scene.askers) {
          await askEverything(goal, asker, state);
          if (state.status === 'ready' || state.status === 'closed') await askAboutTurns(goal, asker, state);
        }
      }
    }).timeout(30_000);

    it(`leaves the store as it was: ${goal} goal, by itself`, async () => {
      scene.setGoal(goal);
      setSession({ session: 'attached', status: 'ready', stamp: goal.startsWith('legacy') ? 'none' : 'current' });
      for (const { names, client } of scene.askers) {
        const access = names['access'] ?? '';
        for (const [expected, lifetime] of [['same', 3], ['differs', 1]] as const) {
          for (const [operation, call] of Object.entries(scene.goalCalls(client, lifetime))) await expectRefusal(operation as Operation, { access, goal, expected }, call);
        }
        for (const candidate of ['none', 'equal', 'different'] as const) for (const mode of ['attached_host', 'managed_runtime'] as const) {
          const compared = candidate === 'equal' && mode === 'managed_runtime' ? 'different' : candidate;
          await expectRefusal('attach', { access, goal, candidate: compared, mode }, () => scene.attach(client, candidate, mode));
        }
      }
    });
  }

  it('leaves the store as it was: a take-over by what is no editor, and beside a host that is cut off', async () => {
    scene.setGoal('strict');
    const state = { session: 'attached', status: 'busy', stamp: 'current' };
    setSession(state);
    const names = { ...state, access: 'full', goal: 'strict', executor: 'alive' };
    await expectRefusal('replace_executor', { ...names, 'can host': 'no' }, scene.callsOn(scene.gw.client('cli', 'cli')).replace_executor);
    scene.story.host.disconnect();
    await expectRefusal('replace_executor', { ...names, 'executor': 'in_grace', 'can host': 'yes' }, scene.callsOn(scene.gw.client('other')).replace_executor);
    await scene.story.register();
  });

  it('leaves the store as it was: a deleted session', async () => {
    const state = { session: 'attached', status: 'closed', stamp: 'current' };
    setSession(state);
    scene.setSession({ deletedAt: 1 });
    for (const asker of scene.askers) await expectRefusal('undelete', seenBy(asker, state), () => scene.undelete(asker.client));
    scene.setSession({ deletedAt: null });
  });

  it('leaves the store as it was: a gateway that is being replaced', async () => {
    scene.setGoal('strict');
    const state = { session: 'attached', status: 'ready', stamp: 'current' };
    setSession(state);
    scene.gw.core.drain();
    const names = { ...state, access: 'full', goal: 'strict', host: 'bound', turn: 'same' };
    for (const operation of ['submit', 'retry', 'fork', 'queue_edit', 'queue_reorder', 'claim_new'] as const) {
      await expectRefusal(operation, { ...names, draining: 'yes' }, scene.callsOn(scene.story.host)[operation]);
    }
  });

  it('has met thousands of refusals, of every operation and every code that it can have', () => {
    assert.ok(refusals > 10_000, `${refusals} refusals`);
    assert.deepEqual(table.refusals().filter((row) => !seen.has(row)), []);
  });
});
