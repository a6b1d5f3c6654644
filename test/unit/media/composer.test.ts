import assert from 'node:assert/strict';
import { droppedIn, pastedIn } from '../../../media/chat/composer/drops.ts';
import { mentionAt } from '../../../media/chat/composer/mentions.ts';
import { holds } from '../../../media/chat/composer/tray.ts';

describe('what is being mentioned', () => {
  it('is what stands after an @ that begins a word, up to the caret', () => {
    const found = (text: string, caret = text.length) => mentionAt(text, caret)?.query ?? null;
    assert.deepEqual(['@', '@ca', 'see @src/a', '(@x', '「@x', 'a\n@b'].map((text) => found(text)), ['', 'ca', 'src/a', 'x', 'x', 'b']);
    assert.deepEqual(['me@x.org', '@a b', 'x@', '@a@', ''].map((text) => found(text)), [null, null, null, null, null]);
    assert.deepEqual([found('@cart', 3), mentionAt('a @cart', 7)?.start], ['ca', 2]);
    assert.equal(found(`@${'x'.repeat(300)}`), null);
  });

  it('a word that stands for a file is no part of a longer one', () => {
    for (const text of ['@a.ts', 'see @a.ts.', '@a.ts, and', '(@a.ts)', '@a.tsx and @a.ts']) assert.equal(holds(text, '@a.ts'), true, text);
    for (const text of ['@a.tsx', '@a.ts2', '@a.ts-old', '@a.ts/x', '@a.ts.bak', '', '@a']) assert.equal(holds(text, '@a.ts'), false, text);
  });
});

describe('what is pasted and dropped', () => {
  const transfer = (data: Readonly<Record<string, string>>, files: readonly string[] = []) => ({ getData: (type: string) => data[type] ?? '', files: files.map((name) => ({ name })) as unknown as FileList });

  it('addresses of the editor go before files; a page of the web is none', () => {
    assert.deepEqual(droppedIn(transfer({ 'text/uri-list': '# note\r\nfile:///a\r\n\r\nfile:///b' }, ['x'])), { uris: ['file:///a', 'file:///b'], files: [] });
    assert.deepEqual(droppedIn(transfer({ 'resourceurls': '["file:///a", 3, ""]' })).uris, ['file:///a']);
    assert.deepEqual(droppedIn(transfer({ 'resourceurls': '[broken', 'codefiles': '["/a"]' })).uris, ['/a']);
    assert.deepEqual(droppedIn(transfer({ 'text/uri-list': 'https://example.org/x.png' }, ['x.png'])).files.length, 1);
  });

  it('text that comes with its own picture is text', () => {
    const pasted = (types: readonly string[]) => pastedIn({ types, files: [{ name: 'image.png' }] as unknown as FileList }).length;
    assert.deepEqual([pasted(['Files']), pasted(['text/html', 'Files']), pasted(['text/plain', 'Files']), pasted(['text/plain', 'text/html', 'Files'])], [1, 1, 1, 0]);
  });
});
