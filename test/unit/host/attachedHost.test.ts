import assert from 'node:assert/strict';
import { AttacheError } from '../../../src/protocol/errors.ts';
import type { ItemKey } from '../../../src/protocol/ids.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { CoreHarness } from '../gateway/support/coreHarness.ts';
import { done, HostRig } from './support/hostRig.ts';

const internal = (): Error => Object.assign(new Error('The gateway could not carry that out.'), { code: -32603, data: { kind: 'internal_error', retry: 'never', next: '' } });

/** Throws what it was made of, a few times. */
function failing(method: string, times: number, make: () => unknown): (called: string) => void {
  let left = times;
  return (called) => {
    if (called !== method || left === 0) return;
    left -= 1;
    throw make();
  };
}

describe('the host of a session', () => {
  let rig: HostRig;
  beforeEach(async () => {
    rig = await HostRig.start(new CoreHarness());
  });
  afterEach(() => rig.end());

  const statusNow = () => rig.story.snapshot().session.status;

  it('runs what is submitted and gives its result back', async () => {
    rig.play = async ({ sink }) => {
      sink.report([{ op: 'item.start', itemKey: 'm' as ItemKey, data: { kind: 'agent_message' }, text: 'hello' }]);
      return done;
    };
    const turn = await rig.submit();
    await rig.advance(100);
    assert.deepEqual([(await rig.turn(turn)).state, statusNow(), rig.prompts], ['completed', 'ready', ['do it']]);
  });

  it('carries out what any client chose for the agent, and says so when the agent does not take it', async () => {
    const choices = ['ask', 'plan', 'auto'].map((value) => ({ value, name: value }));
    rig.state = { ...rig.state, options: [{ id: 'mode', name: 'Mode', category: 'mode', value: 'ask', choices }] };
    await rig.submit();
    await rig.advance(100);
    const cli = rig.gw.client('cli', 'cli');
    const choose = async (value: string) => {
      await cli.call('session/configure', { commandId: cli.command(), sessionId: rig.story.sessionId, changes: { options: [{ id: 'mode', value }] } });
      for (let n = 0; n < 5; n++) await rig.advance(10);
      const { wanted, agent } = rig.story.snapshot().session;
      return [agent.options[0]?.value, wanted.length];
    };
    assert.deepEqual(await choose('plan'), ['plan', 0]);
    rig.takes = false;
    assert.deepEqual(await choose('auto'), ['plan', 0]);
  });

  it('A46b frozen for longer than its lease on a link that stays open, it comes back by itself and takes the next turn', async () => {
    rig.play = ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ outcome: 'cancelled', forced: false, strays: [], usage: null })));
    const turn = await rig.submit();
    rig.link.before = (method) => {
      if (method === 'host/renew') throw internal();
    };
    await rig.advance(LIMITS.leaseMs + 1000);
    assert.equal((await rig.turn(turn)).state, 'interrupted');
    assert.ok(rig.gw.sessionEvents(rig.story.sessionId).some((event) => event.type === 'session.updated' && event.session.status === 'stale'));
    rig.link.before = () => undefined;
    rig.play = async () => done;
    await rig.advance(15_000);
    assert.equal(statusNow(), 'ready');
    const next = await rig.submit('next');
    await rig.advance(100);
    assert.equal((await rig.turn(next)).state, 'completed');
    assert.deepEqual(rig.ended, []);
  });

  for (const method of ['host/register', 'host/claim', 'host/report', 'host/complete'] as const) {
    it(`a fault of the moment in ${method} costs neither the host nor a character`, async () => {
      rig.play = async ({ sink }) => {
        sink.report([{ op: 'item.start', itemKey: 'm' as ItemKey, data: { kind: 'agent_message' }, text: 'one ' }]);
        sink.report([{ op: 'item.delta', itemKey: 'm' as ItemKey, text: 'two' }]);
        return done;
      };
      rig.link.cut();
      await rig.advance();
      rig.link.before = failing(method, 3, internal);
      rig.link.open();
      const turn = await rig.submit();
      await rig.advance(20_000);
      assert.deepEqual([(await rig.turn(turn)).state, rig.ended], ['completed', []]);
      assert.deepEqual(rig.story.snapshot().items.filter(({ data }) => data.kind === 'agent_message').map(({ text }) => text), ['one two']);
      assert.deepEqual(rig.prompts, ['do it']);
    });
  }

  it('an agent that breaks in a way nobody foresaw ends its turn as failed, and the next one runs', async () => {
    rig.play = () => Promise.reject(new TypeError('cannot read properties of undefined'));
    const turn = await rig.submit();
    await rig.advance(100);
    const { state, cause, detail } = await rig.turn(turn);
    assert.deepEqual([state, cause], ['failed', 'execution_unavailable']);
    assert.match(detail ?? '', /cannot read properties/);
    rig.play = async () => done;
    const next = await rig.submit('next');
    await rig.advance(1_100);
    assert.equal((await rig.turn(next)).state, 'completed');
  });

  for (const kind of ['response_empty', 'response_too_long', 'item_not_found', 'report_gap'] as const) {
    it(`an end that is refused as ${kind} does not leave the turn running for ever`, async () => {
      rig.link.before = failing('host/complete', 1, () => new AttacheError(kind, kind === 'report_gap' ? { entity: { expectedReportSeq: 2 } } : {}));
      rig.play = async ({ sink }) => {
        sink.report([{ op: 'item.start', itemKey: 'm' as ItemKey, data: { kind: 'agent_message' }, text: 'words', state: 'completed' }]);
        return done;
      };
      const turn = await rig.submit();
      await rig.advance(1000);
      assert.equal((await rig.turn(turn)).state, kind === 'report_gap' ? 'completed' : 'failed');
      assert.equal(statusNow(), 'ready');
    });
  }

  it('a turn on record that it does not run is given back as failed, not run a second time, and asks no one in a circle', async () => {
    // Its end is refused for good, as by a fault of ours.
    rig.link.before = failing('host/complete', 3, () => new AttacheError('invalid_goal_instance_id'));
    const turn = await rig.submit();
    await rig.advance(100);
    assert.equal((await rig.turn(turn)).state, 'running');
    const asked = rig.link.sent.length;
    await rig.advance(5000);
    assert.deepEqual([(await rig.turn(turn)).state, (await rig.turn(turn)).cause], ['failed', 'executor_restarted']);
    assert.ok(rig.link.sent.length - asked < 20, `${String(rig.link.sent.length - asked)} requests in five seconds`);
    assert.deepEqual(rig.prompts, ['do it']);
    const next = await rig.submit('next');
    await rig.advance(10_000);
    assert.equal((await rig.turn(next)).state, 'completed');
  });

  it('A19 a claim whose answer was lost gets the same turn on the next link, once', async () => {
    rig.link.after = failing('host/claim', 1, () => new AttacheError('connection_closed'));
    const turn = await rig.submit();
    rig.link.cut();
    rig.link.open();
    await rig.advance(100);
    assert.deepEqual([(await rig.turn(turn)).state, rig.prompts], ['completed', ['do it']]);
  });

  it('a text that no frame can carry is left out, and the turn goes on', async () => {
    rig.play = async ({ sink }) => {
      const entries = Array.from({ length: 500 }, () => ({ content: 'é'.repeat(10_000), status: 'pending' as const }));
      sink.report([{ op: 'item.start', itemKey: 'p' as ItemKey, data: { kind: 'plan', entries } }]);
      sink.report([{ op: 'item.start', itemKey: 'm' as ItemKey, data: { kind: 'agent_message' }, text: 'words', state: 'completed' }]);
      return done;
    };
    const turn = await rig.submit();
    await rig.advance(1000);
    assert.equal((await rig.turn(turn)).state, 'completed');
    assert.deepEqual(rig.story.snapshot().items.map(({ data }) => data.kind), ['user_message', 'agent_message']);
  });

  it('C06 an answer that was given while the link was cut is found, also where the turn has outgrown what is shown of it', async () => {
    const answers: unknown[] = [];
    rig.play = async ({ sink, plane }) => {
      sink.report([{ op: 'item.start', itemKey: 'tool.t' as ItemKey, data: { kind: 'tool_call', toolKind: 'other', title: 'Ask', locations: [] } }]);
      const asking = plane.requestPermission({ toolCallId: 't', title: 'Ask', toolKind: 'other', options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }], changes: [], command: null, detail: '' });
      for (let n = 0; n < 40; n++) sink.report([{ op: 'item.start', itemKey: `m${String(n)}` as ItemKey, data: { kind: 'agent_message' }, text: 'x'.repeat(60_000), state: 'completed' }]);
      answers.push(await asking);
      return done;
    };
    const turn = await rig.submit();
    await rig.advance(1000);
    const approval = rig.story.snapshot().approvals[0]!;
    rig.link.cut();
    await rig.story.decide(approval, 'yes', rig.gw.client('somebody else', 'cli'));
    assert.deepEqual(rig.story.snapshot().approvals, []);
    rig.link.open();
    await rig.advance(1000);
    assert.deepEqual([answers, (await rig.turn(turn)).state], [[{ outcome: 'selected', optionId: 'yes' }], 'completed']);
  });
});
