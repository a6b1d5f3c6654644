import assert from 'node:assert/strict';
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskPlane } from '../../../src/execution/diskPlane.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { realClock } from '../../support/realClock.ts';
import { scratchFolder, type ScratchFolder } from '../../support/scratchFolder.ts';

describe('DiskPlane', () => {
  let scratch: ScratchFolder;
  let root: string;
  let plane: DiskPlane;

  beforeEach(async () => {
    scratch = await scratchFolder();
    root = join(scratch.path, 'demo');
    await mkdir(root);
    plane = new DiskPlane({ root, processes: createProcessTools(realClock) });
  });

  afterEach(() => scratch.remove());

  const refused = (kind: string) => (error: unknown) => error instanceof AttacheError && error.kind === kind;

  /** Writes the bytes, changes the text as an agent would that knows only LF, and gives the bytes back. */
  async function edit(bytes: string, change: (text: string) => string): Promise<string> {
    const path = join(root, 'file');
    await writeFile(path, bytes);
    const { text } = await plane.read(path);
    assert.ok(text !== null);
    const shown = await plane.preview(path, text, change(text.replaceAll('\r\n', '\n')));
    await plane.apply(path, shown.before, shown.after);
    return readFile(path, 'utf8');
  }

  it('C10 one BOM and only CRLF stay', async () => {
    assert.equal(await edit('\uFEFFa\r\nb\r\nc\r\n', (text) => text.replace('b', 'B\nb2')), '\uFEFFa\r\nB\r\nb2\r\nc\r\n');
  });

  it('C10 the BOM is not part of the text that is read, and one that the agent brings is not doubled', async () => {
    assert.equal(await edit('\uFEFFa\r\nb\r\n', (text) => {
      assert.equal(text, 'a\nb\n');
      return '\uFEFFa\nB\n';
    }), '\uFEFFa\r\nB\r\n');
  });

  it('C10 no BOM and only LF stay', async () => {
    assert.equal(await edit('a\nb\nc\n', (text) => text.replace('b', 'B\nb2')), 'a\nB\nb2\nc\n');
  });

  it('C10 mixed ends without a final newline: only the touched lines change', async () => {
    assert.equal(await edit('a\r\nb\nc', (text) => text.replace('b', 'B\nb2')), 'a\r\nB\nb2\nc');
  });

  it('the mode of a file stays and nothing else is left in the folder', async () => {
    const path = join(root, 'run.sh');
    await writeFile(path, 'a\n');
    await chmod(path, 0o751);
    await plane.apply(path, 'a\n', 'b\n');
    assert.equal((await stat(path)).mode & 0o777, 0o751);
    assert.deepEqual(await readdir(root), ['run.sh']);
  });

  it('other names of the same file see the change', async () => {
    await writeFile(join(root, 'one'), 'a\n');
    await link(join(root, 'one'), join(root, 'two'));
    await plane.apply(join(root, 'one'), 'a\n', 'b\n');
    assert.equal(await readFile(join(root, 'two'), 'utf8'), 'b\n');
  });

  it('a new file is made with its folders', async () => {
    const path = join(root, 'deep/er/new.txt');
    assert.deepEqual(await plane.read(path), { text: null, dirty: false });
    await plane.apply(path, null, 'x\r\n');
    assert.equal(await readFile(path, 'utf8'), 'x\r\n');
  });

  it('C09 a change made before the proposal is kept on other lines, and is a conflict on the same ones', async () => {
    const path = join(root, 'file');
    await writeFile(path, '1\nmine\n3\n');
    assert.deepEqual(await plane.preview(path, '1\n2\n3\n', '1\n2\nagent\n'), { before: '1\nmine\n3\n', after: '1\nmine\nagent\n', conflict: false });
    assert.equal((await plane.preview(path, '1\n2\n3\n', '1\nother\n3\n')).conflict, true);
  });

  it('C09 nothing is written to a file that is not what was shown any more', async () => {
    const path = join(root, 'file');
    await writeFile(path, '1\nmine\n3\n');
    for (const base of ['1\n2\n3\n', '1\r\nmine\r\n3\r\n', null]) await assert.rejects(plane.apply(path, base, 'new\n'), refused('edit_conflict'));
    assert.equal(await readFile(path, 'utf8'), '1\nmine\n3\n');
    await rm(path);
    await assert.rejects(plane.apply(path, '1\nmine\n3\n', 'new\n'), refused('file_deleted'));
    assert.deepEqual(await readdir(root), []);
  });

  it('C10 text in neither UTF-8 nor marked UTF-16 is refused and stays', async () => {
    const path = join(root, 'latin1');
    await writeFile(path, Buffer.from([0x61, 0xe9, 0x0a]));
    await assert.rejects(plane.read(path), refused('encoding_refused'));
    await assert.rejects(plane.apply(path, 'a', 'b'), refused('encoding_refused'));
    assert.deepEqual([...(await readFile(path))], [0x61, 0xe9, 0x0a]);
  });

  it('half a character is not written', async () => {
    await assert.rejects(plane.apply(join(root, 'x'), null, 'a\ud83d'), refused('encoding_refused'));
  });

  it('a folder is not a file', async () => {
    await assert.rejects(plane.read(root), refused('path_refused'));
  });

  describe('stays inside its folder', () => {
    beforeEach(async () => {
      await mkdir(join(scratch.path, 'demo-other'));
      await writeFile(join(scratch.path, 'demo-other/secret'), 'secret');
      await symlink(join(scratch.path, 'demo-other'), join(root, 'out'));
      await symlink(join(scratch.path, 'demo-other/secret'), join(root, 'secretLink'));
      await symlink(join(scratch.path, 'demo-other/unborn'), join(root, 'dangling'));
      await mkdir(join(root, 'in'));
      await writeFile(join(root, 'in/file'), 'a\n');
      await symlink(join(root, 'in'), join(root, 'inLink'));
    });

    for (const [path, kind] of [
      ['../demo-other/secret', 'path_refused'], ['../demo-other/new', 'path_refused'], ['out/secret', 'link_leaves_folder'], ['out/new', 'link_leaves_folder'],
      ['secretLink', 'link_leaves_folder'], ['dangling', 'path_refused'], ['in/../../demo-other/secret', 'path_refused'],
    ] as const) {
      it(`refuses ${path} (${kind})`, async () => {
        for (const act of [
          () => plane.read(`${root}/${path}`), () => plane.readBytes(`${root}/${path}`), () => plane.checkWrite(`${root}/${path}`), () => plane.apply(`${root}/${path}`, 'secret', 'changed'),
          () => plane.apply(`${root}/${path}`, null, 'changed'), () => plane.restore(`${root}/${path}`, 'secret', null),
        ]) await assert.rejects(act(), refused(kind));
        assert.equal(await readFile(join(scratch.path, 'demo-other/secret'), 'utf8'), 'secret');
        assert.deepEqual(await readdir(join(scratch.path, 'demo-other')), ['secret']);
      });
    }

    it('refuses a relative path', async () => {
      await assert.rejects(plane.read('in/file'), refused('path_refused'));
    });

    it('follows a link that stays inside, and keeps the link', async () => {
      await plane.apply(join(root, 'inLink/file'), 'a\n', 'b\n');
      assert.equal(await readFile(join(root, 'in/file'), 'utf8'), 'b\n');
    });

    it('refuses to run a command outside', async () => {
      const spec = { command: 'true', args: null, cwd: join(root, 'out'), env: {}, outputBytes: 1000 };
      await assert.rejects(plane.run(spec), refused('link_leaves_folder'));
    });
  });
});
