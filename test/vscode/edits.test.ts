import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { Chat } from './support/chat.ts';
import { closeEditors, demoFile, readDemo, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const CART = ['export const first = 1;', 'export const second = 2;', '', 'export function total(): number {', '  return 10;', '}', ''].join('\n');

/** The cart in an editor, once its document has noticed that the file was written anew. */
async function showCart(): Promise<vscode.TextEditor> {
  const editor = await showDemo('work/cart.ts');
  await until('the document is the file', () => editor.document.getText() === CART);
  return editor;
}

describe('edits of the offline agent', () => {
  // A browser's VS Code saves by itself.
  before(async () => vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global));
  beforeEach(() => void writeDemo('work/cart.ts', CART));
  afterEach(closeEditors);
  after(() => fs.rmSync(demoFile('work'), { recursive: true }));

  it('C09 an approved edit keeps unsaved text of another line, is not saved over it, and can be undone', async () => {
    const editor = await showCart();
    await replaceLine(editor, 1, 'export const second = 222; // mine');
    const chat = await Chat.fresh();
    const read = await chat.turnEnd(await chat.say('/read work/cart.ts'));
    assert.match(chat.answer(read), /222; \/\/ mine/);
    const key = await chat.say('/edit work/cart.ts return 10 => return 12');
    await chat.decide(await chat.request('edit'), 'allow_once');
    assert.equal((await chat.turnEnd(key)).state, 'completed');
    const mine = CART.replace('second = 2;', 'second = 222; // mine');
    assert.equal(editor.document.getText(), mine.replace('return 10', 'return 12'));
    assert.equal(editor.document.isDirty, true);
    assert.equal(readDemo('work/cart.ts'), CART);
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), mine);
  });

  it('C09 text typed on other lines while the request waits is kept', async () => {
    const editor = await showCart();
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/cart.ts return 10 => return 12');
    const request = await chat.request('edit');
    await replaceLine(editor, 0, 'export const first = 111;');
    await chat.decide(request, 'allow_once');
    // What was allowed is not what would come out now, so it is asked anew, with the text as it is.
    const again = await chat.request('edit');
    assert.notEqual(again.approvalId, request.approvalId);
    await chat.decide(again, 'allow_once');
    assert.equal((await chat.turnEnd(key)).state, 'completed');
    assert.equal(editor.document.getText(), CART.replace('first = 1;', 'first = 111;').replace('return 10', 'return 12'));
  });

  it('C09 the same line changed meanwhile: nothing is overwritten', async () => {
    const editor = await showCart();
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/cart.ts return 10 => return 12');
    const request = await chat.request('edit');
    await replaceLine(editor, 4, '  return 99; // mine');
    await chat.decide(request, 'allow_once');
    const conflict = await chat.request('edit');
    assert.ok(conflict.subject.kind === 'edit');
    assert.ok(conflict.subject.changes[0]?.lines.some(({ t, text }) => t === '-' && text.includes('// mine')), 'the diff shows what would be lost');
    await chat.decide(conflict, 'reject_once');
    await chat.turnEnd(key);
    assert.match(editor.document.getText(), /return 99; \/\/ mine/);
    assert.doesNotMatch(editor.document.getText(), /return 12/);
  });

  it('a clean file is saved, and stays clean', async () => {
    const editor = await showCart();
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/cart.ts return 10 => return 12');
    await chat.decide(await chat.request('edit'), 'allow_once');
    await chat.turnEnd(key);
    assert.equal(readDemo('work/cart.ts'), CART.replace('return 10', 'return 12'));
    await until('the document is clean', () => !editor.document.isDirty);
  });

  it('C12 a rejected edit leaves file and document alone and can still be read', async () => {
    const editor = await showCart();
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/cart.ts return 10 => return 12');
    const request = await chat.request('edit');
    await chat.decide(request, 'reject_once');
    await chat.turnEnd(key);
    assert.equal(chat.approval(request.approvalId)?.status, 'rejected');
    assert.equal(editor.document.getText(), CART);
    assert.equal(readDemo('work/cart.ts'), CART);
    await chat.send({ type: 'openDiff', approvalId: request.approvalId });
    const diff = await until('the diff opens', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff && vscode.window.tabGroups.activeTabGroup.activeTab.input);
    const after = await vscode.workspace.openTextDocument(diff.modified);
    assert.equal(after.getText(), CART.replace('return 10', 'return 12'));
    assert.equal((await vscode.workspace.openTextDocument(diff.original)).getText(), CART);
  });

  it('C10 line ends, byte order mark and a missing final newline are kept', async () => {
    const bom = '\uFEFF';
    writeDemo('work/crlf.txt', `${bom}a\r\nb\r\nc\r\n`);
    writeDemo('work/lf.txt', 'a\nb\nc\n');
    writeDemo('work/mixed.txt', 'a\r\nb\nc\r\nd');
    const chat = await Chat.fresh();
    for (const name of ['crlf', 'lf', 'mixed']) {
      const key = await chat.say(`/edit work/${name}.txt b => B\nb2`);
      await chat.decide(await chat.request('edit'), 'allow_once');
      await chat.turnEnd(key);
    }
    assert.equal(readDemo('work/crlf.txt'), `${bom}a\r\nB\r\nb2\r\nc\r\n`);
    assert.equal(readDemo('work/lf.txt'), 'a\nB\nb2\nc\n');
    assert.match(readDemo('work/mixed.txt'), /^a\r\nB\r?\nb2\r?\nc\r\nd$/);
  });

  it('a new file is created only after approval', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/write work/deep/new.txt hello');
    const request = await chat.request('edit');
    assert.equal(fs.existsSync(demoFile('work/deep/new.txt')), false);
    await chat.decide(request, 'allow_once');
    await chat.turnEnd(key);
    assert.equal(readDemo('work/deep/new.txt').trimEnd(), 'hello');
  });

  it('C09 an untitled document that is to become the file keeps its text', async () => {
    const uri = vscode.Uri.file(demoFile('work/draft.txt')).with({ scheme: 'untitled' });
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'my own words\nkeep\n'));
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/draft.txt keep => kept');
    await chat.decide(await chat.request('edit'), 'allow_once');
    await chat.turnEnd(key);
    assert.equal(editor.document.getText(), 'my own words\nkept\n');
    assert.equal(fs.existsSync(demoFile('work/draft.txt')), false);
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
