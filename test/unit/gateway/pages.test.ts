import assert from 'node:assert/strict';
import type { Item } from '../../../src/protocol/item/state.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import type { SessionPage } from '../../../src/protocol/subscription/state.ts';
import { CoreHarness, refused, WORKSPACE, type Loose } from './support/coreHarness.ts';
import { answerOf, command, commandItem, digestOf, itemStart, Story } from './support/story.ts';
import type { ReportOp } from '../../../src/protocol/host/commands.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const said = (itemKey: string, text: string): Loose<ReportOp> => ({ op: 'item.start', itemKey, data: { kind: 'agent_message' }, text, state: 'completed' });

describe('pages of the transcript', () => {
  let gw: CoreHarness;
  let story: Story;
  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  async function turnWith(at: number, count: number, text: (n: number) => string): Promise<string> {
    const turnId = await story.run(`claim-${at}`, `message ${at}`);
    for (let n = 0; n < count; n += 500) {
      await story.report(Array.from({ length: Math.min(500, count - n) }, (_, k) => said(`i${n + k}`, text(n + k))), `claim-${at}`);
    }
    return turnId;
  }

  const finish = (at: number, turnId: string) => story.complete(turnId, answerOf('done'), { claimId: `claim-${at}`, completionId: `c${at}` });

  /** Reads on from a page to the beginning, as a reader does that scrolls up. */
  async function upwards(from: SessionPage): Promise<{ items: Item[]; largest: number; pages: number }> {
    let page = from;
    let items = [...page.items];
    let largest = bytesOf(page);
    let pages = 1;
    while (page.earlier !== null) {
      const { earlier: before, earlierItem: beforeItem } = page;
      ({ page } = await story.host.call('session/history', { sessionId: story.sessionId, before, ...(beforeItem === undefined ? {} : { beforeItem }) }));
      items = [...page.items, ...items];
      largest = Math.max(largest, bytesOf(page));
      pages += 1;
    }
    return { items, largest, pages };
  }

  it('stay within their size and leave nothing out, however many items a turn has', async () => {
    const first = await turnWith(1, 3, (n) => `short ${n}`);
    await finish(1, first);
    const long = await turnWith(2, 6000, (n) => `${'日本語'.repeat(30)} ${n}`);
    await finish(2, long);
    const last = await turnWith(3, 2, (n) => `end ${n}`);
    await finish(3, last);
    const snapshot = story.snapshot();
    assert.ok(bytesOf(snapshot) < LIMITS.snapshotBytes * 1.2, 'a page is counted in bytes, not in characters');
    assert.equal(snapshot.earlier, 2);
    assert.ok((snapshot.earlierItem ?? 0) > 0, 'it begins within the long turn');
    const { items, largest, pages } = await upwards(snapshot);
    assert.ok(largest < LIMITS.snapshotBytes * 1.2 && pages > 3);
    assert.deepEqual(items.map(({ turnIdx, idx }) => [turnIdx, idx]), [5, 6002, 4].flatMap((count, turn) => Array.from({ length: count }, (_, idx) => [turn + 1, idx])));
    assert.equal(new Set(items.map(({ itemId }) => itemId)).size, items.length);
  });

  it('hold large texts by their heads, and read on by item', async () => {
    const text = `${'🙂'.repeat(700_000)}end`;
    const turnId = await turnWith(1, 40, () => 'z'.repeat(60_000));
    const { items: [started] } = await story.report([itemStart('big')], 'claim-1');
    await story.report([{ op: 'item.delta', itemKey: 'big', text }], 'claim-1');
    await story.report([{ op: 'item.end', itemKey: 'big', state: 'completed' }], 'claim-1');
    const head = story.snapshot().items.find(({ itemId }) => itemId === started?.itemId);
    assert.deepEqual([head?.textLength, head !== undefined && text.startsWith(head.text), bytesOf(head?.text) <= LIMITS.inlineDataBytes + 2], [text.length, true, true]);
    let whole = '';
    do {
      const { item } = await story.host.call('item/get', { itemId: started!.itemId, offset: whole.length });
      assert.ok(bytesOf(item) < LIMITS.frameBytes && item.text !== '' && item.textLength === text.length);
      whole += item.text;
    } while (whole.length < text.length);
    assert.equal(whole, text);
    await finish(1, turnId);
    const { items, largest } = await upwards(story.snapshot());
    assert.deepEqual([items.length, largest < LIMITS.snapshotBytes * 1.2], [43, true]);
  });

  it('show a text that the store keeps in another form from its beginning', async () => {
    await story.run();
    const text = `nul \0 ${'x'.repeat(100_000)} \ud83d`;
    await story.report([said('odd', text), itemStart('open'), { op: 'item.delta', itemKey: 'open', text }]);
    const shown = story.snapshot().items.filter(({ data }) => data.kind === 'agent_message');
    assert.deepEqual(shown.map((item) => [text.startsWith(item.text), item.text.length > 60_000, item.textLength]), [[true, true, text.length], [true, true, text.length]]);
  });

  it('C06 a running turn that outgrew its page is there with its pending requests and what still grows, also behind a queue', async () => {
    const turnId = await story.run();
    await story.report([commandItem('early'), itemStart('thinking', { kind: 'thought' })]);
    const asked = await story.ask(command('touch a.txt'), { itemKey: 'early' });
    await story.report(Array.from({ length: 60 }, (_, n) => said(`i${n}`, 'y'.repeat(50_000))));
    for (let n = 0; n < 3; n++) await story.submit(`${n} ${'q'.repeat(300_000)}`, `queued-${n}`);
    const snapshot = story.snapshot();
    assert.ok(bytesOf(snapshot) < LIMITS.frameBytes);
    assert.deepEqual(snapshot.turns.map(({ state }) => state), ['waiting', 'queued', 'queued', 'queued']);
    assert.equal(snapshot.session.activeTurnId, turnId);
    assert.deepEqual(snapshot.approvals.map(({ approvalId, status }) => [approvalId, status]), [[asked.approvalId, 'pending']]);
    assert.deepEqual(snapshot.items.slice(0, 2).map(({ data, state }) => [data.kind, state]), [['command', 'started'], ['thought', 'started']]);
    assert.ok(snapshot.items.length > 10 && snapshot.earlierItem !== undefined);
  });

  it('messages that wait are together no longer than one may be', async () => {
    await story.submit('a'.repeat(600_000), 'first');
    await refused(gw, 'session_queue_full', () => story.submit('b'.repeat(600_000), 'second'));
    const { turn } = await story.submit('c', 'third');
    await refused(gw, 'session_queue_full', () => story.host.call('queue/edit', { commandId: story.host.command(), turnId: turn.turnId, text: 'd'.repeat(600_000), expectedRev: turn.rev }));
    await story.claim();
    await story.submit('b'.repeat(600_000), 'second');
  });

  it('messages whose time is over and that nobody has settled take no more room than others', async () => {
    for (let n = 0; n < 6; n++) {
      await story.submit(`${n}${'x'.repeat(900_000)}`, `hour-${n}`);
      await gw.clock.advance(LIMITS.queueTtlMs + 1);
    }
    const snapshot = story.snapshot();
    assert.ok(bytesOf(snapshot) < LIMITS.snapshotBytes * 1.2);
    const { items, largest } = await upwards(snapshot);
    assert.ok(largest < LIMITS.snapshotBytes * 1.2);
    assert.deepEqual(items.map(({ turnIdx }) => turnIdx), [1, 2, 3, 4, 5, 6]);
  });

  it('many requests at once stay within a frame; one more than may wait is told to come later', async () => {
    await story.run();
    const change = (n: number) => ({
      path: `${WORKSPACE}/f${n}`, label: `f${n}`, before: null, after: digestOf(`${n}`), added: 400, removed: 0, linesCut: false,
      lines: Array.from({ length: 100 }, () => ({ t: '+' as const, text: 'é'.repeat(500) })),
    });
    const ask = (n: number) => story.ask({ kind: 'edit', mode: 'hosted', changes: [change(n)] });
    for (let n = 0; n < LIMITS.pendingApprovals; n++) await ask(n);
    await refused(gw, 'overloaded', () => ask(99));
    const snapshot = story.snapshot();
    assert.ok(bytesOf(snapshot) < LIMITS.frameBytes / 2);
    assert.equal(snapshot.approvals.length, LIMITS.pendingApprovals);
    const [one] = snapshot.approvals;
    assert.deepEqual(one?.subject.kind === 'edit' && [one.subject.changes[0]?.lines.length, one.subject.changes[0]?.linesCut], [0, true]);
    const { approval } = await story.host.call('approval/get', { approvalId: one!.approvalId });
    assert.equal(approval.subject.kind === 'edit' && approval.subject.changes[0]?.lines.length, 100);
    await story.decide(approval, 'allow');
    await ask(99);
  });
});

