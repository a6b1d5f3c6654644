import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exactText, visibleJson, visibleText } from '../../../src/client/visibleText.ts';

const wild = fc.string({ unit: fc.oneof(fc.integer({ min: 0, max: 0x2fff }), fc.integer({ min: 0x200b, max: 0x206f }), fc.constantFrom(0x1b, 0x9b, 0x0d, 0x0a, 0x7f)).map((code) => String.fromCharCode(code)) });

describe('text that orders nothing', () => {
  it('keeps what people write, and shows control characters as signs', () => {
    assert.equal(visibleText('a\tb\nc\r\nd é 漢 👩‍🚀'), 'a\tb\nc\nd é 漢 👩‍🚀');
    assert.equal(visibleText('\u001b[31mred\u0007 \u007f \u009b1m'), '␛[31mred␇ ␡ \\u{9b}1m');
    assert.equal(visibleText('over\rwritten \u202egnp.exe\u202c'), 'over␍written \\u{202e}gnp.exe\\u{202c}');
  });

  it('never lets a control character or a turn of direction through, whatever comes in', () => {
    fc.assert(fc.property(wild, (text) => {
      assert.doesNotMatch(visibleText(text).replaceAll('\n', '').replaceAll('\t', ''), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
      assert.doesNotMatch(exactText(text).replaceAll('\n', '').replaceAll('\t', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }));
  });

  it('shows what cannot be seen where a person decides', () => {
    assert.equal(exactText('rm\u200b -rf\u00ad x\r'), 'rm\\u{200b} -rf\\u{ad} x␍');
    assert.notEqual(exactText('npm test\u2060'), exactText('npm test'));
  });

  it('as JSON parses to the very same value', () => {
    fc.assert(fc.property(wild, (text) => {
      const json = visibleJson({ [text]: [text] });
      assert.deepEqual(JSON.parse(json), { [text]: [text] });
      assert.doesNotMatch(json, /[\u0000-\u001f\u007f-\u009f\p{Cf}]/u);
    }));
  });
});
