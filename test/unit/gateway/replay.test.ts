import assert from 'node:assert/strict';
import { ReplayCache, type ReplayRow, type TurnSnapshot } from '../../../src/gateway/events/replayCache.ts';
import type { SessionId, TurnId } from '../../../src/protocol/ids.ts';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { answerOf, itemStart, Story } from './support/story.ts';

describe('the replay of a turn', () => {
  let gw: CoreHarness;
  let story: Story;
  let reads = 0;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    gw.observe = ({ kind }) => {
      if (kind === 'read') reads += 1;
    };
  });
  afterEach(() => gw.close());

  const replay = (turnId: string, after?: number) => story.host.call('turn/replay', { turnId, ...(after === undefined ? {} : { after }) });
  const texts = async (turnId: string) => (await replay(turnId)).rows.map(({ item }) => item.text);
  const finished = async (n = 1) => {
    const turnId = await story.run(`claim-${n}`, `question ${n}`);
    await story.complete(turnId, answerOf(`answer ${n}`), { claimId: `claim-${n}`, completionId: `completion-${n}` });
    return turnId;
  };
  const readsOf = async (call: () => Promise<unknown>) => {
    reads = 0;
    await call();
    return reads;
  };

  it('A50 twenty of a finished turn cost at most one read of the store; what is appended is served', async () => {
    const turnId = await finished();
    assert.equal(await readsOf(async () => {
      for (let round = 0; round < 20; round++) assert.deepEqual(await texts(turnId), ['question 1', 'answer 1']);
    }), 1);
    await assert.rejects(story.complete(turnId, answerOf('too late'), { completionId: 'late' }), { kind: 'completion_conflict' });
    story.tamper('turns', { completionId: null });
    await assert.rejects(story.complete(turnId, answerOf('too late'), { completionId: 'late' }), { kind: 'turn_not_active' });
    assert.deepEqual(await texts(turnId), ['question 1', 'answer 1', 'too late']);
  });

  it('A50 a turn that goes on is read each time', async () => {
    const turnId = await story.run();
    await story.report([itemStart('m'), { op: 'item.delta', itemKey: 'm', text: 'so far' }]);
    assert.deepEqual(await texts(turnId), ['do it', 'so far']);
    await story.report([{ op: 'item.delta', itemKey: 'm', text: ', and on' }]);
    assert.deepEqual(await texts(turnId), ['do it', 'so far, and on']);
  });

  it('A51 the least recently replayed of nine finished turns goes', async () => {
    const turnIds: string[] = [];
    for (let n = 1; n <= 9; n++) turnIds.push(await finished(n));
    const [first = '', second = '', ...others] = turnIds;
    for (const turnId of [first, second, ...others.slice(0, 6)]) await replay(turnId);
    await replay(first);
    assert.equal(await readsOf(() => replay(others[6] ?? '')), 1);
    assert.equal(await readsOf(() => replay(first)), 0);
    assert.equal(await readsOf(() => replay(second)), 1);
  });

  it('A52 a turn of 4097 rows is served whole and not kept', async () => {
    const turnId = await story.run();
    const ops = Array.from({ length: 4095 }, (_, n) => ({ ...itemStart(`i${n}`), text: 'x', state: 'completed' as const }));
    for (let from = 0; from < ops.length; from += 1000) await story.report(ops.slice(from, from + 1000));
    await story.complete(turnId);
    assert.equal((await replay(turnId)).rows.length, 4097);
    assert.equal(await readsOf(() => replay(turnId)), 1);
  });

  it('A52 a turn of 2 MiB in one row is served whole and not kept, one that just fits is', async () => {
    const big = await story.run();
    await story.report([{ ...itemStart('big'), text: 'x'.repeat(2 * 1024 * 1024), state: 'completed' as const }]);
    await story.complete(big);
    assert.equal((await replay(big)).rows.find(({ seq }) => seq === 1)?.item.textLength, 2 * 1024 * 1024);
    assert.equal(await readsOf(() => replay(big)), 1);
    const fits = await story.run('claim-2');
    await story.report([{ ...itemStart('fits'), text: 'x'.repeat(2 * 1024 * 1024 - 5000), state: 'completed' as const }], 'claim-2');
    await story.complete(fits, undefined, { claimId: 'claim-2', completionId: 'completion-2' });
    await replay(fits);
    assert.equal(await readsOf(() => replay(fits)), 0);
  });

  it('is read on from where an answer ended', async () => {
    const turnId = await story.run();
    for (const name of ['a', 'b', 'c']) await story.report([{ ...itemStart(name), text: name.repeat(1_900_000), state: 'completed' as const }]);
    await story.complete(turnId);
    const first = await replay(turnId);
    assert.deepEqual([first.rows.map(({ seq }) => seq), first.next], [[0, 1, 2], 2]);
    assert.deepEqual([(await replay(turnId, 2)).rows.map(({ seq }) => seq), (await replay(turnId, 2)).next], [[3, 4], null]);
  });

  it('stays within a frame, whatever the characters are', async () => {
    const turnId = await story.run();
    await story.report([{ ...itemStart('cut'), text: '\u0001'.repeat(1_000_000), state: 'completed' as const }]);
    for (const name of ['a', 'b', 'c']) await story.report([{ ...itemStart(name), text: '€'.repeat(1_000_000), state: 'completed' as const }]);
    await story.complete(turnId);
    const seqs: number[] = [];
    for (let next: number | null | undefined; next !== null;) {
      const answer: Awaited<ReturnType<typeof replay>> = await replay(turnId, next);
      assert.ok(Buffer.byteLength(JSON.stringify(answer)) < 5 * 1024 * 1024);
      seqs.push(...answer.rows.map(({ seq }) => seq));
      const cut = answer.rows.find(({ seq }) => seq === 1)?.item;
      if (cut !== undefined) assert.deepEqual([cut.text.length, cut.textLength], [512 * 1024, 1_000_000]);
      next = answer.next;
    }
    assert.deepEqual(seqs, [0, 1, 2, 3, 4, 5]);
  });

  it('is refused to whom the folder was not granted, and of a deleted session to everybody, also where it is kept', async () => {
    const turnId = await finished();
    await replay(turnId);
    const foreign = gw.client('foreign', 'editor', [{ path: '/w/other', trusted: true }]);
    await refused(gw, 'not_found', () => foreign.call('turn/replay', { turnId }));
    await story.onSession('session/close');
    await replay(turnId);
    await story.host.call('session/delete', { commandId: 'delete', sessionId: story.sessionId });
    await refused(gw, 'not_found', () => replay(turnId));
  });
});

