import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lastBytes, OutputBuffer } from '../../../src/execution/outputBuffer.ts';
import { TerminalText } from '../../../src/execution/terminalText.ts';

function finalText(...chunks: readonly string[]): string {
  const text = new TerminalText();
  return chunks.map((chunk) => text.push(chunk)).join('') + text.end();
}

describe('TerminalText', () => {
  it('C26 five hundred progress frames end as one line', () => {
    const frames = Array.from({ length: 500 }, (_, index) => `\r\x1b[2K\x1b[32m[##   ] ${String(index)}%\x1b[0m`);
    assert.equal(finalText(...frames, '\ndone\n'), '[##   ] 499%\ndone\n');
  });

  it('C26 titles, links and an unclosed colour leave only the words', () => {
    assert.equal(finalText('\x1b]0;title\x07a \x1b]8;;http://x.test\x1b\\link\x1b]8;;\x1b\\ \x1b[31mred\n'), 'a link red\n');
  });

  it('C26 a title that was never closed takes nothing with it but its own line', () => {
    assert.equal(finalText('\x1b]0;title\nnext\n', 'more\n'), '\nnext\nmore\n');
    assert.equal(finalText('a\n\x1b]0;tit', 'le\nb\n'), 'a\n\nb\n');
    assert.equal(finalText('\x1bPq#0\nb\n'), '\nb\n');
  });

  it('C26 controls of one byte are controls, too', () => {
    assert.equal(finalText('a\x9b31mred\x9b0m\n'), 'ared\n');
    assert.equal(finalText('\x9d8;;http://x.test\x9clink\x9d8;;\x9c\n'), 'link\n');
    assert.equal(finalText('1%\r\x9b2K2%\x80\n'), '2%\n');
  });

  it('C26 a cleared screen begins anew, blanks and gaps are what they say', () => {
    assert.equal(finalText('abc\x1b[2J\x1b[Hdef\n'), 'def\n');
    assert.equal(finalText('abc\r\x1b[Jd\n'), 'd\n');
    assert.equal(finalText('abcdef\r\x1b[3Xz\n'), 'z  def\n');
    assert.equal(finalText('abc\r\x1b[2@z\n'), 'z abc\n');
  });

  it('a carriage return overwrites only what is written over', () => {
    assert.equal(finalText('100%\rab\n'), 'ab0%\n');
    assert.equal(finalText('abc\r\x1b[Kd\n'), 'd\n');
    assert.equal(finalText('abc\b\bX\n'), 'aXc\n');
    assert.equal(finalText('one\r\ntwo\r\n'), 'one\ntwo\n');
  });

  it('the last line stays unsettled until it ends', () => {
    const text = new TerminalText();
    assert.equal(text.push('a\nbc'), 'a\n');
    assert.equal(text.unsettled, 'bc');
    assert.equal(text.push('d\n'), 'bcd\n');
    assert.equal(text.end(), '');
  });

  it('an escape that begins no sequence holds nothing back', () => {
    assert.equal(finalText('\x1bé and \x1b[31\nmore'), 'é and [31\nmore');
    assert.equal(new TerminalText().push('\x1bé\n'), 'é\n');
  });

  it('moves to the right without end make no line without end', () => {
    const text = finalText(`${'\x1b[10000C'.repeat(100_000)}x\n`);
    assert.ok(text.length <= 10_002 && text.endsWith('x\n'));
    const long = 'y'.repeat(20_000);
    assert.equal(finalText(`${long}\x1b[5Cz\n`), `${long}z\n`);
  });

  it('gives the same text however the output is cut into pieces', () => {
    const part = fc.constantFrom('ab', '\n', '\r', '\r\n', '\b', '\x1b[2K', '\x1b[K', '\x1b[31m', '\x1b]0;t\x07', '\x1b]0;u\x1b\\', '\x1b]0;v', '\x9b31m', '\x1b[2J\x1b[H', '\x1b[3X', '\t', 'é');
    fc.assert(fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const all = parts.join('');
      assert.equal(finalText(...all), finalText(all));
    }));
  });
});

describe('OutputBuffer', () => {
  it('C25 keeps the end and never half a character', () => {
    const buffer = new OutputBuffer(10);
    buffer.append('✅✅✅✅');
    assert.deepEqual(buffer.read(), { text: '✅✅✅', truncated: true });
  });

  it('C25 holds any text within its limit, as an end of what was written', () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 6 })), fc.integer({ min: 0, max: 30 }), (pieces, limit) => {
      const buffer = new OutputBuffer(limit);
      for (const piece of pieces) buffer.append(piece);
      const { text, truncated } = buffer.read();
      const all = pieces.join('').toWellFormed();
      assert.ok(Buffer.byteLength(text) <= limit);
      assert.ok(all.endsWith(text));
      assert.equal(truncated, text !== all);
      assert.equal(text.isWellFormed(), true);
    }));
  });

  it('lastBytes leaves out a character that would be cut', () => {
    assert.deepEqual(lastBytes('aé', 2), { text: 'é', bytes: 2 });
    assert.deepEqual(lastBytes('aé', 1), { text: '', bytes: 0 });
  });
});
