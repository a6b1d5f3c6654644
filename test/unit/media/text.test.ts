import assert from 'node:assert/strict';
import fc from 'fast-check';
import { baseName, firstLine, foldLines, showHidden, showReordering } from '../../../media/chat/format/text.ts';
import { terminalText } from '../../../src/base/terminalText.ts';
import { clockTime, duration } from '../../../media/chat/format/time.ts';
import { NOON } from '../../support/panelHarness/states.ts';

const marked = (text: string): string => showHidden(text).map((segment) => (segment.mark ? `<${segment.text}>` : segment.text)).join('');

describe('hidden characters', () => {
  it('are shown by their number in code', () => {
    assert.equal(marked('echo \u202E mr\u200B \u0007'), 'echo <U+202E> mr<U+200B> <U+0007>');
    assert.equal(marked('tag\u{E0041}'), 'tag<U+E0041>');
    assert.equal(marked('plain\ttext\nwith שלום'), 'plain\ttext\nwith שלום');
  });

  it('are left alone where they are part of a picture or of honest spelling', () => {
    assert.equal(marked('👩‍💻 👩🏽‍💻 ❤️‍🔥'), '👩‍💻 👩🏽‍💻 ❤️‍🔥');
    assert.equal(marked('a\u200Db'), 'a<U+200D>b');
    assert.deepEqual(showReordering('می‌خواهم\u200F').map(({ mark }) => mark), [false]);
    assert.deepEqual(showReordering('a\u202Eb').map(({ mark }) => mark), [false, true, false]);
  });

  it('take nothing of the text away', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const rebuilt = showHidden(text).map((segment) => (segment.mark ? String.fromCodePoint(Number.parseInt(segment.text.slice(2), 16)) : segment.text)).join('');
      assert.equal(rebuilt, text);
    }));
  });
});

describe('terminal text', () => {
  it('C26 is what stands on the screen at the end', () => {
    const frames = Array.from({ length: 500 }, (_, n) => `\u001B[2K\r[##   ] ${n} %`).join('');
    assert.equal(terminalText(`${frames}\n\u001B[31mdone`), '[##   ] 499 %\ndone');
  });

  it('C26 holds no escape sequence', () => {
    assert.equal(terminalText('\u001B]0;title\u0007a\u001B]8;;https://evil.example\u001B\\link\u001B]8;;\u001B\\\u001B[1;31mb\u001B(B\u009B0mc'), 'alinkbc');
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('\u001B', '[', ']', ';', '0', 'm', '\u0007', '\\', 'P', '\r', '\b', '\n', 'x', '\u009B') }), (text) => {
      assert.doesNotMatch(terminalText(text), /[\u001B\u009B\r\b]/);
    }));
  });

  it('keeps ordinary line ends', () => {
    assert.equal(terminalText('a\r\nb\r\n'), 'a\nb\n');
    assert.equal(terminalText('abc\b\bX'), 'aX');
  });
});

describe('folding', () => {
  it('keeps the beginning and the end and counts the rest', () => {
    const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n');
    const { head, hidden, tail } = foldLines(text, 5, 8);
    assert.deepEqual([head.split('\n').length, hidden, tail.split('\n').length, tail.split('\n').at(-1)], [5, 87, 8, 'line 99']);
    assert.deepEqual(foldLines('a\nb\n', 5, 8), { head: 'a\nb', hidden: 0, tail: '' });
  });

  it('shortens names', () => {
    assert.equal(baseName('/home/me/demo/'), 'demo');
    assert.equal(baseName('C:\\work\\demo'), 'demo');
    assert.equal(firstLine(`${'x'.repeat(200)}\nsecond`, 10), 'xxxxxxxxx…');
  });
});

describe('times', () => {
  it('are given as people say them', () => {
    assert.deepEqual([0, 4000, 65_000, 120_000, 7_380_000].map(duration), ['1 s', '4 s', '1 min 5 s', '2 min', '2 h 3 min']);
    assert.equal(clockTime(NOON, NOON + 1000, 'en-GB'), '14:02');
    assert.equal(clockTime(NOON, NOON + 86_400_000, 'en-GB'), '14 May, 14:02');
  });
});
