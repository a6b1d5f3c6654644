import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AttachmentFiles } from '../../../src/extension/attachments/attachmentFiles.ts';
import { DraftLists } from '../../../src/extension/attachments/draftLists.ts';
import { ComposerAttachments } from '../../../src/extension/attachments/composerAttachments.ts';
import { type AttachmentFacts, describeAttachment, mayHoldSecrets, pathFor } from '../../../src/extension/attachments/describeAttachment.ts';
import type { DraftAttachment } from '../../../src/extension/attachments/draftAttachment.ts';
import { mimeTypeOf } from '../../../src/extension/attachments/fileKind.ts';
import { fileGlob, folderGlob, foldersOf, looseGlob, ranked } from '../../../src/extension/attachments/fileQuery.ts';
import { WindowMemory } from '../../../src/extension/memory.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { MAX_PICTURE_BYTES } from '../../../src/protocol/panelAttachment.ts';
import { fromPanel } from '../../../src/protocol/panelSchema.ts';
import { testPicture } from '../../support/panelHarness/testPicture.ts';

const draft = (change: Partial<DraftAttachment>): DraftAttachment => ({ id: 'a', kind: 'file', name: 'a.ts', path: '/w/demo/src/a.ts', lines: null, mimeType: 'text/plain', size: 10, digest: null, token: null, ...change });
const FACTS: AttachmentFacts = { workspace: '/w/demo', agentLabel: 'Codex', prompts: { image: true, embeddedContext: true } };

describe('how an attachment is described', () => {
  it('by its path from the session’s folder, with its lines', () => {
    assert.deepEqual([pathFor('/w/demo/src/a.ts', '/w/demo'), pathFor('/w/demo2/a.ts', '/w/demo'), pathFor('/w/demo', '/w/demo')], ['src/a.ts', '/w/demo2/a.ts', '.']);
    const names = [{}, { kind: 'selection', lines: { first: 3, last: 9 }, digest: 'd' }, { kind: 'selection', lines: { first: 3, last: 3 }, digest: 'd' }, { kind: 'folder', path: '/w/demo/notes' }, { path: '/w/other/a.ts' }, { path: null, name: 'image.png' }] as const;
    assert.deepEqual(names.map((change) => describeAttachment(draft(change), FACTS).name), ['src/a.ts', 'src/a.ts:3-9', 'src/a.ts:3', 'notes/', '/w/other/a.ts', 'image.png']);
  });

  it('says when the bytes are taken, and when only the path goes along', () => {
    assert.match(describeAttachment(draft({}), FACTS).detail, /as it is when you send \(10 bytes\)/);
    assert.match(describeAttachment(draft({ kind: 'selection', lines: { first: 3, last: 9 }, digest: 'd' }), FACTS).detail, /Lines 3 to 9 of src\/a\.ts, as they were when you added them/);
    const large = describeAttachment(draft({ size: 300 * 1024 }), FACTS);
    assert.match(`${large.detail} ${large.warning}`, /The path of src\/a\.ts.*too large to be included \(300 KB\): only its path/);
    assert.match(describeAttachment(draft({ path: '/w/other/.env' }), FACTS).warning ?? '', /secrets.*outside/);
  });

  it('a picture for an agent without eyes: a problem, unless it is a file that can be named; unknown is no problem', () => {
    const blind: AttachmentFacts = { ...FACTS, prompts: { image: false, embeddedContext: false } };
    const picture = draft({ kind: 'picture', path: null, name: 'image.png', mimeType: 'image/png', digest: 'd' });
    assert.deepEqual([describeAttachment(picture, blind).problem, describeAttachment(picture, FACTS).problem, describeAttachment(picture, { ...FACTS, prompts: null }).problem], ['Codex takes no pictures.', null, null]);
    assert.match(describeAttachment({ ...picture, path: '/w/demo/x.png' }, blind).warning ?? '', /takes no pictures: only its path/);
    const binary = draft({ path: null, mimeType: 'application/pdf', digest: 'd' });
    assert.deepEqual([describeAttachment(binary, blind).problem, describeAttachment(binary, FACTS).problem], ['Codex takes no files of this kind.', null]);
    assert.equal(describeAttachment(draft({ path: null, digest: 'd' }), blind).problem, null, 'text goes to any agent');
  });

  it('names that often hold secrets', () => {
    for (const name of ['.env', '.env.local', 'a/.ENV', 'server.pem', 'id_rsa', '.npmrc', 'credentials', 'credentials.json', 'secrets.yaml', 'x.p12']) assert.equal(mayHoldSecrets(name), true, name);
    for (const name of ['env.ts', '.envelope', 'secretary.ts', 'id_rsa.pub', 'pem.md']) assert.equal(mayHoldSecrets(name), false, name);
  });

  it('what bytes are is read from themselves: what only claims to be a picture is none', () => {
    const types = [['a.png', testPicture(1)], ['a.txt', testPicture(1)], ['a.png', Buffer.from('no picture')], ['a.png', Buffer.from([0, 1])], ['a.ts', Buffer.from('let a')], ['a.svg', Buffer.from('<svg/>')], ['a.pdf', Buffer.from([0x25, 0, 1])], ['x', Buffer.from([0xff, 0xd8, 0xff, 0])]] as const;
    assert.deepEqual(types.map(([name, bytes]) => mimeTypeOf(name, bytes)), ['image/png', 'image/png', 'text/plain', 'application/octet-stream', 'text/x-typescript', 'image/svg+xml', 'application/pdf', 'image/jpeg']);
  });
});

