import assert from 'node:assert/strict';
import { AttacheError } from '../../src/protocol/errors.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { isActive } from '../../src/protocol/turn/state.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { current, follow, lastText } from '../support/follow.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import type { TestClient } from '../support/testClient.ts';
import { decide, delta, key, newMessage, startCommand, startMessage, submit, TestHost } from '../support/testHost.ts';

describe('what is left after something died', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let host: TestHost;
  let main: string;
  before(async () => {
    main = await bundleGateway('test/support/gatewayMain.ts');
  });
  beforeEach(async () => {
    gateway = await GatewayHarness.start({ main });
    editor = await gateway.client();
    host = await TestHost.start(editor, { workspace: gateway.folder() });
  });
  afterEach(() => gateway.stop());

  const work = async (): Promise<void> => {
    await submit(editor, host.sessionId, 'work');
    await host.claim();
  };
  const crash = async (): Promise<TestClient> => {
    await gateway.kill9();
    await gateway.restart();
    return gateway.client();
  };
  const turnNow = async (client: TestClient) => (await client.call('turn/get', { turnId: host.turn!.turnId })).turn;

  it('every character that a client was shown survives kill -9 of the gateway', async () => {
    await work();
    const seen = await follow(editor, host.sessionId);
    await host.report(startMessage('m'));
    let sending = true;
    const stream = (async () => {
      for (let n = 0; sending; n++) await host.report(delta('m', `${n} `));
    })().catch((error: unknown) => {
      if (!(error instanceof AttacheError)) throw error;
    });
    await eventually('something was shown', () => (lastText(current(seen), 'agent_message')?.length ?? 0) > 500);
    await gateway.kill9();
    sending = false;
    await Promise.all([stream, editor.peer.closed]);
    const shown = lastText(current(seen), 'agent_message') ?? '';
    assert.ok(shown.length > 500);

    await gateway.restart();
    const later = await gateway.client();
    const stored = lastText((await later.call('session/get', { sessionId: host.sessionId })).snapshot, 'agent_message') ?? '';
    assert.ok(stored.startsWith(shown), 'what was shown is the beginning of what is kept');
  });

  for (const at of ['write', 'commit', 'committed'] as const) {
    it(`killed just before the step “${at}” of a delta: nothing was shown that is not kept, and the host’s repeat completes it`, async () => {
      await work();
      const seen = await follow(editor, host.sessionId);
      await host.report(startMessage('m'), delta('m', 'kept '));
      await editor.raw('test/fail', { at, how: 'kill' });
      await assert.rejects(host.report(delta('m', 'perhaps')), (error) => error instanceof AttacheError && error.kind === 'connection_closed');
      await editor.peer.closed;
      const shown = lastText(current(seen), 'agent_message') ?? '';
      await gateway.restart();
      const back = await gateway.client();
      const text = async (): Promise<string> => lastText((await back.call('session/get', { sessionId: host.sessionId })).snapshot, 'agent_message') ?? '';
      const stored = await text();
      assert.ok(stored.startsWith(shown), `“${shown}” was shown, “${stored}” is kept`);
      assert.equal(stored, at === 'committed' ? 'kept perhaps' : 'kept ');
      // The host does not know the outcome: it sends the very same report again.
      await back.call('host/register', { ...host.target, hostSessionId: host.hostSessionId, hostSurface: 'vscode' });
      await back.call('host/report', { ...host.target, claimId: host.claimId, reportSeq: 2, ops: [delta('m', 'perhaps')] });
      assert.equal(await text(), 'kept perhaps');
    });
  }

  it('A46 kill -9 of the gateway in mid-turn: the same run goes on with the same claim, and its text goes on where it was', async () => {
    await work();
    await host.report(startMessage('m'), delta('m', 'before '));
    const back = await crash();
    assert.ok(back.hello.epoch > editor.hello.epoch);
    const { active } = await host.register(back);
    assert.deepEqual([active?.turn.turnId, active?.claimId, active?.nextReportSeq], [host.turn?.turnId, host.claimId, 2]);
    await host.report(delta('m', 'after'));
    await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
    const { snapshot } = await back.call('session/get', { sessionId: host.sessionId });
    assert.equal(lastText(snapshot, 'agent_message'), 'before after');
    assert.equal(snapshot.session.status, 'ready');
  });

  it('A46 the same run back after 5 s on a new link goes on; the waiting clients see no end', async () => {
    await work();
    editor.close();
    await gateway.advance(5000);
    const back = await gateway.client();
    assert.equal((await turnNow(back)).state, 'running');
    assert.equal((await host.register(back)).active?.claimId, host.claimId);
    await gateway.advance(LIMITS.leaseMs - 1);
    assert.equal((await turnNow(back)).state, 'running');
    assert.equal((await host.complete('done')).turn.state, 'completed');
  });

  it('A46 B7 a new run of the same window ends the turn of its predecessor at once', async () => {
    await work();
    await host.report(startMessage('m'), delta('m', 'half'));
    await gateway.left(editor);
    const fresh = host.restarted(await gateway.client());
    const { active } = await fresh.register();
    assert.equal(active, null);
    const turn = await turnNow(fresh.client);
    assert.deepEqual([turn.state, turn.cause], ['interrupted', 'executor_restarted']);
    const { snapshot } = await fresh.client.call('session/get', { sessionId: host.sessionId });
    assert.equal(snapshot.session.status, 'ready');
    assert.equal(lastText(snapshot, 'agent_message'), 'half');
    assert.ok(snapshot.items.every(({ state }) => state !== 'started'));
  });

  it('a second live window with the same conversation (a duplicated one) is refused and changes nothing', async () => {
    await work();
    const before = gateway.dump();
    await expectRefusal('host_session_in_use', host.restarted(await gateway.client()).register());
    assert.deepEqual(gateway.dump(), before);
    assert.equal((await host.renew()).turnState, 'running');
  });

  it('A46 the host dies in mid-turn: after 30 s and not before, interrupted and executor_lost, session stale, requests orphaned', async () => {
    await work();
    await host.report(startCommand('c', 'make', gateway.folder()));
    const asked = await host.ask('make', key('c'));
    const witness = await gateway.client({ kind: 'cli' });
    const seen = await follow(witness, host.sessionId);
    editor.close();
    await gateway.advance(LIMITS.leaseMs - 1);
    assert.ok(isActive((await turnNow(witness)).state));
    await gateway.advance(1);
    const ended = await witness.event(seen.id, 'turn.ended');
    assert.deepEqual([ended.turn.state, ended.turn.cause], ['interrupted', 'executor_lost']);
    await witness.event(seen.id, 'session.updated', ({ session }) => session.status === 'stale');
    const view = current(seen);
    assert.notEqual(view.session.executor.state, 'connected');
    assert.equal(view.approvals.find(({ approvalId }) => approvalId === asked.approvalId)?.status, 'orphaned');
    assert.ok(view.items.every(({ state }) => state !== 'started'));
  });

  it('A46b a frozen host with an open socket: the same as dead', async () => {
    await work();
    await gateway.advance(LIMITS.leaseMs);
    const turn = await turnNow(editor);
    assert.deepEqual([turn.state, turn.cause], ['interrupted', 'executor_lost']);
  });

  it('A46 renewing keeps the lease', async () => {
    await work();
    for (let n = 0; n < 10; n++) {
      await gateway.advance(LIMITS.renewMs);
      assert.equal((await host.renew()).turnState, 'running');
    }
    assert.equal((await host.complete('late but alive')).turn.state, 'completed');
  });

  it('A46c a late complete is refused and its text kept as a notice', async () => {
    await work();
    await gateway.advance(LIMITS.leaseMs);
    await expectRefusal('turn_not_active', host.complete('what I found'));
    await expectRefusal('turn_not_active', host.complete('what I found'));
    const { snapshot } = await editor.call('session/get', { sessionId: host.sessionId });
    const notices = snapshot.items.filter(({ data, text }) => data.kind === 'notice' && text.includes('what I found'));
    assert.equal(notices.length, 1);
  });

  it('B6 kill -9 with no host back: 30 s after the restart nothing runs, what had begun is of unknown outcome, the queue is kept', async () => {
    await work();
    await submit(editor, host.sessionId, 'next');
    await host.report(startCommand('c', 'make', gateway.folder()), startMessage('m', 'so far'));
    const asked = await host.ask('make', key('c'));
    await decide(editor, asked, 'yes');
    await host.report({ op: 'effect.begin', itemKey: key('c'), approvalId: asked.approvalId, actionDigest: asked.actionDigest });
    const back = await crash();
    assert.ok(isActive((await turnNow(back)).state), 'the host may still come back');
    await gateway.advance(LIMITS.leaseMs);
    const turn = await turnNow(back);
    assert.deepEqual([turn.state, turn.cause], ['interrupted', 'executor_lost']);
    const { snapshot } = await back.call('session/get', { sessionId: host.sessionId });
    const outcomes = new Map(snapshot.items.map(({ data, outcome }) => [data.kind, outcome]));
    assert.equal(outcomes.get('command'), 'unknown');
    assert.equal(outcomes.get('agent_message'), 'known');
    assert.deepEqual(snapshot.turns.map(({ text, state }) => [text, state]), [['work', 'interrupted'], ['next', 'queued']]);
    assert.ok(snapshot.items.every(({ state, turnId }) => state !== 'started' || turnId !== turn.turnId));
  });

  it('B6 kill -9 at each write of a completion: afterwards there is one answer and one end, or none and the host completes again', async function () {
    // A restart for each write.
    this.timeout(120_000);
    for (let step = 0; step < 40; step++) {
      const { turn } = await submit(editor, host.sessionId, `work ${step}`);
      await host.claim();
      await host.report(startMessage('m', `answer ${step}`));
      const before = gateway.pid;
      await editor.raw('test/fail', { at: 'write', after: step, how: 'kill' });
      const completed = await host.complete(`answer ${step}`).then(() => true, () => false);
      if (completed) {
        assert.ok(step > 0, 'at least one write was interrupted');
        return;
      }
      await eventually('the gateway has died', () => !isAlive(before));
      await gateway.restart();
      editor = await gateway.client();
      await host.register(editor);
      const stored = (await editor.call('turn/get', { turnId: turn.turnId })).turn;
      if (stored.state !== 'completed') await host.complete(`answer ${step}`);
      const { snapshot } = await editor.call('session/get', { sessionId: host.sessionId });
      assert.equal(snapshot.turns.find(({ turnId }) => turnId === turn.turnId)?.state, 'completed');
      const answers = snapshot.items.filter((item) => item.turnId === turn.turnId && item.data.kind === 'agent_message' && item.text === `answer ${step}`);
      assert.ok(answers.length >= 1 && answers.every(({ state }) => state === 'completed'));
      assert.equal(snapshot.session.status, 'ready');
    }
    assert.fail('a completion takes more than 40 writes');
  });

  it('B12 every answer lost once: the repeat with the same key has one effect', async () => {
    const clientTurnId = newMessage();
    await editor.raw('test/fail', { at: 'reply', method: 'turn/submit', how: 'drop' });
    const lost = submit(editor, host.sessionId, 'once', clientTurnId);
    const settled = lost.catch((error: AttacheError) => error.kind);
    await eventually('it was stored', async () => (await (await gateway.client({ kind: 'cli' })).call('turn/list', { sessionId: host.sessionId })).turns.length === 1);
    editor.close();
    assert.equal(await settled, 'connection_closed');
    editor = await gateway.client();
    const again = await submit(editor, host.sessionId, 'once', clientTurnId);
    assert.equal(again.created, false);
    assert.equal((await editor.call('turn/list', { sessionId: host.sessionId })).turns.length, 1);
  });

  it('a turn handed out on a link that died before the answer goes to the same claimId again', async () => {
    await submit(editor, host.sessionId, 'once');
    await editor.raw('test/fail', { at: 'reply', method: 'host/claim', how: 'drop' });
    const lost = host.claim().catch((error: AttacheError) => error.kind);
    const witness = await gateway.client({ kind: 'cli' });
    await eventually('it was handed out', async () => (await witness.call('turn/list', { sessionId: host.sessionId, states: ['running'] })).turns.length === 1);
    editor.close();
    assert.equal(await lost, 'connection_closed');
    const back = await gateway.client();
    const { active } = await host.register(back);
    assert.equal(active?.turn.text, 'once');
    assert.equal((await host.claim(0, active!.claimId))?.text, 'once');
  });

  it('a store that fails in the middle of a command refuses it and keeps nothing of it', async () => {
    const before = gateway.dump();
    await editor.raw('test/fail', { at: 'commit', how: 'throw' });
    await assert.rejects(submit(editor, host.sessionId, 'x'));
    assert.deepEqual(gateway.dump(), before);
    assert.equal((await submit(editor, host.sessionId, 'x')).created, true);
  });

  it('C14 a message sent just before the gateway is killed is there exactly once after the resend', async () => {
    for (let round = 0; round < 5; round++) {
      const clientTurnId = newMessage();
      const sent = submit(editor, host.sessionId, `m${round}`, clientTurnId).catch((error: AttacheError) => error.kind);
      await gateway.kill9();
      await sent;
      await gateway.restart();
      editor = await gateway.client();
      await submit(editor, host.sessionId, `m${round}`, clientTurnId);
      const { turns } = await editor.call('turn/list', { sessionId: host.sessionId });
      assert.equal(turns.filter(({ text }) => text === `m${round}`).length, 1);
    }
  });
});
