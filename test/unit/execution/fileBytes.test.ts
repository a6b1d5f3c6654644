import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskPlane } from '../../../src/execution/diskPlane.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { after, before, byteForms, change, formName, legacyEncodings, unicodeEncodings, type ByteForm } from '../../support/byteTable.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { realClock } from '../../support/realClock.ts';
import { scratchFolder, type ScratchFolder } from '../../support/scratchFolder.ts';

describe('bytes of files on disk', () => {
  let scratch: ScratchFolder;
  let root: string;
  let plane: DiskPlane;

  beforeEach(async () => {
    scratch = await scratchFolder();
    root = join(scratch.path, 'demo');
    await mkdir(root);
    plane = new DiskPlane({ root, processes: createProcessTools(realClock), protectedFolders: [join(root, 'data'), join(scratch.path, 'unborn')] });
  });

  afterEach(() => scratch.remove());

  async function edit(path: string): Promise<void> {
    const { text } = await plane.read(path);
    assert.ok(text !== null);
    const shown = await plane.preview(path, text, change(text));
    assert.equal(shown.conflict, false);
    await plane.apply(path, shown.before, shown.after);
  }

  const states = (form: ByteForm): boolean => form.encoding === 'utf8' || form.bom;

  for (const form of byteForms(unicodeEncodings).filter(states)) {
    it(`C10 ${formName(form)}: nothing changes but the touched line`, async () => {
      const path = join(root, 'file.txt');
      await writeFile(path, before(form));
      await edit(path);
      assert.deepEqual(await readFile(path), after(form));
    });

    it(`C10 ${formName(form)}: taking the change back gives the first bytes`, async () => {
      const path = join(root, 'file.txt');
      await writeFile(path, before(form));
      const { text } = await plane.read(path);
      await edit(path);
      const present = (await plane.read(path)).text;
      await plane.restore(path, present, { text: text! });
      assert.deepEqual(await readFile(path), before(form));
      await plane.restore(path, text, { bytes: after(form) });
      assert.deepEqual(await readFile(path), after(form));
    });
  }

  for (const form of [...byteForms(unicodeEncodings).filter((each) => !states(each)), ...byteForms(legacyEncodings)]) {
    it(`C10 ${formName(form)}: refused, and untouched`, async () => {
      const path = join(root, 'file.txt');
      await writeFile(path, before(form));
      const kind = form.encoding.startsWith('utf16') ? 'binary_refused' : 'encoding_refused';
      await expectRefusal(kind, plane.read(path));
      await expectRefusal(kind, plane.preview(path, 'a', 'b'));
      for (const base of ['a', null]) await expectRefusal(kind, plane.apply(path, base, 'b'));
      assert.deepEqual(await readFile(path), before(form));
    });
  }

  it('C10 binary files are refused, also those that are UTF-8 throughout', async () => {
    for (const bytes of [[0, 1, 2, 255], [0x61, 0, 0x62], [0xff, 0xfe, 0x61, 0, 0, 0], [0x89, 0x50, 0x4e, 0x47, 0, 0]]) {
      const path = join(root, 'binary');
      await writeFile(path, Buffer.from(bytes));
      await expectRefusal('binary_refused', plane.read(path));
      assert.deepEqual([...(await plane.readBytes(path))!], bytes);
    }
    await writeFile(join(root, 'half'), Buffer.from([0xff, 0xfe, 0x61]));
    await expectRefusal('encoding_refused', plane.read(join(root, 'half')));
    await expectRefusal('binary_refused', plane.preview(join(root, 'new'), null, 'a\0b'));
    await expectRefusal('binary_refused', plane.apply(join(root, 'new'), null, 'a\0b'));
    assert.equal(await plane.readBytes(join(root, 'new')), null);
  });

  it('C10 a mark that is doubled in the file stays doubled, one that the agent brings is not added', async () => {
    const path = join(root, 'file');
    await writeFile(path, '\uFEFF\uFEFFprice 10\n');
    await edit(path);
    assert.equal(await readFile(path, 'utf8'), '\uFEFF\uFEFFprice 12\nadded\n');
    await writeFile(path, 'a\nb\n');
    assert.deepEqual(await plane.preview(path, 'a\nb\n', '\uFEFFa\nB\n'), { before: 'a\nb\n', after: 'a\nB\n', conflict: false });
  });

  it('forty thousand lines are edited at the touched one only', async () => {
    const path = join(root, 'long.txt');
    const all = Array.from({ length: 40_000 }, (_, index) => `line ${String(index)} \r\n`).join('');
    await writeFile(path, `${all}price 10`);
    await edit(path);
    assert.equal(await readFile(path, 'utf8'), `${all}price 12\r\nadded`);
  });

  describe('what may be written', () => {
    it('Git’s own files may not, by no name', async () => {
      await mkdir(join(root, '.git/hooks'), { recursive: true });
      await symlink(join(root, '.git'), join(root, 'innocent'));
      for (const path of ['.git/config', '.git/hooks/pre-commit', 'innocent/config', 'sub/.git', '.GIT/config', '.git./config', '.git /config', '.git::$INDEX_ALLOCATION/config', '.g\u200cit/config', 'git~1/config', 'x/../.git/config']) {
        const whole = `${root}/${path}`;
        await expectRefusal('path_protected', plane.checkWrite(whole));
        await expectRefusal('path_protected', plane.apply(whole, null, 'x'));
        await expectRefusal('path_protected', plane.restore(whole, null, { bytes: Buffer.from('x') }));
      }
      assert.equal(await plane.checkWrite(join(root, '.gitignore')), 'free');
    });

    it('settings of the workspace and files of variables need a person', async () => {
      await mkdir(join(root, '.vscode'));
      await symlink(join(root, '.vscode'), join(root, 'plain'));
      for (const path of ['.vscode/settings.json', 'plain/tasks.json', 'sub/.vscode/x', '.env', '.env.local', '.envrc', 'sub/.ENV', 'demo.code-workspace']) assert.equal(await plane.checkWrite(join(root, path)), 'ask', path);
      for (const path of ['src/env.ts', 'vscode.md', 'environment', 'a.env.ts']) assert.equal(await plane.checkWrite(join(root, path)), 'free', path);
    });

    it('the gateway’s own data may neither be read nor written, through links neither', async () => {
      await mkdir(join(root, 'data'));
      await writeFile(join(root, 'data/token'), 't');
      await symlink(join(root, 'data'), join(root, 'linked'));
      for (const path of ['data/token', 'linked/token', 'data/new', 'data']) {
        const whole = join(root, path);
        for (const act of [() => plane.read(whole), () => plane.readBytes(whole), () => plane.checkWrite(whole), () => plane.preview(whole, null, 'x'), () => plane.apply(whole, null, 'x')]) await expectRefusal('path_protected', act());
      }
      assert.equal(await readFile(join(root, 'data/token'), 'utf8'), 't');
    });

    it('a read-only file may not, whoever runs this', async () => {
      const path = join(root, 'locked');
      await writeFile(path, 'a\n');
      await chmod(path, 0o444);
      for (const act of [() => plane.checkWrite(path), () => plane.apply(path, 'a\n', 'b\n'), () => plane.restore(path, 'a\n', null)]) await expectRefusal('file_read_only', act());
      assert.equal(await readFile(path, 'utf8'), 'a\n');
    });
  });

  it('a change is taken back only from the text it left', async () => {
    const path = join(root, 'file');
    await writeFile(path, 'mine\n');
    await expectRefusal('edit_conflict', plane.restore(path, 'agent’s\n', null));
    await expectRefusal('edit_conflict', plane.restore(path, null, { bytes: Buffer.from('x') }));
    await plane.restore(path, 'mine\n', null);
    assert.equal(await plane.readBytes(path), null);
    await expectRefusal('file_deleted', plane.restore(path, 'mine\n', { text: 'x' }));
    await plane.restore(path, null, { bytes: Buffer.from([0xff, 0x00]) });
    assert.deepEqual([...(await readFile(path))], [0xff, 0]);
  });
});