describe('how files are found by letters', () => {
  it('letters become a glob of either case; what a glob reads itself is any character', () => {
    assert.deepEqual([fileGlob('ca'), fileGlob('src/c'), fileGlob('src/'), fileGlob('a[b'), fileGlob('./x')], ['**/*[cC][aA]*', '**/*[sS][rR][cC]*/**/*[cC]*', '**/*[sS][rR][cC]*/**/*', '**/*[aA]?[bB]*', '**/*[xX]*']);
    assert.deepEqual([looseGlob('ct'), looseGlob('c'), looseGlob('a/b'), folderGlob('src'), folderGlob('')], ['**/*[cC]*[tT]*', null, null, '**/*[sS][rR][cC]*/**', null]);
    assert.deepEqual([...fileGlob('1-{}')].filter((char) => '{}'.includes(char)), []);
  });

  it('the name counts before its folders, its beginning before its middle, the short before the long', () => {
    const paths = ['cart/other.ts', 'src/shopcart.ts', 'src/cart.ts', 'src/cartoon.ts', 'src/c-a-r-t.ts', 'cart', 'nothing.ts', 'src/very/deep/cart.ts'];
    assert.deepEqual(ranked(paths, 'cart', 10), ['cart', 'src/cart.ts', 'src/very/deep/cart.ts', 'src/cartoon.ts', 'src/shopcart.ts', 'cart/other.ts', 'src/c-a-r-t.ts']);
    assert.deepEqual(ranked(['src/a/cart.ts', 'lib/cart.ts'], 'src/cart', 10), ['src/a/cart.ts']);
    assert.deepEqual(foldersOf(['src/cart/a/b.ts', 'src/x.ts', 'cart/y.ts'], 'cart').sort(), ['cart', 'src/cart']);
  });
});

