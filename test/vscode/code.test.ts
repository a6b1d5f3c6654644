import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { Chat, listenTo } from './support/chat.ts';
import { watching } from './support/dialogs.ts';
import { closeEditors, demoFile, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const insert = (text: string) => ({ type: 'insertCode', text, language: 'ts' }) as const;

async function open(name: string, text: string): Promise<vscode.TextEditor> {
  writeDemo(name, text);
  return vscode.window.showTextDocument(vscode.Uri.file(demoFile(name)), { preview: false });
}

/** Opens a link's target and says where the cursor is then. */
async function at(chat: Chat, name: string, place: object): Promise<readonly number[]> {
  await chat.send({ type: 'openFile', path: name, ...place });
  const editor = await until(`${name} to be shown`, () => (vscode.window.activeTextEditor?.document.fileName === demoFile(name) ? vscode.window.activeTextEditor : undefined));
  const { start, end } = editor.selection;
  return [start.line, start.character, end.line, end.character];
}

describe('code and links of a message', () => {
  afterEach(closeEditors);

  it('code goes to the cursor, over what is selected, in the file’s line ends, as one step that can be undone', async () => {
    const editor = await open('insert.txt', 'one\r\ntwo\r\nthree');
    editor.selection = new vscode.Selection(1, 0, 1, 3);
    const chat = await Chat.fresh();
    await chat.send(insert('a\nb\n'));
    assert.equal(editor.document.getText(), 'one\r\na\r\nb\r\nthree');
    assert.equal(fs.readFileSync(demoFile('insert.txt'), 'utf8'), 'one\r\ntwo\r\nthree', 'it is the person who saves');
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'one\r\ntwo\r\nthree');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('code goes nowhere while no text editor is on the screen', async () => {
    const editor = await open('hidden.txt', 'mine');
    const chat = await Chat.fresh();
    const front = await open('front.txt', 'in front');
    await closeEditors();
    await chat.send(insert('x'));
    await open('other.txt', '');
    assert.deepEqual([front.document.getText(), fs.readFileSync(demoFile('front.txt'), 'utf8')], ['in front', 'in front']);
    assert.equal(editor.document.getText(), 'mine');
    assert.equal(fs.readFileSync(demoFile('hidden.txt'), 'utf8'), 'mine');
  });

  it('code opens as a new file in its language, which is on no disk', async () => {
    const chat = await Chat.fresh();
    await chat.send({ type: 'newFile', text: 'echo a\n', language: 'sh' });
    const editor = await until('the new file', () => (vscode.window.activeTextEditor?.document.isUntitled === true ? vscode.window.activeTextEditor : undefined));
    assert.equal(editor.document.getText(), 'echo a\n');
    assert.equal(editor.document.languageId, 'shellscript');
    await chat.send({ type: 'newFile', text: 'plain', language: 'no-such-language' });
    await until('the plain file', () => vscode.window.activeTextEditor?.document.getText() === 'plain' || undefined);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('a link opens its file at its line, column and range, whatever its name', async () => {
    const name = 'über alles #1.md';
    writeDemo(name, Array.from({ length: 9 }, (_, n) => `line ${n + 1}`).join('\n'));
    const chat = await Chat.fresh();
    await chat.say('/help');
    await until('the session', () => chat.panel.view ?? undefined);
    assert.deepEqual(await at(chat, name, { line: 4 }), [3, 0, 3, 0]);
    assert.deepEqual(await at(chat, name, { line: 4, column: 3 }), [3, 2, 3, 2]);
    assert.deepEqual(await at(chat, name, { line: 3, endLine: 5 }), [2, 0, 5, 0]);
    assert.deepEqual(await at(chat, name, { line: 5000 }), [8, 6, 8, 6]);
  });

  it('the whole output of a command opens as a document that nobody can change', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say(String.raw`/run node -e "for (let n = 0; n < 3000; n++) console.log('row ' + n)"`);
    await chat.decide(await chat.request('command'), 'allow_once');
    await chat.turnEnd(key);
    const item = chat.view.items.find(({ data }) => data.kind === 'command');
    assert.ok(item);
    await chat.send({ type: 'openOutput', itemId: item.itemId });
    const editor = await until('the output', () => (vscode.window.activeTextEditor?.document.uri.scheme === 'attache-output' ? vscode.window.activeTextEditor : undefined));
    assert.match(editor.document.getText(), /^row 0\n[\s\S]*\nrow 2999\n?$/);
    assert.equal(editor.document.lineCount >= 3000, true);
    const before = editor.document.getText();
    await vscode.commands.executeCommand('type', { text: 'x' });
    // What it answers is only that the editor was there.
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'x'));
    assert.deepEqual([editor.document.getText() === before, editor.document.isDirty], [true, false]);
  });

  it('a name without its folder is looked for, a folder is shown in the explorer, and what is not there is said', async () => {
    writeDemo('deep/er/only-here.txt', 'one\ntwo');
    const chat = await Chat.fresh();
    const told = listenTo(chat);
    const said = (): string[] => told.flatMap((message) => (message.type === 'toast' ? [message.message] : []));
    await chat.say('/help');
    await until('the session', () => chat.panel.view ?? undefined);
    await chat.send({ type: 'openFile', path: 'only-here.txt', line: 2 });
    const editor = await until('the file', () => (vscode.window.activeTextEditor?.document.fileName.endsWith('only-here.txt') === true ? vscode.window.activeTextEditor : undefined));
    assert.equal(editor.selection.active.line, 1);
    const revealed = await watching('revealInExplorer', () => chat.send({ type: 'openFile', path: 'deep/er/' }));
    assert.deepEqual(revealed.map(([uri]) => (uri as vscode.Uri).fsPath), [demoFile('deep/er')]);
    assert.deepEqual(said(), []);
    await chat.send({ type: 'openFile', path: 'no/such.txt' });
    assert.match(said().at(-1) ?? '', /no file no\/such\.txt/);
    await chat.send({ type: 'openLink', href: 'command:workbench.action.closeAllEditors' });
    assert.match(said().at(-1) ?? '', /is not opened/);
  });

  it('a link out of the session’s folder opens nothing', async () => {
    const chat = await Chat.fresh();
    await chat.say('/help');
    await until('the session', () => chat.panel.view ?? undefined);
    const before = vscode.window.activeTextEditor;
    const outside = demoFile('../outside.txt');
    fs.writeFileSync(outside, 'not yours');
    try {
      for (const path of ['../outside.txt', 'a/../../outside.txt', outside, '/etc/passwd']) await chat.send({ type: 'openFile', path });
      assert.equal(vscode.window.activeTextEditor, before);
    } finally {
      fs.rmSync(outside);
    }
  });
});
