import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { defaultDataRoot } from '../../src/connector/dataRoot.ts';
import { createProcessTools } from '../../src/execution/processTools.ts';
import { EditorPlane } from '../../src/extension/editor/editorPlane.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { realClock } from '../support/realClock.ts';
import { demoFolder } from './support/chat.ts';
import { closeEditors, demoFile, readDemo, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const newPlane = (): EditorPlane => new EditorPlane({ root: demoFolder(), processes: createProcessTools(realClock) });

async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

describe('files that moved on in the editor', () => {
  before(() => set('files.autoSave', 'off'));
  afterEach(closeEditors);

  it('C09 unsaved text is what is read, and an edit made for another text is refused whole', async () => {
    writeDemo('moved/a.txt', 'one\ntwo\n');
    const editor = await showDemo('moved/a.txt');
    const plane = newPlane();
    await replaceLine(editor, 0, 'typed');
    assert.deepEqual(await plane.read(demoFile('moved/a.txt')), { text: 'typed\ntwo\n', dirty: true });
    for (const base of ['one\ntwo\n', null]) await expectRefusal('edit_conflict', plane.apply(demoFile('moved/a.txt'), base, 'one\nagent\n'));
    assert.deepEqual([editor.document.getText(), readDemo('moved/a.txt')], ['typed\ntwo\n', 'one\ntwo\n']);
    assert.equal((await plane.preview(demoFile('moved/a.txt'), 'one\ntwo\n', 'agent\ntwo\n')).conflict, true);
    assert.deepEqual(await plane.preview(demoFile('moved/a.txt'), 'one\ntwo\n', 'one\nagent\n'), { before: 'typed\ntwo\n', after: 'typed\nagent\n', conflict: false });
  });

  it('C09 an edit of unsaved text is one step to undo, and leaves tab, group and focus', async () => {
    writeDemo('moved/b.txt', 'one\ntwo\n');
    writeDemo('moved/c.txt', 'other\n');
    const editor = await showDemo('moved/b.txt');
    await replaceLine(editor, 0, 'typed');
    await showDemo('moved/c.txt');
    const tabs = (): string[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
    const before = tabs();
    await newPlane().apply(demoFile('moved/b.txt'), 'typed\ntwo\n', 'typed\nagent\nmore\n');
    assert.equal(editor.document.getText(), 'typed\nagent\nmore\n');
    assert.deepEqual(tabs(), before);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, demoFile('moved/c.txt'));
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('undo');
    await until('one undo takes it back', () => editor.document.getText() === 'typed\ntwo\n');
  });

  it('C09 unsaved text of a file that was deleted on disk is kept, and the file is not made anew behind it', async () => {
    writeDemo('moved/gone.txt', 'one\n');
    const editor = await showDemo('moved/gone.txt');
    await replaceLine(editor, 0, 'typed');
    fs.rmSync(demoFile('moved/gone.txt'));
    const plane = newPlane();
    assert.deepEqual(await plane.read(demoFile('moved/gone.txt')), { text: 'typed\n', dirty: true });
    await plane.apply(demoFile('moved/gone.txt'), 'typed\n', 'typed\nagent\n');
    assert.equal(editor.document.getText(), 'typed\nagent\n');
    assert.equal(fs.existsSync(demoFile('moved/gone.txt')), false);
  });

  it('C09 a clean file that was deleted or renamed is not brought back', async () => {
    writeDemo('moved/d.txt', 'one\n');
    await showDemo('moved/d.txt');
    fs.renameSync(demoFile('moved/d.txt'), demoFile('moved/e.txt'));
    await expectRefusal('file_deleted', newPlane().apply(demoFile('moved/d.txt'), 'one\n', 'agent\n'));
    assert.equal(fs.existsSync(demoFile('moved/d.txt')), false);
    assert.equal(readDemo('moved/e.txt'), 'one\n');
  });

  it('C12 a proposed new file that a person has made, saved or not, keeps their lines', async () => {
    writeDemo('moved/y.txt', 'mine\n');
    const plane = newPlane();
    await expectRefusal('edit_conflict', plane.apply(demoFile('moved/y.txt'), null, 'agent\n'));
    const uri = vscode.Uri.file(demoFile('moved/z.txt')).with({ scheme: 'untitled' });
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'my own words\n'));
    await expectRefusal('edit_conflict', plane.apply(demoFile('moved/z.txt'), null, 'agent\n'));
    assert.deepEqual([readDemo('moved/y.txt'), editor.document.getText(), fs.existsSync(demoFile('moved/z.txt'))], ['mine\n', 'my own words\n', false]);
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('C09 what is read-only by its rights or by a setting is refused, and stays', async () => {
    writeDemo('moved/locked.txt', 'one\n');
    fs.chmodSync(demoFile('moved/locked.txt'), 0o444);
    writeDemo('moved/set/a.txt', 'one\n');
    writeDemo('moved/set/free.txt', 'one\n');
    await set('files.readonlyInclude', { '**/set/**': true });
    await set('files.readonlyExclude', { '**/free.txt': true });
    try {
      for (const name of ['moved/locked.txt', 'moved/set/a.txt', 'moved/set/new.txt']) {
        await expectRefusal('file_read_only', newPlane().checkWrite(demoFile(name)));
        await expectRefusal('file_read_only', newPlane().apply(demoFile(name), fs.existsSync(demoFile(name)) ? 'one\n' : null, 'agent\n'));
      }
      assert.equal(await newPlane().checkWrite(demoFile('moved/set/free.txt')), 'free');
      assert.deepEqual([readDemo('moved/locked.txt'), readDemo('moved/set/a.txt')], ['one\n', 'one\n']);
    } finally {
      await set('files.readonlyInclude', undefined);
      await set('files.readonlyExclude', undefined);
    }
  });

  it('C09 outside of the workspace, through a link that leaves it, in Git’s own files and in the data root nothing is written, nor read where it is not ours', async () => {
    const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'att-out-'));
    const dataRoot = defaultDataRoot();
    try {
      fs.writeFileSync(path.join(outside, 'a.txt'), 'one\n');
      fs.mkdirSync(demoFile('moved'), { recursive: true });
      fs.symlinkSync(outside, demoFile('moved/out'));
      writeDemo('moved/.git/config', '[core]\n');
      const plane = new EditorPlane({ root: demoFolder(), processes: createProcessTools(realClock), protectedFolders: [dataRoot, demoFile('moved/data')] });
      const rules = [
        ['path_refused', path.join(outside, 'a.txt')], ['link_leaves_folder', demoFile('moved/out/a.txt')], ['link_leaves_folder', demoFile('moved/out/new.txt')],
        ['path_protected', demoFile('moved/.git/config')], ['path_protected', demoFile('moved/.git/hooks/pre-commit')], ['path_protected', demoFile('moved/data/store.sqlite')], ['path_refused', path.join(dataRoot, 'store.sqlite')],
      ] as const;
      for (const [code, file] of rules) {
        await expectRefusal(code, plane.checkWrite(file));
        for (const base of [null, 'one\n']) await expectRefusal(code, plane.apply(file, base, 'agent\n'));
      }
      const unread = [
        ['path_refused', path.join(outside, 'a.txt')], ['link_leaves_folder', demoFile('moved/out/a.txt')], ['path_protected', demoFile('moved/data/store.sqlite')], ['path_refused', path.join(dataRoot, 'store.sqlite')],
      ] as const;
      for (const [code, file] of unread) await expectRefusal(code, plane.read(file));
      assert.deepEqual([fs.readFileSync(path.join(outside, 'a.txt'), 'utf8'), readDemo('moved/.git/config'), fs.readdirSync(outside)], ['one\n', '[core]\n', ['a.txt']]);
    } finally {
      fs.rmSync(outside, { recursive: true });
      fs.rmSync(demoFile('moved/out'), { force: true });
    }
  });

  it('C09 settings of the workspace and files of variables are only ever written when a person says so', async () => {
    for (const name of ['.vscode/settings.json', 'moved/.vscode/tasks.json', '.env', '.env.local', 'moved/.ENV.test', 'x.code-workspace']) assert.equal(await newPlane().checkWrite(demoFile(name)), 'ask', name);
    assert.equal(await newPlane().checkWrite(demoFile('moved/environment.ts')), 'free');
  });

  it('an unsaved notebook is not written over', async () => {
    const notebook = JSON.stringify({ cells: [{ cell_type: 'markdown', metadata: {}, source: ['# one'] }], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    writeDemo('moved/book.ipynb', notebook);
    const opened = await vscode.workspace.openNotebookDocument(vscode.Uri.file(demoFile('moved/book.ipynb')));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(opened.cellAt(0).document.uri, new vscode.Range(0, 0, 0, 0), 'mine ');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the notebook is unsaved', () => opened.isDirty);
    await expectRefusal('edit_conflict', newPlane().apply(demoFile('moved/book.ipynb'), notebook, '{}'));
    assert.equal(readDemo('moved/book.ipynb'), notebook);
    assert.ok(await opened.save());
  });
});