describe('the attachments of a composer', () => {
  let folder: string;
  let memory: WindowMemory;
  let files: AttachmentFiles;
  let disk: Map<string, string>;
  let puts: { readonly digest: string; readonly base64: string }[];
  let attachments: ComposerAttachments;
  const stored = new Map<string, unknown>();
  const memento: ConstructorParameters<typeof WindowMemory>[0] = { keys: () => [...stored.keys()], get: <T>(key: string, fallback?: T) => (stored.get(key) ?? fallback) as T, update: (key: string, value: unknown) => { stored.set(key, JSON.parse(JSON.stringify(value))); return Promise.resolve(); } };

  /** Of one life of the window. */
  const lists = (): DraftLists => new DraftLists(path.join(folder, 'attachments'));

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attache-drafts-'));
    stored.clear();
    memory = new WindowMemory(memento, lists());
    files = new AttachmentFiles(path.join(folder, 'attachments'));
    disk = new Map([['/w/demo/src/a.ts', 'let a;\n']]);
    puts = [];
    const call = (_method: string, params: { readonly digest: string; readonly base64: string; readonly size: number; readonly offset: number }): Promise<unknown> => {
      puts.push(params);
      const nextOffset = params.offset + Buffer.from(params.base64, 'base64').length;
      return Promise.resolve({ complete: nextOffset === params.size, nextOffset });
    };
    attachments = new ComposerAttachments({ memory, files, calls: { call: call as never }, facts: () => FACTS, read: (file) => (disk.has(file) ? Promise.resolve(Buffer.from(disk.get(file) ?? '')) : Promise.reject(new Error('ENOENT'))) });
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const bytes = (id: string, content: Buffer, name = 'image.png') => attachments.add('c', async () => [await attachments.take({ id, kind: 'file', name, path: null, lines: null, token: null }, content)]);
  const ids = (conversation = 'c'): string[] => memory.notes(conversation).attachments.map(({ id }) => id);

  it('C16 are kept where the window ends before VS Code has written anything down, and one that was sent does not come back', async () => {
    await bytes('1', testPicture(1));
    const before = new Map(stored);
    const ends = (kept: ReadonlyMap<string, unknown>): string[] => {
      stored.clear();
      for (const [key, value] of kept) stored.set(key, value);
      return new WindowMemory(memento, lists()).notes('c').attachments.map(({ id }) => id);
    };
    assert.deepEqual(ends(new Map()), ['1']);
    assert.deepEqual(ends(before), ['1']);
    await attachments.hand('c', ['1']);
    assert.deepEqual(ends(before), []);
    // A list that cannot be read is as none.
    for (const file of fs.globSync('attachments/list-*.json', { cwd: folder })) fs.writeFileSync(path.join(folder, file), '{');
    assert.deepEqual(ends(before), ['1']);
  });

  it('C16 are kept per conversation, over the window’s life, with their bytes', async () => {
    await bytes('one', testPicture(1));
    await attachments.add('d', () => Promise.resolve([draft({ id: 'two' })]));
    const later = new WindowMemory(memento, lists());
    assert.deepEqual([later.notes('c').attachments.map(({ kind, mimeType }) => [kind, mimeType]), later.notes('d').attachments.map(({ id }) => id)], [[['picture', 'image/png']], ['two']]);
    assert.deepEqual(await files.read(later.notes('c').attachments[0]?.digest ?? ''), testPicture(1));
    assert.deepEqual([later.notes('c').draft, later.notes('c').draftAt], ['', 0]);
  });

  it('are added in the order of the calls, however long each takes, and handed out once they are there', async () => {
    const slow = Promise.withResolvers<DraftAttachment[]>();
    const first = attachments.add('c', () => slow.promise);
    const second = bytes('fast', testPicture(2));
    const handed = attachments.hand('c', ['fast', 'slow']);
    slow.resolve([draft({ id: 'slow' })]);
    await Promise.all([first, second]);
    assert.deepEqual((await handed).map(({ id }) => id), ['fast', 'slow'], 'in the order of the message');
    assert.deepEqual(ids(), []);
  });

  it('what stood for words that are gone goes with the message; what was added meanwhile stays for the next', async () => {
    await attachments.add('c', () => Promise.resolve([draft({ id: 'sent', token: '@a' }), draft({ id: 'gone', token: '@b', path: '/w/demo/b' }), draft({ id: 'later', path: '/w/demo/c' })]));
    assert.deepEqual((await attachments.hand('c', ['sent', 'unknown'])).map(({ id }) => id), ['sent']);
    assert.deepEqual(ids(), ['later']);
    attachments.giveBack('c', [draft({ id: 'back' })]);
    assert.deepEqual(ids(), ['later', 'back']);
  });

  it('C36 too large, or too much together, is refused and changes nothing', async () => {
    await bytes('small', testPicture(1));
    await assert.rejects(bytes('huge', Buffer.concat([testPicture(1), Buffer.alloc(MAX_PICTURE_BYTES)])), { kind: 'attachment_too_large' });
    await assert.rejects(bytes('file', Buffer.alloc(LIMITS.attachmentBytes + 1), 'x.bin'), { kind: 'attachment_too_large' });
    for (let n = 0; n < 4; n += 1) await bytes(`b${n}`, Buffer.alloc(LIMITS.attachmentBytes - 500, n), 'x.bin');
    await assert.rejects(bytes('much', Buffer.alloc(2000, 9), 'x.bin'), { kind: 'attachments_too_large' });
    assert.deepEqual(ids(), ['small', 'b0', 'b1', 'b2', 'b3']);
  });

  it('a file is fixed as it is when the message goes; a passage as it was; a large one and a folder by their names', async () => {
    const passage = await attachments.take({ id: 'p', kind: 'selection', name: 'a.ts', path: '/w/demo/src/a.ts', lines: { first: 1, last: 1 }, token: null }, Buffer.from('let a;\n'));
    disk.set('/w/demo/src/a.ts', 'let b;\n').set('/w/demo/big', 'x'.repeat(300_000));
    const fixed = await attachments.fix([draft({}), passage, draft({ kind: 'folder', path: '/w/demo/notes', size: null }), draft({ path: '/w/demo/big' })], '/w/demo');
    assert.deepEqual(fixed.map((each) => ('link' in each ? [each.name, each.link, each.source] : [each.name, each.size, each.source])), [
      ['src/a.ts', 7, { path: 'src/a.ts' }], ['src/a.ts:1', 7, { path: 'src/a.ts', lines: { first: 1, last: 1 } }], ['notes/', 'folder', { path: 'notes' }], ['big', 'file', { path: 'big' }],
    ]);
    await attachments.bring('/w/demo', fixed);
    assert.deepEqual(puts.filter(({ base64 }) => base64 !== '').map(({ base64 }) => Buffer.from(base64, 'base64').toString()), ['let b;\n', 'let a;\n']);
    await assert.rejects(attachments.fix([draft({ path: '/w/demo/none' })], '/w/demo'), { kind: 'attachment_missing', message: /none could not be read/ });
  });

  it('bytes that nothing names go after a week, and no sooner', async () => {
    await bytes('kept', testPicture(1));
    const loose = await files.put(testPicture(2));
    await attachments.clean(Date.now() + 6 * 24 * 3_600_000);
    assert.notEqual(await files.read(loose), null);
    await attachments.clean(Date.now() + 8 * 24 * 3_600_000);
    assert.equal(await files.read(loose), null);
    assert.notEqual(await files.read(memory.notes('c').attachments[0]?.digest ?? ''), null);
  });
});