describe('lists of a folder', () => {
  let gw: CoreHarness;
  let story: Story;
  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  it('stay within a frame with many goals, and keep the live and newest ones', async () => {
    const objective = 'o'.repeat(20_000);
    for (let n = 0; n < 120; n++) {
      await gw.clock.advance(1);
      await story.host.call('goal/create', { commandId: story.host.command(), workspace: WORKSPACE, goalId: `g${n}`, title: `Goal ${n}`, objective });
      if (n < 10 || n > 100) await story.host.call('goal/retire', { commandId: story.host.command(), workspace: WORKSPACE, goalId: `g${n}`, expectedLifetime: 1 });
    }
    const { goals } = await story.host.call('goal/list', { workspace: WORKSPACE });
    assert.ok(bytesOf(goals) < 1.1 * 1024 * 1024);
    assert.deepEqual([goals.every(({ state }) => state === 'live'), goals.at(-1)?.goalId], [true, 'g100']);
  });

  it('do not repeat what each agent offers, which its session has', async () => {
    const commands = Array.from({ length: 300 }, (_, n) => ({ name: `command-${n}`, description: 'd'.repeat(500) }));
    await story.host.call('host/agent', { sessionId: story.sessionId, hostRunId: story.hostRunId, agent: { name: 'Agent', commands } });
    assert.equal(story.snapshot().session.agent.commands.length, 300);
    const { sessions } = await story.host.call('session/list', { workspace: WORKSPACE });
    const { sessions: followed } = story.host.workspace(WORKSPACE);
    for (const [listed] of [sessions, followed]) assert.deepEqual([listed?.agent.name, listed?.agent.commands], ['Agent', []]);
    const told = gw.published.filter(({ scope }) => 'workspace' in scope).flatMap(({ events }) => events).at(-1);
    assert.deepEqual(told?.type === 'session.updated' && told.session.agent.commands, []);
  });

  it('one thing that is told is bounded, whoever tells it', async () => {
    await story.run();
    const entries = Array.from({ length: 300 }, () => ({ content: 'p'.repeat(9000), status: 'pending' as const }));
    await refused(gw, 'too_large', () => story.reportAs(1, [itemStart('plan', { kind: 'plan', entries })]));
    const commands = Array.from({ length: 500 }, (_, n) => ({ name: `command-${n}`, description: 'd'.repeat(2000), hint: 'h'.repeat(500) }));
    await refused(gw, 'too_large', () => story.host.call('host/agent', { sessionId: story.sessionId, hostRunId: story.hostRunId, agent: { commands } }));
    const lines = Array.from({ length: 400 }, () => ({ t: '+' as const, text: 'x'.repeat(3000) }));
    const change = { path: `${WORKSPACE}/f`, label: 'f', before: null, after: digestOf('f'), added: 400, removed: 0, linesCut: false, lines };
    await refused(gw, 'too_large', () => story.ask({ kind: 'edit', mode: 'hosted', changes: [change] }));
  });
});
