import assert from 'node:assert/strict';
import { decodeEvents } from '../../../src/gateway/events/encodedEvents.ts';
import type { AnyEvent, SessionEvent, WorkspaceEvent } from '../../../src/protocol/subscription/events.ts';
import { applySessionEvent, applyWorkspaceEvent } from '../../../src/protocol/subscription/reducer.ts';
import type { Scope, SessionSnapshot, WorkspaceSnapshot } from '../../../src/protocol/subscription/state.ts';
import { CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { command, commandItem, itemStart, Story } from './support/story.ts';

/** In an order of its own: events say what, not where in a list. */
function sorted(view: SessionSnapshot): SessionSnapshot {
  const by = <T>(list: readonly T[], key: (entry: T) => string): T[] => [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return { ...view, turns: by(view.turns, ({ turnId }) => turnId), items: by(view.items, ({ itemId }) => itemId), approvals: by(view.approvals, ({ approvalId }) => approvalId) };
}

describe('events', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  /** The whole log of a scope as it can be read. */
  function logOf(scope: Scope): { first: number; head: number; events: AnyEvent[] } {
    const { first, head } = gw.core.logEnds(story.host.principal, scope);
    const events: AnyEvent[] = [];
    for (let at = first - 1; at < head; at = events.at(-1)?.seq ?? head) {
      const batch = gw.core.events(story.host.principal, scope, at, 500);
      events.push(...(batch === null ? [] : decodeEvents(batch)));
    }
    return { first, head, events };
  }

  /** Everything that can happen to a session, step by step. */
  async function* richStory(): AsyncGenerator<string> {
    const cli = gw.client('cli', 'cli');
    const turnId = await story.run('claim-1', 'first');
    yield 'claimed';
    await story.report([itemStart('m'), { op: 'item.delta', itemKey: 'm', text: 'Hello' }, commandItem('c'), { op: 'turn.usage', usage: { inputTokens: 1 } }]);
    yield 'reported';
    const first = await story.ask(undefined, { itemKey: 'c' });
    const second = await story.ask(command('other'));
    yield 'asked';
    await story.decide(first, 'allow', cli);
    await story.report([{ op: 'effect.begin', itemKey: 'c', approvalId: first.approvalId, actionDigest: first.actionDigest }, { op: 'item.delta', itemKey: 'c', text: 'out' }]);
    await story.decide(second, 'deny', cli);
    await story.ask(command('automatic'), { auto: { optionId: 'allow', rule: 'policy:x' } });
    yield 'decided';
    await story.report([{ op: 'effect.end', itemKey: 'c' }, { op: 'item.update', itemKey: 'c', text: 'output' }, { op: 'item.end', itemKey: 'c', state: 'completed' }]);
    await story.report([{ op: 'session.agent', agent: { name: 'A', contextUsed: 3 }, title: 'Named' }]);
    const queued = await story.submit('second', 'from-cli', cli);
    await story.submit('third');
    await cli.call('queue/edit', { commandId: 'e', turnId: queued.turn.turnId, text: 'second, edited', expectedRev: queued.turn.rev });
    yield 'queued';
    await story.complete(turnId, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'm' } });
    yield 'completed';
    const next = await story.claim('claim-2');
    await story.report([itemStart('x', { kind: 'thought' })], 'claim-2');
    if (next.claimed) await story.cancel(next.turn.turnId, cli);
    yield 'cancelling';
    story.host.disconnect();
    yield 'disconnected';
    await gw.clock.advance(10_000);
    yield 'interrupted';
    await gw.clock.advance(20_000);
    yield 'executor gone';
    await story.reconnect();
    await story.onSession('queue/resume');
    await story.claim('claim-3');
    await story.ask(command('lost'), { claimId: 'claim-3' });
    await gw.clock.advance(30_000);
    yield 'lost';
    await story.register();
    await story.host.call('session/rename', { commandId: 'r', sessionId: story.sessionId, title: 'Mine' });
    await story.submit('fourth');
    await story.recreate();
    yield 'recreated';
    await story.onSession('session/close');
    yield 'closed';
  }

  it('bring a client’s copy to exactly the state that a snapshot shows, at every step', async () => {
    const view = story.snapshot();
    const folder = gw.core.snapshot(story.host.principal, { workspace: WORKSPACE });
    assert.ok('workspace' in folder);
    const workspace: WorkspaceSnapshot = structuredClone(folder.workspace);
    let sessionSeen = gw.sessionEvents(story.sessionId).length;
    let workspaceSeen = gw.workspaceEvents().length;
    for await (const step of richStory()) {
      for (const event of gw.sessionEvents(story.sessionId).slice(sessionSeen)) assert.equal(applySessionEvent(view, structuredClone(event)).kind, 'applied', step);
      for (const event of gw.workspaceEvents().slice(workspaceSeen)) assert.equal(applyWorkspaceEvent(workspace, structuredClone(event) as WorkspaceEvent).kind, 'applied', step);
      sessionSeen = gw.sessionEvents(story.sessionId).length;
      workspaceSeen = gw.workspaceEvents().length;
      assert.deepEqual(sorted(view), sorted(story.snapshot()), step);
      const now = gw.core.snapshot(story.host.principal, { workspace: WORKSPACE });
      assert.ok('workspace' in now);
      assert.deepEqual(workspace.goals, now.workspace.goals, step);
      assert.deepEqual(workspace.sessions.filter(({ status }) => status !== 'closed'), now.workspace.sessions, step);
      assert.equal(workspace.head, now.workspace.head, step);
    }
  });

  it('are numbered without a gap, name their cause, and stay in the store as they were told', async () => {
    for await (const step of richStory()) assert.ok(step);
    for (const scope of [{ session: story.sessionId as never }, { workspace: WORKSPACE }]) {
      const told = 'session' in scope ? gw.sessionEvents(story.sessionId) : gw.workspaceEvents();
      const { first, head, events } = logOf(scope);
      assert.deepEqual(events, JSON.parse(JSON.stringify(told)));
      assert.deepEqual(events.map(({ seq }) => seq), events.map((_, at) => at + 1));
      assert.deepEqual([first, head], [1, events.length]);
      assert.ok(events.every(({ causedBy }) => causedBy.clientId !== ''));
    }
    const submitted = gw.sessionEvents(story.sessionId).find((event) => event.type === 'turn.updated' && event.turn.text === 'second');
    assert.deepEqual(submitted?.causedBy, { clientId: 'cli', commandId: 'from-cli' });
    const batch = gw.core.events(story.host.principal, { session: story.sessionId as never }, 3, 2);
    assert.deepEqual([batch?.first, batch?.last], [4, 5]);
  });

  it('turn.ended is the last event of its turn, with every item and request at its end', async () => {
    for await (const step of richStory()) assert.ok(step);
    const events = gw.sessionEvents(story.sessionId);
    const ends = events.flatMap((event, at) => (event.type === 'turn.ended' ? [{ at, turnId: event.turn.turnId }] : []));
    assert.equal(ends.length, 4);
    for (const { at, turnId } of ends) {
      const of = (event: SessionEvent): boolean => ('turn' in event && event.turn.turnId === turnId) || ('item' in event && event.item.turnId === turnId)
        || ('approval' in event && event.approval.turnId === turnId) || (event.type === 'item.delta' && event.turnId === turnId);
      assert.ok(!events.slice(at + 1).some(of));
      const before = events.slice(0, at);
      const items = new Map(before.flatMap((event) => ('item' in event && event.item.turnId === turnId ? [[event.item.itemId, event.item.state]] : [])));
      const approvals = new Map(before.flatMap((event) => ('approval' in event && event.approval.turnId === turnId ? [[event.approval.approvalId, event.approval.status]] : [])));
      assert.ok([...items.values()].every((state) => state !== 'started'));
      assert.ok([...approvals.values()].every((status) => status !== 'pending'));
    }
  });

  it('are told after the commit, in order, also when a listener causes more', async () => {
    const order: number[] = [];
    const listener = gw.core.onCommitted(({ scope, events }) => {
      if (!('workspace' in scope)) return;
      order.push(...events.map(({ seq }) => seq));
      if (order.length === 1) void story.host.call('goal/create', { commandId: 'nested', workspace: WORKSPACE, title: 'nested' });
    });
    const second: number[] = [];
    gw.core.onCommitted(({ scope, events }) => {
      if (!('workspace' in scope)) return;
      second.push(...events.map(({ seq }) => seq));
      assert.ok(gw.core.logEnds(story.host.principal, scope).head >= second.at(-1)!, 'what is told is in the store');
    });
    await story.host.call('goal/create', { commandId: 'outer', workspace: WORKSPACE, title: 'outer' });
    await story.submit();
    listener.dispose();
    assert.ok(order.length >= 3);
    assert.deepEqual(order, order.map((_, at) => order[0]! + at));
    assert.deepEqual(second, order, 'every listener hears the same order');
  });

  it('a listener that fails changes nothing for the one who asked', async () => {
    gw.core.onCommitted(() => {
      throw new Error('a bad listener');
    });
    assert.equal((await story.submit()).created, true);
    assert.equal(story.snapshot().turns.length, 1);
  });

  it('of a failed commit are not told, and memory is as before', async () => {
    const before = gw.dump();
    const told = gw.published.length;
    story.host.disconnect();
    const afterCut = gw.published.length;
    assert.ok(afterCut > told);
    story.host = gw.client(story.host.principal.clientId);
    gw.observe = ({ kind }) => {
      if (kind === 'commit') throw new Error('disk trouble');
    };
    await assert.rejects(story.register(), /disk trouble/);
    await assert.rejects(story.submit(), /disk trouble/);
    gw.observe = () => undefined;
    assert.equal(gw.published.length, afterCut);
    assert.equal(story.snapshot().session.executor.state, 'disconnected', 'a registration that failed is none');
    assert.deepEqual(gw.dump(['events', 'scopes']), Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'events' && name !== 'scopes')));
  });
});
