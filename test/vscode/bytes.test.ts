import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { createProcessTools } from '../../src/execution/processTools.ts';
import { EditorPlane } from '../../src/extension/editor/editorPlane.ts';
import { after as bytesAfter, before as bytesBefore, byteForms, change, formName, legacyEncodings, unicodeEncodings, type ByteForm } from '../support/byteTable.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { realClock } from '../support/realClock.ts';
import { demoFolder } from './support/chat.ts';
import { closeEditors, demoFile, readDemo, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const tidy: Readonly<Record<string, unknown>> = { 'files.trimTrailingWhitespace': true, 'files.insertFinalNewline': true, 'files.trimFinalNewlines': true, 'editor.formatOnSave': true };

/** One plane for each file, so that many are tried at once. */
const newPlane = (): EditorPlane => new EditorPlane({ root: demoFolder(), processes: createProcessTools(realClock) });

async function set(name: string, value: unknown, target = vscode.ConfigurationTarget.Global, overrides = false): Promise<void> {
  await vscode.workspace.getConfiguration(undefined, overrides ? { languageId: 'markdown' } : undefined).update(name, value, target, overrides);
}

async function edit(plane: EditorPlane, path: string): Promise<void> {
  const { text } = await plane.read(path);
  assert.ok(text !== null);
  const shown = await plane.preview(path, text, change(text));
  assert.equal(shown.conflict, false);
  await plane.apply(path, shown.before, shown.after);
}

async function typeAtStart(document: vscode.TextDocument, text: string): Promise<void> {
  const typed = new vscode.WorkspaceEdit();
  typed.insert(document.uri, new vscode.Position(0, 0), text);
  assert.ok(await vscode.workspace.applyEdit(typed));
}

describe('C10 bytes of files in the editor', () => {
  let formatter: vscode.Disposable;

  before(async () => {
    await set('files.autoSave', 'off');
    for (const [name, value] of Object.entries(tidy)) await set(name, value);
    formatter = vscode.languages.registerDocumentFormattingEditProvider({ pattern: '**/bytes/**' }, {
      provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), 'FORMATTED ')],
    });
  });
  after(async () => {
    formatter.dispose();
    for (const name of [...Object.keys(tidy), 'files.encoding']) await set(name, undefined);
  });
  afterEach(closeEditors);

  for (const encoding of [...unicodeEncodings, ...legacyEncodings]) {
    describe(encoding, () => {
      before(() => set('files.encoding', encoding === 'utf8' ? undefined : encoding));
      after(() => set('files.encoding', undefined));
      const forms = byteForms([encoding]);
      const each = (name: string, run: (form: ByteForm, path: string, plane: EditorPlane) => Promise<void>): void => {
        it(`${name}: ${String(forms.length)} forms, 0 other bytes`, async () => {
          const wrong = await Promise.all(forms.map(async (form, index) => {
            const file = `bytes/${encoding}-${name.replaceAll(/\W/g, '')}-${String(index)}.txt`;
            writeDemo(file, bytesBefore(form));
            try {
              await run(form, demoFile(file), newPlane());
              return null;
            } catch (error) {
              return `${formName(form)}: ${String(error)}`;
            }
          }));
          assert.deepEqual(wrong.filter((line) => line !== null), []);
        });
      };

      each('closed', async (form, path, plane) => {
        await edit(plane, path);
        assert.deepEqual(fs.readFileSync(path), bytesAfter(form));
      });

      each('open and clean', async (form, path, plane) => {
        const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
        const version = document.version;
        await edit(plane, path);
        assert.deepEqual(fs.readFileSync(path), bytesAfter(form));
        assert.match(document.getText(), /price 12\r?\nadded/);
        assert.deepEqual([document.isDirty, document.version > version], [false, true]);
      });

      // What a person gets who types the same change and saves it.
      each('open and dirty', async (form, path, plane) => {
        const twin = `${path}.byhand.txt`;
        fs.writeFileSync(twin, bytesBefore(form));
        const [document, other] = await Promise.all([path, twin].map((name) => vscode.workspace.openTextDocument(vscode.Uri.file(name))));
        await Promise.all([document!, other!].map((each) => typeAtStart(each, 'mine\n')));
        await edit(plane, path);
        assert.deepEqual(fs.readFileSync(path), bytesBefore(form), 'the disk is not changed behind the document');
        assert.equal(document!.isDirty, true);
        const byHand = new vscode.WorkspaceEdit();
        const at = other!.positionAt(other!.getText().indexOf('price 10'));
        byHand.replace(other!.uri, new vscode.Range(at, at.translate(0, 8)), 'price 12\nadded');
        assert.ok(await vscode.workspace.applyEdit(byHand));
        assert.equal(document!.getText(), other!.getText());
        assert.ok((await document!.save()) && (await other!.save()));
        assert.deepEqual(fs.readFileSync(path), fs.readFileSync(twin));
      });
    });
  }

  it('a formatter and the tidying up on save change nothing of an approved edit, and it can be undone', async () => {
    writeDemo('bytes/format.txt', 'one  \nprice 10\nlast  ');
    const editor = await showDemo('bytes/format.txt');
    await edit(newPlane(), demoFile('bytes/format.txt'));
    assert.equal(readDemo('bytes/format.txt'), 'one  \nprice 12\nadded\nlast  ');
    assert.deepEqual([editor.document.getText(), editor.document.isDirty], ['one  \nprice 12\nadded\nlast  ', false]);
    await vscode.commands.executeCommand('undo');
    await until('the edit is undone', () => editor.document.getText() === 'one  \nprice 10\nlast  ');
    assert.equal(editor.document.isDirty, true);
  });

  it('a file that the editor does not watch is shown as it was written, too', async () => {
    await set('files.watcherExclude', { '**/unwatched/**': true });
    try {
      writeDemo('unwatched/a.txt', 'price 10\n');
      const editor = await showDemo('unwatched/a.txt');
      await edit(newPlane(), demoFile('unwatched/a.txt'));
      assert.deepEqual([editor.document.getText(), editor.document.isDirty, editor.document.encoding], ['price 12\nadded\n', false, 'utf8']);
      assert.equal(vscode.window.activeTextEditor?.document, editor.document);
    } finally {
      await set('files.watcherExclude', undefined);
    }
  });

  it('text that is typed while the file is written is what counts: the file is as it was', async () => {
    writeDemo('bytes/race.txt', 'one\nprice 10\n');
    const editor = await showDemo('bytes/race.txt');
    const plane = newPlane();
    const written = edit(plane, demoFile('bytes/race.txt'));
    let told: unknown = null;
    written.catch((error: unknown) => { told = error; });
    // The disk has it, the document does not yet.
    while (readDemo('bytes/race.txt') === 'one\nprice 10\n') await new Promise((resolve) => setImmediate(resolve));
    await replaceLine(editor, 0, 'typed');
    await written.catch(() => undefined);
    const text = editor.document.getText();
    // Whichever was first, nothing of either side is lost and nothing lies behind the document.
    if (told === null) assert.equal(text, 'typed\nprice 12\nadded\n');
    else assert.deepEqual([text, readDemo('bytes/race.txt')], ['typed\nprice 10\n', 'one\nprice 10\n']);
    assert.equal(await editor.document.save(), true);
  });

  it('a new file gets the encoding of its folder, and what that cannot hold is refused', async () => {
    await set('files.encoding', 'windows1252');
    try {
      const plane = newPlane();
      await plane.apply(demoFile('bytes/new.txt'), null, 'é\n');
      assert.deepEqual([...fs.readFileSync(demoFile('bytes/new.txt'))], [0xe9, 0x0a]);
      await expectRefusal('encoding_refused', plane.preview(demoFile('bytes/other.txt'), null, 'и\n'));
      await expectRefusal('encoding_refused', plane.preview(demoFile('bytes/new.txt'), 'é\n', 'é\nи\n'));
      await expectRefusal('encoding_refused', plane.apply(demoFile('bytes/new.txt'), 'é\n', 'и\n'));
      assert.equal(fs.existsSync(demoFile('bytes/other.txt')), false);
      await set('files.encoding', 'utf8bom');
      await plane.apply(demoFile('bytes/marked.txt'), null, 'a\n');
      assert.equal(readDemo('bytes/marked.txt'), '\uFEFFa\n');
    } finally {
      await set('files.encoding', undefined);
    }
  });

  it('the encoding of a language is known before its file is opened', async () => {
    await set('files.encoding', 'windows1252', vscode.ConfigurationTarget.Global, true);
    try {
      writeDemo('bytes/legacy.md', Buffer.from([0xe9, 0x0d, 0x0a]));
      const plane = newPlane();
      assert.equal((await plane.read(demoFile('bytes/legacy.md'))).text, 'é\r\n');
      await plane.apply(demoFile('bytes/legacy.md'), 'é\r\n', 'éé\r\n');
      assert.deepEqual([...fs.readFileSync(demoFile('bytes/legacy.md'))], [0xe9, 0xe9, 0x0d, 0x0a]);
    } finally {
      await set('files.encoding', undefined, vscode.ConfigurationTarget.Global, true);
    }
  });

  it('what is not text, or would not come back as it was, is refused with the reason', async () => {
    const plane = newPlane();
    writeDemo('bytes/image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
    await expectRefusal('binary_refused', plane.read(demoFile('bytes/image.png')));
    writeDemo('bytes/latin.txt', Buffer.from([0x61, 0xe9, 0x0a]));
    await expectRefusal('encoding_refused', plane.read(demoFile('bytes/latin.txt')));
    await showDemo('bytes/latin.txt');
    await expectRefusal('encoding_refused', plane.preview(demoFile('bytes/latin.txt'), 'a\uFFFD\n', 'b\n'));
    assert.deepEqual([...fs.readFileSync(demoFile('bytes/latin.txt'))], [0x61, 0xe9, 0x0a]);
  });

  it('forty thousand lines are edited in place', async () => {
    const all = Array.from({ length: 40_000 }, (_, index) => `line ${String(index)} \r\n`).join('');
    writeDemo('bytes/long.txt', `${all}price 10`);
    const editor = await showDemo('bytes/long.txt');
    await edit(newPlane(), demoFile('bytes/long.txt'));
    assert.equal(readDemo('bytes/long.txt'), `${all}price 12\r\nadded`);
    assert.equal(editor.document.lineCount, 40_002);
    await replaceLine(editor, 0, 'typed');
    const plane = newPlane();
    const { text } = await plane.read(demoFile('bytes/long.txt'));
    await plane.apply(demoFile('bytes/long.txt'), text, text!.replace('price 12', 'price 13'));
    assert.match(editor.document.getText(), /^typed\r\n[^]*price 13\r\nadded$/);
  });
});