describe('the replay cache', () => {
  const turn = 'trn_a' as TurnId;
  const row = (seq: number, text = 'x'): ReplayRow => ({ seq, item: Buffer.from(JSON.stringify({ text })) });
  const snapshot = (rows: readonly ReplayRow[], turnId = turn): TurnSnapshot => ({ turnId, sessionId: 'ses_a' as SessionId, workspace: '/w', rows });

  it('A53 a replay that started before an append cannot retain the old snapshot', () => {
    const cache = new ReplayCache();
    const [before, other] = [cache.begin(turn), cache.begin('trn_b' as TurnId)];
    cache.changed(turn);
    cache.retain(before, snapshot([row(1)]));
    assert.equal(cache.find(turn), undefined);
    cache.retain(other, snapshot([row(1)], 'trn_b' as TurnId));
    assert.ok(cache.find('trn_b' as TurnId), 'that of another turn is not concerned');
    cache.retain(cache.begin(turn), snapshot([row(1), row(2)]));
    assert.equal(cache.find(turn)?.rows.length, 2);
    cache.changed(turn);
    assert.equal(cache.find(turn), undefined);
  });

  it('A54 cursor 4 over rows 1, 4, 7 gives 7 and touches no earlier row', () => {
    const cache = new ReplayCache();
    const rows = [row(1), row(4), row(7)];
    const kept = snapshot(rows);
    cache.retain(cache.begin(turn), kept);
    for (const early of rows.slice(0, 2)) Object.defineProperty(early, 'item', { get: () => assert.fail('an earlier row was touched') });
    for (const early of rows.slice(0, 2)) Object.defineProperty(early, 'seq', { get: () => assert.fail('an earlier row was touched') });
    const after = (seq: number) => cache.after(cache.find(turn) ?? kept, seq);
    assert.deepEqual(after(4).map(({ seq }) => seq), [7]);
    assert.deepEqual([after(5).length, after(6).length, after(7).length, after(99).length], [1, 1, 0, 0]);
    assert.equal(after(0).length, 3);
    assert.equal(after(1).length, 2);
  });

  it('counts what it keeps in turns, rows and bytes, and stays within each', () => {
    const cache = new ReplayCache({ turns: 3, rows: 5, bytes: 1000 });
    const keep = (name: string, rows: readonly ReplayRow[]) => {
      const turnId = `trn_${name}` as TurnId;
      cache.retain(cache.begin(turnId), snapshot(rows, turnId));
    };
    const has = (...names: string[]) => names.map((name) => cache.find(`trn_${name}` as TurnId) !== undefined);
    keep('a', [row(0), row(1)]);
    keep('b', [row(0), row(1)]);
    assert.deepEqual(has('a'), [true]);
    keep('c', [row(0), row(1)]);
    assert.deepEqual([has('b', 'a', 'c'), cache.size.rows], [[false, true, true], 4]);
    keep('d', [row(0, 'x'.repeat(980))]);
    assert.deepEqual([has('a', 'c', 'd'), cache.size.turns], [[false, false, true], 1]);
    keep('e', [row(0, 'x'.repeat(1000))]);
    assert.deepEqual(has('d', 'e'), [true, false]);
    cache.forget('ses_a' as SessionId);
    assert.deepEqual(cache.size, { turns: 0, rows: 0, bytes: 0 });
  });
});