describe('what the page says about attachments', () => {
  const parse = (message: object): boolean => fromPanel.safeParse(message).success;
  const conversation = 'c';

  it('is checked and bounded', () => {
    const bytes = (length: number) => ({ type: 'attachBytes', conversation, id: 'a', name: 'x', mimeType: '', base64: 'A'.repeat(length) });
    const most = Math.ceil(LIMITS.attachmentBytes / 3) * 4;
    assert.deepEqual([parse(bytes(most)), parse(bytes(most + 1))], [true, false]);
    const uris = (count: number) => ({ type: 'attachUris', conversation, uris: Array.from({ length: count }, () => 'file:///a') });
    assert.deepEqual([parse(uris(100)), parse(uris(101)), parse(uris(0))], [true, false, false]);
    const submit = (count: number) => ({ type: 'submit', conversation, clientTurnId: 'key', text: 'x', attachments: Array.from({ length: count }, (_, n) => `a${n}`) });
    assert.deepEqual([parse(submit(9)), parse(submit(10))], [true, false]);
    const attach = (ref: object) => ({ type: 'attach', conversation, id: 'a', ref, token: null });
    assert.deepEqual([{ kind: 'file', path: '/a' }, { kind: 'symbol', path: '/a', name: 'f', first: 1, last: 2 }, { kind: 'problems' }].map((ref) => parse(attach(ref))), [true, true, true]);
    assert.deepEqual([{ kind: 'file' }, { kind: 'file', path: '' }, { kind: 'command', path: '/a' }, { kind: 'symbol', path: '/a', name: 'f', first: 0, last: 2 }, { kind: 'problems', path: '/a' }].map((ref) => parse(attach(ref))), [false, false, false, false, false]);
    assert.equal(parse({ type: 'mention', conversation, request: 1, query: 'x'.repeat(201) }), false);
    assert.equal(parse({ type: 'loadPicture', digest: '../../etc/passwd' }), false);
  });
});
