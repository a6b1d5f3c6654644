import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeFrame, FrameDecoder, FrameError } from '../../../src/connector/frames.ts';

const all = (decoder: FrameDecoder): string[] => {
  const bodies: string[] = [];
  for (let body = decoder.next(); body !== null; body = decoder.next()) bodies.push(body.toString());
  return bodies;
};

describe('frames', () => {
  it('come out whole and in order, however the bytes are cut', () => {
    fc.assert(fc.property(fc.array(fc.json(), { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (texts, cuts) => {
      const bytes = Buffer.concat(texts.map((text) => encodeFrame(JSON.parse(text))));
      const decoder = new FrameDecoder(1 << 20);
      const bodies: string[] = [];
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const size = cuts[n % cuts.length] ?? 1;
        decoder.push(bytes.subarray(at, at + size));
        bodies.push(...all(decoder));
        at += size;
      }
      assert.deepEqual(bodies.map((body) => JSON.parse(body) as unknown), texts.map((text) => JSON.parse(text) as unknown));
    }));
  });

  it('count bytes, not characters', () => {
    const decoder = new FrameDecoder(100);
    decoder.push(Buffer.concat([encodeFrame('日本語🙂'), encodeFrame('b')]));
    assert.deepEqual(all(decoder), ['"日本語🙂"', '"b"']);
  });

  it('leave what follows for another reader', () => {
    const decoder = new FrameDecoder(100);
    decoder.push(Buffer.concat([encodeFrame(1), Buffer.from('rest')]));
    assert.equal(decoder.next()?.toString(), '1');
    assert.equal(decoder.rest().toString(), 'rest');
    assert.equal(decoder.rest().length, 0);
  });

  it('take other headers and any case', () => {
    const decoder = new FrameDecoder(100);
    decoder.push(Buffer.from('Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  2 \r\n\r\n{}'));
    assert.deepEqual(all(decoder), ['{}']);
  });

  it('may be as large as the limit and not one byte larger', () => {
    const decoder = new FrameDecoder(5);
    decoder.push(Buffer.from('Content-Length: 5\r\n\r\n"abc"'));
    assert.deepEqual(all(decoder), ['"abc"']);
    decoder.push(Buffer.from('Content-Length: 6\r\n\r\n'));
    assert.throws(() => decoder.next(), (error) => error instanceof FrameError && error.reason === 'too_large');
  });

  for (const [name, bytes] of [
    ['no length', 'Content-Type: x\r\n\r\n'],
    ['a negative length', 'Content-Length: -2\r\n\r\n'],
    ['a length with a sign', 'Content-Length: +2\r\n\r\n'],
    ['a hexadecimal length', 'Content-Length: 0x2\r\n\r\n'],
    ['a length beyond all numbers', `Content-Length: ${'9'.repeat(400)}\r\n\r\n`],
    ['an endless header', 'a'.repeat(5000)],
    ['a long header that does end', `${'a'.repeat(5000)}\r\n\r\n`],
  ] as const) {
    it(`with ${name} are refused`, () => {
      const decoder = new FrameDecoder(100);
      decoder.push(Buffer.from(bytes));
      assert.throws(() => decoder.next(), (error) => error instanceof FrameError && error.reason === 'malformed');
    });
  }
});
