import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { StoreStep } from '../../../src/gateway/store/store.ts';
import { foldText, rangesOf } from '../../../src/gateway/search/foldText.ts';
import { WordSearch, type Excerpt } from '../../../src/gateway/search/wordSearch.ts';
import type { SearchHit } from '../../../src/protocol/session/commands.ts';
import { CoreHarness, refused, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { digestOf, hex, itemStart, Story } from './support/story.ts';

const look = (words: string, ...texts: string[]): Excerpt | null => {
  const search = new WordSearch(words).look(texts);
  for (;;) {
    const { done, value } = search.next();
    if (done === true) return value;
  }
};
const marked = ({ excerpt, ranges }: Excerpt | SearchHit): string[] => ranges.map(({ start, end }) => excerpt.slice(start, end));

describe('words of a search', () => {
  it('are found whatever their case and however Unicode writes them, and marked as they are written', () => {
    const cases: [string, string, string[]][] = [
      ['hello', 'Say HELLO, Hello', ['HELLO', 'Hello']], ['strasse', 'Die STRASSE, die Straße', ['STRASSE', 'Straße']], ['οδος', 'ΟΔΟΣ οδός Οδος', ['ΟΔΟΣ', 'Οδος']],
      ['café', 'cafe\u0301 und CAFÉ', ['cafe\u0301', 'CAFÉ']], ['cafe\u0301', 'café', ['café']], ['filter', 'ﬁlter ＦＩＬＴＥＲ', ['ﬁlter', 'ＦＩＬＴＥＲ']],
      ['テスト', 'これはﾃｽﾄです', ['ﾃｽﾄ']], ['문제', '\u1106\u116e\u11ab\u110c\u1166 없음', ['\u1106\u116e\u11ab\u110c\u1166']], ['測試', '請測試一下', ['測試']], ['👍🏽', 'ok 👍🏽!', ['👍🏽']],
    ];
    for (const [word, text, expected] of cases) assert.deepEqual(marked(look(word, text) ?? { excerpt: '', ranges: [] }), expected, word);
  });

  it('must all occur, in whatever order and of whichever text; otherwise nothing is found', () => {
    assert.deepEqual(marked(look('gamma alpha', 'Alpha beta', 'GAMMA') ?? { excerpt: '', ranges: [] }), ['Alpha']);
    assert.equal(look('alpha delta', 'alpha beta gamma'), null);
    assert.equal(look('a.c', 'abc'), null, 'no pattern');
    assert.equal(new WordSearch(' \t\n\u3000').isEmpty, true);
  });

  it('are found in long texts, across the pieces in which those are looked at, in a short excerpt', () => {
    for (const at of [0, 128 * 1024 - 3, 128 * 1024, 300_000]) {
      const text = `${'x'.repeat(at)}Needle ${'y'.repeat(200_000)}haystack`;
      const found = look('needle haystack', text);
      assert.ok(found !== null && found.excerpt.length <= 240, String(at));
      assert.deepEqual(marked(found), ['Needle']);
    }
    assert.deepEqual(marked(look('b', `\u{1f600}${'\u{1f600}'.repeat(200)}b`) ?? { excerpt: '', ranges: [] }), ['b']);
  });

  it('ranges lie within the text, in order, apart, and around what folds to a word', () => {
    const letter = fc.constantFrom('a', 'A', 'ß', 'S', 'é', 'e\u0301', 'ﬁ', 'İ', 'ı', 'Σ', 'ς', ' ', '\u{1f600}', '\ud800', '가', '\u1100\u1161', 'ﾃ', '\u0301');
    const text = fc.array(letter, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(fc.property(text, fc.array(letter, { minLength: 1, maxLength: 3 }).map((parts) => foldText(parts.join('')).trim()).filter((word) => word !== ''), (where, word) => {
      const ranges = rangesOf(where, [word], 5);
      let last = 0;
      for (const { start, end } of ranges) {
        assert.ok(start >= last && end > start && end <= where.length);
        assert.ok(foldText(where.slice(start, end)).includes(word));
        last = end;
      }
    }));
  });
});

describe('session/search', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const search = async (text: string, more: { limit?: number; cursor?: string } = {}, by: TestClient = story.host) => by.call('session/search', { workspace: WORKSPACE, text, ...more });
  const kinds = async (text: string) => (await search(text)).hits.map(({ kind }) => kind);

  it('finds titles, messages of both sides, tools, commands and paths; never what a tool or command printed, or a thought', async () => {
    await story.host.call('session/rename', { commandId: 'r', sessionId: story.sessionId, title: 'Apples in the title' });
    await story.run('claim-1', 'Please count the APPLES');
    const change = { path: `${WORKSPACE}/fruit/Apples.ts`, label: 'x', before: null, after: digestOf('x'), added: 1, removed: 0, lines: [{ t: '+' as const, text: 'apples' }], linesCut: false };
    await story.report([
      { op: 'item.start', itemKey: 'm', data: { kind: 'agent_message' }, text: 'There are two apples' },
      { op: 'item.end', itemKey: 'm', state: 'completed' },
      { op: 'item.start', itemKey: 'h', data: { kind: 'thought' }, text: 'apples?' },
      { op: 'item.start', itemKey: 't', data: { kind: 'tool_call', toolKind: 'read', title: 'Read apples', locations: [{ path: '/w/demo/x' }] }, text: 'output: apples' },
      { op: 'item.start', itemKey: 'u', data: { kind: 'tool_call', toolKind: 'read', title: 'Read', locations: [{ path: '/w/demo/apples' }] } },
      itemStart('e', { kind: 'edit', mode: 'hosted', change }),
      { op: 'item.start', itemKey: 'c', data: { kind: 'command', command: 'grep -r apples .', cwd: WORKSPACE, envNames: [], exitCode: null, signal: null, cut: 0 }, text: 'apples apples' },
    ]);
    assert.deepEqual(await kinds('apples'), ['session_title', 'command', 'edit', 'tool_call', 'tool_call', 'agent_message', 'user_message']);
    assert.deepEqual(await kinds('output'), []);
    assert.deepEqual(await kinds('apples two'), ['agent_message']);
    const [hit] = (await search('two')).hits;
    assert.deepEqual([hit?.sessionId, hit?.turnId, hit?.excerpt, hit?.ranges], [story.sessionId, story.snapshot().turns[0]?.turnId, 'There are two apples', [{ start: 10, end: 13 }]]);
    assert.ok(story.snapshot().items.some(({ itemId }) => itemId === hit?.itemId));
    const { sessions } = await search('apples');
    assert.deepEqual(sessions, (await story.host.call('session/list', { workspace: WORKSPACE })).sessions, 'each session of the hits once, as lists have it');
  });

  it('finds text that still streams, in an archived and in a closed session, too', async () => {
    const turnId = await story.run();
    await story.report([itemStart('m'), { op: 'item.delta', itemKey: 'm', text: 'half a pom' }, { op: 'item.delta', itemKey: 'm', text: 'egranate' }]);
    assert.deepEqual(await kinds('pomegranate'), ['agent_message']);
    await story.complete(turnId);
    await story.onSession('session/close');
    await story.host.call('session/archive', { commandId: 'a', sessionId: story.sessionId, archived: true });
    assert.deepEqual(await kinds('pomegranate'), ['agent_message']);
  });

  it('leads through everything once, the newest first, by its cursor', async () => {
    for (let n = 0; n < 12; n++) await story.submit(`fig ${n}`);
    await story.host.call('session/rename', { commandId: 'r', sessionId: story.sessionId, title: 'Figs' });
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Awaited<ReturnType<typeof search>> = await search('fig', { limit: 5, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.hits.length <= 5);
      seen.push(...page.hits.map(({ excerpt }) => excerpt));
      cursor = page.next;
    }
    assert.deepEqual(seen, ['Figs', ...Array.from({ length: 12 }, (_, n) => `fig ${11 - n}`)]);
    await refused(gw, 'not_found', () => search('fig', { cursor: 'nonsense' }));
    assert.deepEqual(await search('  '), { hits: [], sessions: [], next: null });
  });

  it('never finds a deleted session, not even one that is deleted meanwhile; a foreign folder is refused', async () => {
    const other = await Story.begin(gw, { hostSessionId: hex('other') });
    const { turn } = await other.submit('quince');
    await other.cancel(turn.turnId);
    const [found] = await Promise.all([search('quince'), other.host.call('session/delete', { commandId: 'd', sessionId: other.sessionId })]);
    assert.deepEqual(found.hits, []);
    assert.deepEqual((await search('quince')).hits, []);
    await other.host.call('session/undelete', { commandId: 'u', sessionId: other.sessionId });
    assert.deepEqual(await kinds('quince'), ['session_title', 'user_message']);
    await refused(gw, 'workspace_not_granted', () => search('quince', {}, gw.client('foreign', 'cli', [{ path: '/w/other', trusted: true }])));
  });

  it('passes over other folders, finds nothing of them, and ends', async () => {
    const row = { ...gw.store.get<Record<string, string | number | null>>('SELECT * FROM sessions'), sessionId: `ses_${'1'.repeat(26)}`, workspace: '/w/other', title: 'kiwi' };
    gw.store.insert('sessions', row);
    await story.submit('kiwi');
    const item = gw.store.get<Record<string, string | number | null>>('SELECT * FROM items') ?? {};
    for (let n = 0; n < 1000; n++) gw.store.insert('items', { ...item, itemNo: 1000 + n, itemId: `itm_${String(n).padStart(26, '0')}`, sessionId: row.sessionId, idx: n });
    assert.deepEqual((await search('kiwi')).hits.map(({ sessionId }) => sessionId), [story.sessionId, story.sessionId]);
  });

  it('works in slices: nothing else waits for more than one of them, and whoever gives up is not worked for', async () => {
    await story.submit('the first message');
    gw.store.run(
      `WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 9999)
       INSERT INTO items (itemNo, itemId, sessionId, turnId, turnIdx, idx, state, outcome, rev, data, text, textLength, startedAt)
       SELECT 1000 + n, 'itm_' || printf('%026d', n), sessionId, turnId, turnIdx, 1 + n, state, outcome, rev, data, 'message ' || n || ?, 250, startedAt FROM items, counted`, ' lorem ipsum'.repeat(20));
    let rows = 0;
    let most = 0;
    const { store } = gw;
    const read = store.all.bind(store);
    store.all = ((sql: string, ...values: string[]) => {
      const found = read(sql, ...values);
      rows += found.length;
      return found;
    }) as typeof store.all;
    let rounds = 0;
    let going = true;
    const count = (): void => {
      rounds += 1;
      most = Math.max(most, rows);
      rows = 0;
      if (going) setImmediate(count);
    };
    setImmediate(count);
    const hits = await Promise.all([search('first'), search('9999 lorem')]).finally(() => {
      going = false;
    });
    assert.deepEqual(hits.map(({ hits: found }) => found.map(({ excerpt }) => excerpt.slice(0, 17))), [['the first message', 'the first message'], ['message 9999 lore']]);
    assert.ok(rounds >= 100, `${rounds} rounds`);
    assert.ok(most <= 500, `${most} rows in one round`);

    const gone = new AbortController();
    const steps: StoreStep[] = [];
    gw.observe = (step) => steps.push(step);
    const abandoned = story.host.call('session/search', { workspace: WORKSPACE, text: 'first' }, gone.signal);
    gone.abort();
    await assert.rejects(abandoned, { kind: 'connection_closed' });
    assert.deepEqual(steps, []);
  }).timeout(30_000);
});
