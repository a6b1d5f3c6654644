import assert from 'node:assert/strict';
import { type FilePlace, linkTarget } from '../../../media/chat/markdown/linkTarget.ts';

const file = (path: string, line?: number, more: FilePlace = {}) => ({ kind: 'file', path, place: { ...(line === undefined ? {} : { line }), ...more } });

describe('where a link leads', () => {
  it('is the web only over http and mail', () => {
    assert.deepEqual(linkTarget('https://example.org/a?b#c'), { kind: 'web', href: 'https://example.org/a?b#c' });
    assert.deepEqual(linkTarget('mailto:a@example.org'), { kind: 'web', href: 'mailto:a@example.org' });
  });

  it('is a file for a path, with its line', () => {
    assert.deepEqual(linkTarget('src/cart.ts'), file('src/cart.ts'));
    assert.deepEqual(linkTarget('src/cart.ts:12'), file('src/cart.ts', 12));
    assert.deepEqual(linkTarget('cart.ts:12:3'), file('cart.ts', 12, { column: 3 }));
    assert.deepEqual(linkTarget('/a/b%20c.ts#L7-L9'), file('/a/b c.ts', 7, { endLine: 9 }));
    assert.deepEqual(linkTarget('file:///a/b.ts#L3'), file('/a/b.ts', 3));
    assert.deepEqual(linkTarget('C:\\work\\a.ts:4'), file('C:\\work\\a.ts', 4));
    for (const uri of ['file:///C:/work/a.ts#L4', 'file:///c%3A/work/a.ts:4', 'file://localhost/C:/work/a.ts:4']) assert.deepEqual(linkTarget(uri), file(`${uri.includes('c%3A') ? 'c' : 'C'}:/work/a.ts`, 4));
  });

  it('is a file whatever its name: spaces, accents, no ending, a # or : of its own', () => {
    assert.deepEqual(linkTarget('my%20notes/%C3%BCber%20alles.md:4'), file('my notes/über alles.md', 4));
    assert.deepEqual(linkTarget('my notes/über alles.md:4:2'), file('my notes/über alles.md', 4, { column: 2 }));
    assert.deepEqual(linkTarget('日本語.ts#L3-L5'), file('日本語.ts', 3, { endLine: 5 }));
    assert.deepEqual(linkTarget('src/a.ts#L3C2-L5C7'), file('src/a.ts', 3, { endLine: 5 }));
    assert.deepEqual(linkTarget('src/a.ts:3-5'), file('src/a.ts', 3, { endLine: 5 }));
    assert.deepEqual(linkTarget('Makefile:12'), file('Makefile', 12));
    assert.deepEqual(linkTarget('issue%23L3.md'), file('issue#L3.md'));
    assert.deepEqual(linkTarget('50%.txt:2'), file('50%.txt', 2));
  });

  it('is nowhere for everything else', () => {
    for (const href of ['command:x', 'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vscode://x/y', 'tel:123', 'command:1x', 'blob:x', '#part', '', '//host/share', '\\\\host\\share', 'https://', 'file://server/share', 'a\0b']) {
      assert.deepEqual(linkTarget(href), { kind: 'none' }, href);
    }
    assert.equal(linkTarget(`https://example.org/${'x'.repeat(5000)}`).kind, 'none');
  });
});
