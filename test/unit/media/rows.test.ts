import assert from 'node:assert/strict';
import { RowSplitter } from '../../../media/chat/rows.ts';
import { Transcript } from '../../../media/chat/transcript.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';

const tool = { kind: 'tool_call' as const, toolKind: 'read', title: 'Read', locations: [] };

function longTurn(items: number) {
  const script = new SessionScript();
  const turn = script.start('go');
  for (let n = 1; n < items; n += 1) script.done(turn, tool);
  const [transcript, splitter] = [new Transcript(), new RowSplitter()];
  return { script, turn, rows: () => splitter.rows(transcript.parts(script.view)) };
}

describe('the rows of a long turn', () => {
  it('stay the same objects where nothing in them changes, while the turn goes on', () => {
    const { script, turn, rows } = longTurn(70);
    const item = script.item(turn, { kind: 'agent_message' });
    const before = rows();
    assert.equal(before.length, 4);
    script.delta(item, 'more');
    const after = rows();
    assert.deepEqual(after.map((row, n) => row === before[n]), [true, true, true, false]);
    assert.deepEqual(rows().map((row, n) => row === after[n]), [true, true, true, true]);
  });

  it('change where an item of theirs does, where a request comes, and where they are no longer the last', () => {
    const { script, turn, rows } = longTurn(40);
    const before = rows();
    const second = script.view.items[5];
    assert.ok(second);
    script.ask(second, { kind: 'command', command: 'ls', cwd: '/', envNames: [] });
    const asked = rows();
    assert.deepEqual(asked.map((row, n) => [row === before[n], row.isWaiting]), [[false, true], [false, false]]);
    script.done(turn, tool);
    const grown = rows();
    assert.deepEqual(grown.map((row, n) => [row === asked[n], row.isLast]), [[true, false], [false, false], [false, true]]);
    script.endTurn(turn);
    assert.deepEqual(rows().map((row, n) => row === grown[n]), [false, false, false]);
  });

  it('hold no more than so much text, and leave one that grows where it is', () => {
    const { script, turn, rows } = longTurn(2);
    const keys = (): string[] => rows().map(({ slice, part }) => (slice ?? part.items.map((item) => ({ item }))).map(({ item }) => item.text.length).join('+'));
    script.done(turn, { kind: 'agent_message' }, 'x'.repeat(20_000));
    const growing = script.item(turn, { kind: 'agent_message' }, 'y');
    assert.deepEqual(keys(), ['2+0+20000+1']);
    script.delta(growing, 'y'.repeat(60_000));
    assert.deepEqual(keys(), ['2+0+20000+60001']);
    script.endItem(growing);
    script.done(turn, { kind: 'agent_message' }, 'z');
    assert.deepEqual(keys(), ['2+0+20000+60001', '1']);
  });
});
