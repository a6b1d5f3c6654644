import assert from 'node:assert/strict';
import { hasEnded } from '../../src/protocol/turn/state.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import * as ids from '../../src/protocol/ids.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { current, follow } from '../support/follow.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { attachParams, createGoal, delta, key, newClaim, newCommand, newHostSession, newMessage, startMessage, submit, TestHost } from '../support/testHost.ts';

describe('a turn between two clients', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let cli: TestClient;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    editor = await gateway.client();
    cli = await gateway.client({ kind: 'cli' });
  });
  afterEach(() => gateway.stop());

  const attach = (options = {}): Promise<TestHost> => TestHost.start(editor, { workspace: gateway.folder(), ...options });

  it('two windows that share their memory are told apart', async () => {
    const [first, second] = await Promise.all(['one', 'two'].map((windowId) => gateway.client({ clientId: 'shared', windowId })));
    const host = await TestHost.start(first!, { workspace: gateway.folder() });
    const { snapshot } = await second!.call('session/get', { sessionId: host.sessionId });
    assert.deepEqual(snapshot.session.executor, { state: 'connected', windowId: 'one', surface: 'vscode' });
    await expectRefusal('host_session_in_use', new TestHost(second!, host.session, host.hostSessionId).register());
  });

  it('A1 preview announces and writes nothing, A2 attach makes one ready session, A3 the same again is the same', async () => {
    await createGoal(editor, gateway.folder());
    const hostSessionId = newHostSession();
    const before = gateway.dump();
    const preview = await editor.call('session/attach', { ...attachParams({ workspace: gateway.folder(), hostSessionId }), preview: true });
    assert.deepEqual([preview.changed, preview.session], [true, null]);
    assert.deepEqual(gateway.dump(), before);

    const first = await editor.call('session/attach', attachParams({ workspace: gateway.folder(), hostSessionId }));
    assert.equal(first.created, true);
    const session = first.session!;
    assert.equal(session.status, 'ready');
    assert.equal(session.sessionMode, 'attached_host');
    assert.equal(session.bindingMatch, 'current');
    assert.deepEqual([...session.attachedCapabilities].sort(), ['claim_wait', 'interrupt', 'reply_readback', 'session_queue']);

    const again = await editor.call('session/attach', attachParams({ workspace: gateway.folder(), hostSessionId, channelId: session.channelId }));
    assert.deepEqual([again.created, again.session?.sessionId], [false, session.sessionId]);
    const list = await cli.call('session/list', { workspace: gateway.folder() });
    assert.deepEqual(list.sessions.map((each) => each.sessionId), [session.sessionId]);
  });

  it('A4 another host session on the same channel: conflict, nothing replaced', async () => {
    const host = await attach();
    const before = gateway.dump();
    await expectRefusal('attached_session_conflict', editor.call('session/attach', attachParams({ workspace: gateway.folder(), channelId: host.session.channelId })));
    assert.deepEqual(gateway.dump(), before);
  });

  it('A5 two clients attach one tuple at once: one session, both get it', async () => {
    await createGoal(editor, gateway.folder());
    const channelId = (await attach({ goal: 'other' })).session.channelId;
    const other = await gateway.client();
    const params = attachParams({ workspace: gateway.folder(), hostSessionId: newHostSession(), channelId });
    const answers = await Promise.all([editor, other].map((client) => client.call('session/attach', { ...params, commandId: newCommand() })));
    assert.equal(answers[0]?.session?.sessionId, answers[1]?.session?.sessionId);
    assert.deepEqual(answers.map(({ created }) => created).sort(), [false, true]);
  });

  it('A6 an instance id sent by a client is refused as an unknown field', async () => {
    await createGoal(editor, gateway.folder());
    const params = { ...attachParams({ workspace: gateway.folder() }), goalInstanceId: `ginst_${'0'.repeat(32)}` };
    await assert.rejects(editor.raw('session/attach', params), (error: { code?: number; data?: { kind?: string } }) => error.code === -32602 && error.data?.kind === 'invalid_params');
  });

  it('A8 editor and CLI submit into one FIFO with their origins; the gateway starts nothing by itself', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    await submit(cli, host.sessionId, 'two');
    await submit(editor, host.sessionId, 'three');
    const { turns } = await cli.call('turn/list', { sessionId: host.sessionId });
    assert.deepEqual(turns.map(({ text, origin, state }) => [text, origin, state]), [['one', 'vscode', 'queued'], ['two', 'cli', 'queued'], ['three', 'vscode', 'queued']]);
    for (const text of ['one', 'two', 'three']) {
      assert.equal((await host.claim())?.text, text);
      await host.complete(`did ${text}`);
    }
    assert.equal(await host.claim(), null);
  });

  it('A14 equal clientTurnId: same turn, one user message; A15 with another text: refused, nothing changed', async () => {
    const host = await attach();
    const clientTurnId = newMessage();
    const first = await submit(editor, host.sessionId, 'hello', clientTurnId);
    const second = await submit(cli, host.sessionId, 'hello', clientTurnId);
    assert.deepEqual([first.created, second.created], [true, false]);
    assert.equal(second.turn.turnId, first.turn.turnId);
    const { snapshot } = await editor.call('session/get', { sessionId: host.sessionId });
    assert.equal(snapshot.items.filter(({ data }) => data.kind === 'user_message').length, 1);
    const before = gateway.dump();
    await expectRefusal('idempotency_conflict', submit(editor, host.sessionId, 'goodbye', clientTurnId));
    assert.deepEqual(gateway.dump(), before);
  });

  it('A19 a waiting claim gets the turn of a submit while the clock stands still', async () => {
    const host = await attach();
    const claim = host.claim(1800);
    await submit(cli, host.sessionId, 'wake up');
    assert.equal((await claim)?.text, 'wake up');
  });

  it('A19 waiting claims do not count as in flight', async () => {
    const hosts = [];
    for (let n = 0; n < 70; n++) hosts.push(await TestHost.start(editor, { workspace: gateway.folder() }));
    const claims = hosts.map((host) => host.claim(1800));
    assert.equal((await editor.call('gateway/status', {})).pid, gateway.pid);
    await submit(editor, hosts[69]!.sessionId, 'x');
    assert.equal((await claims[69])?.text, 'x');
    editor.close();
    await Promise.allSettled(claims);
  });

  it('A20 a wait of 1801 s, of a negative time or of none is refused; 1800 s with a queued turn answers at once', async () => {
    const host = await attach();
    for (const wait of [1801, -1, 1e9]) await expectRefusal('claim_wait_invalid', host.claim(wait));
    await submit(editor, host.sessionId, 'now');
    assert.equal((await host.claim(1800))?.text, 'now');
  });

  it('A21 while one claim is active: the same claimId gets the same turn, another one nothing', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    await submit(editor, host.sessionId, 'two');
    const mine = newClaim();
    const turn = await host.claim(0, mine);
    assert.equal((await host.claim(0, mine))?.turnId, turn?.turnId);
    assert.equal(await host.claim(0, newClaim()), null);
  });

  it('A28 a claimId whose turn has ended is refused and never given another turn', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    const mine = newClaim();
    await host.claim(0, mine);
    await host.complete('done');
    await submit(editor, host.sessionId, 'two');
    await expectRefusal('claim_already_used', host.claim(0, mine));
    assert.equal((await host.claim())?.text, 'two');
  });

  it('A29 both clients see the answer stream in live, once, every item ended before turn.ended, the session ready', async () => {
    const host = await attach();
    const [a, b] = [await follow(editor, host.sessionId), await follow(cli, host.sessionId)];
    await submit(cli, host.sessionId, 'say hello');
    await host.claim();
    await host.report(startMessage('m'), delta('m', 'Hel'), delta('m', 'lo '));
    await host.report(delta('m', 'there'));
    const { created } = await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
    assert.equal(created, true);

    for (const sub of [a, b]) {
      const { client } = sub;
      const ended = await client.event(sub.id, 'turn.ended');
      assert.equal(ended.turn.state, 'completed');
      await client.event(sub.id, 'session.updated', ({ session }) => session.status === 'ready' && session.activeTurnId === null);
      const events = client.events(sub.id) as SessionEvent[];
      const ofTurn = events.filter((event) => event.seq < ended.seq);
      const open = new Map<string, string>();
      for (const event of ofTurn) if ('item' in event) open.set(event.item.itemId, event.item.state);
      assert.deepEqual([...open.values()].filter((state) => state === 'started'), [], 'every item ended before its turn');
      const view = current(sub);
      assert.equal(view.turns.at(-1)?.state, 'completed');
      assert.deepEqual(view.items.filter(({ data }) => data.kind === 'agent_message').map(({ text, state }) => [text, state]), [['Hello there', 'completed']]);
      const stored = (await client.call('session/get', { sessionId: host.sessionId })).snapshot;
      assert.deepEqual(current(sub), stored, 'the followed copy equals a fresh one');
    }
    assert.deepEqual(editor.events(a.id), cli.events(b.id), 'both got the very same events');
  });

  it('A30 the same completion again changes nothing, A31 another one is refused', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    await host.claim();
    const done = ids.completionId.parse('done');
    await host.complete('first', done);
    const again = await host.complete('second', done);
    assert.equal(again.created, false);
    const { snapshot } = await editor.call('session/get', { sessionId: host.sessionId });
    assert.deepEqual(snapshot.items.filter(({ data }) => data.kind === 'agent_message').map(({ text }) => text), ['first']);
    const before = gateway.dump();
    await expectRefusal('completion_conflict', host.complete('third', ids.completionId.parse('other')));
    assert.deepEqual(gateway.dump(), before);
  });

  it('A32 two equal completions at once: created once', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    await host.claim();
    const done = ids.completionId.parse('done');
    const answers = await Promise.all([host.complete('text', done), host.complete('text', done)]);
    assert.deepEqual(answers.map(({ created }) => created).sort(), [false, true]);
  });

  it('A37 an empty answer, or one of 200,001 characters: refused before any write; 200,000 are fine', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    await host.claim();
    const before = gateway.dump();
    await expectRefusal('response_empty', host.complete(''));
    await expectRefusal('response_too_long', host.complete('x'.repeat(200_001)));
    assert.deepEqual(gateway.dump(), before);
    assert.equal((await host.complete('x'.repeat(200_000))).turn.state, 'completed');
  });

  it('A27 another host session may neither register, claim nor report', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'one');
    const foreign = new TestHost(await gateway.client(), host.session, newHostSession());
    await expectRefusal('attached_session_host_mismatch', foreign.register());
    await expectRefusal('attached_session_host_mismatch', foreign.claim());
  });

  it('A42 cancel of a queued turn ends only that one', async () => {
    const host = await attach();
    const one = await submit(editor, host.sessionId, 'one');
    const two = await submit(editor, host.sessionId, 'two');
    const { turn } = await cli.call('turn/cancel', { commandId: newCommand(), turnId: two.turn.turnId });
    assert.equal(turn?.state, 'cancelled');
    assert.equal((await editor.call('turn/get', { turnId: one.turn.turnId })).turn.state, 'queued');
  });

  it('A47 no session, but a ready executor: unbound', async () => {
    const host = await attach();
    const unused = ids.channelId.parse(`chn_${'0'.repeat(26)}`);
    const { readback } = await cli.call('channel/readback', { workspace: gateway.folder(), channelId: unused });
    assert.deepEqual([readback.sessionMode, readback.sessionModeSource, readback.sessionStatus], [null, 'unbound', null]);
    const bound = await cli.call('channel/readback', { workspace: gateway.folder(), channelId: host.session.channelId });
    assert.deepEqual([bound.readback.sessionMode, bound.readback.sessionModeSource, bound.readback.sessionStatus, bound.readback.available], ['attached_host', 'session_readback', 'ready', true]);
  });

  it('B18 a client finds active turns that it did not start', async () => {
    const host = await attach();
    const { turn } = await submit(editor, host.sessionId, 'one');
    await host.claim();
    const { turns } = await cli.call('turn/list', { sessionId: host.sessionId, states: ['running'] });
    assert.deepEqual(turns.map(({ turnId }) => turnId), [turn.turnId]);
    assert.equal(hasEnded(turns[0]!.state), false);
  });

  it('C15 a queued message is delivered exactly once, also when it comes in the instant the turn ends', async () => {
    const host = await attach();
    await submit(editor, host.sessionId, 'first');
    await host.claim();
    const next = host.claim(1800);
    await Promise.all([host.complete('done'), submit(cli, host.sessionId, 'second')]);
    const claimed = (await next) ?? (await host.claim());
    assert.equal(claimed?.text, 'second');
    assert.equal(await host.claim(0, newClaim()), null);
    await eventually('the list shows both', async () => (await cli.call('turn/list', { sessionId: host.sessionId })).turns.length === 2);
  });

  it('B11 two windows that submit at once a hundred times: one order, the same on both, nothing lost or doubled', async () => {
    const host = await attach();
    const other = await gateway.client();
    const seen = await Promise.all([follow(editor, host.sessionId), follow(other, host.sessionId)]);
    for (let round = 0; round < 100; round++) {
      await Promise.all([submit(editor, host.sessionId, `a${round}`), submit(other, host.sessionId, `b${round}`)]);
      for (let n = 0; n < 2; n++) {
        await host.claim();
        await host.complete(`answer to ${host.turn?.text}`);
      }
    }
    const { snapshot } = await editor.call('session/get', { sessionId: host.sessionId });
    for (const each of seen) await eventually('it has caught up', () => current(each).head === snapshot.head);
    const [mine, theirs] = seen.map((each) => current(each).turns.map(({ turnIdx, text, state }) => `${turnIdx} ${text} ${state}`));
    assert.deepEqual(mine, theirs);
    assert.equal(mine?.length, 200);
    for (const window of ['a', 'b']) {
      assert.deepEqual(current(seen[0]!).turns.map(({ text }) => text).filter((text) => text.startsWith(window)), Array.from({ length: 100 }, (_, n) => `${window}${n}`));
    }
    assert.deepEqual(mine?.map((line) => Number(line.split(' ')[0])), Array.from({ length: 200 }, (_, n) => n + 1));
  });

  it('B9 another folder’s sessions: not found by id, not granted by name, nothing over a subscription', async () => {
    const host = await attach();
    const { turn } = await submit(editor, host.sessionId, 'secret');
    const outsider = await gateway.client({ folders: [gateway.folder('elsewhere')] });
    await expectRefusal('not_found', outsider.call('session/get', { sessionId: host.sessionId }));
    await expectRefusal('not_found', outsider.call('turn/get', { turnId: turn.turnId }));
    await expectRefusal('not_found', outsider.call('sub/subscribe', { scope: { session: host.sessionId } }));
    await expectRefusal('not_found', submit(outsider, host.sessionId, 'x'));
    await expectRefusal('workspace_not_granted', outsider.call('session/list', { workspace: gateway.folder() }));
    await expectRefusal('workspace_not_granted', outsider.call('sub/subscribe', { scope: { workspace: gateway.folder() } }));
    const neighbour = await gateway.client({ folders: [`${gateway.folder()}-two`] });
    await expectRefusal('workspace_not_granted', neighbour.call('session/list', { workspace: gateway.folder() }));
  });

  it('an untrusted folder is read-only', async () => {
    const host = await attach();
    const reader = await gateway.client({ trusted: false });
    assert.equal((await reader.call('session/get', { sessionId: host.sessionId })).snapshot.session.sessionId, host.sessionId);
    const before = gateway.dump();
    await expectRefusal('workspace_untrusted', submit(reader, host.sessionId, 'x'));
    await expectRefusal('workspace_untrusted', createGoal(reader, gateway.folder(), 'g2'));
    assert.deepEqual(gateway.dump(), before);
  });
});
