import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import type { Approval } from '../../src/protocol/approval/state.ts';
import { Chat } from './support/chat.ts';
import { closeEditors, readDemo, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const OLD = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('');
const NEW = OLD.replace('line 2\n', 'two\n').replace('line 10\n', 'ten\nmore\n').replace('line 19\n', '');

const lensesOf = async (uri: vscode.Uri): Promise<{ line: number; title: string; command: vscode.Command }[]> =>
  (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri)).map(({ range, command }) => ({ line: range.start.line, title: (command?.title ?? '').replaceAll('\u00A0', ' '), command: command! }));

/** Presses the first lens of this title at or below a line, as a click does. */
async function press(uri: vscode.Uri, title: RegExp, line = 0): Promise<void> {
  const found = await until(`a lens ${String(title)}`, async () => (await lensesOf(uri)).find((lens) => lens.line >= line && title.test(lens.title)));
  await vscode.commands.executeCommand(found.command.command, ...(found.command.arguments ?? []));
}

async function proposed(name: string): Promise<{ chat: Chat; key: string; request: Approval; file: vscode.Uri }> {
  const file = vscode.Uri.file(writeDemo(name, OLD));
  await showDemo(name);
  const chat = await Chat.fresh();
  const key = await chat.say(`/write ${name} ${NEW.replaceAll('\n', '\\n')}`);
  const request = await chat.request('edit');
  await until('the request is known', () => chat.window.core.centre.pending.some(({ approvalId }) => approvalId === request.approvalId));
  return { chat, key, request, file };
}

const modified = (): vscode.Uri => {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  assert.ok(input instanceof vscode.TabInputTextDiff);
  return input.modified;
};

describe('an edit hunk by hunk', () => {
  before(async () => vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global));
  afterEach(closeEditors);

  it('has its lenses at each hunk, in the file and in its diff, and is answered by the last of them', async () => {
    const { chat, key, request, file } = await proposed('hunks/lenses.txt');
    const shown = await lensesOf(file);
    assert.deepEqual([...new Set(shown.map(({ line }) => line))], [2, 10, 19]);
    assert.deepEqual(shown.filter(({ line }) => line === 10).map(({ title }) => title), ['$(diff) Attaché: change 2 of 3, +2 −1', '$(check) Approve Change', '$(close) Reject Change']);
    assert.deepEqual(shown.filter(({ line }) => line === 2).map(({ title }) => title).slice(3), ['$(check) Allow (all)', '$(close) Reject (all)', 'More…']);
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    await until('the diff is in front', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    const diff = modified();
    assert.deepEqual([...new Set((await lensesOf(diff)).map(({ line }) => line))], [2, 10, 20]);
    await press(diff, /Approve Change/);
    await press(diff, /Reject Change/, 10);
    assert.deepEqual((await lensesOf(file)).filter(({ title }) => / · |of 3\)/.test(title)).map(({ line, title }) => [line, title]), [
      [2, '$(discard) To be written · Undo'], [2, '$(check) Allow (2 of 3)'], [10, '$(discard) Left out · Undo'],
    ]);
    assert.equal(readDemo('hunks/lenses.txt'), OLD);
    await press(file, /Left out · Undo/);
    await press(diff, /Reject Change/, 10);
    await press(diff, /Approve Change/, 15);
    await chat.turnEnd(key);
    assert.equal(readDemo('hunks/lenses.txt'), OLD.replace('line 2\n', 'two\n').replace('line 19\n', ''));
    assert.deepEqual(chat.approval(request.approvalId)?.part, [[0, 2]]);
    assert.match(chat.answer(chat.turn(key)!), /^Only 2 of the 3 changes of hunks\/lenses\.txt were approved, and just these were written\./);
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    await until('the whole proposal can still be read', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(modified())).getText(), NEW);
    assert.deepEqual((await lensesOf(modified())).map(({ title }) => title), ['$(info) 2 of 3 changes approved in an editor']);
  });

  it('is approved from the title without what was left out in the card; nothing is written before', async () => {
    const { chat, key, request } = await proposed('hunks/title.txt');
    await chat.send({ type: 'chooseHunk', approvalId: request.approvalId, change: 0, hunk: 0, chosen: false });
    await chat.send({ type: 'chooseHunk', approvalId: request.approvalId, change: 0, hunk: 1, chosen: false });
    await chat.send({ type: 'chooseHunk', approvalId: request.approvalId, change: 0, hunk: 0, chosen: true });
    assert.equal(readDemo('hunks/title.txt'), OLD);
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    await until('the diff is in front', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    await vscode.commands.executeCommand('attache.approveDiff');
    await chat.turnEnd(key);
    assert.equal(readDemo('hunks/title.txt'), NEW.replace('ten\nmore\n', 'line 10\n'));
  });

  it('is rejected when each hunk is, and is written by the cursor’s commands alone', async () => {
    const { chat, key, request } = await proposed('hunks/none.txt');
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    const editor = await until('the diff has the cursor', () => (vscode.window.activeTextEditor?.document.uri.scheme === 'attache-proposal' ? vscode.window.activeTextEditor : undefined));
    for (const line of [2, 11, editor.document.lineCount - 1]) {
      editor.selection = new vscode.Selection(line, 0, line, 0);
      await vscode.commands.executeCommand('attache.rejectHunk');
    }
    await chat.turnEnd(key);
    assert.equal(chat.approval(request.approvalId)?.status, 'rejected');
    assert.equal(readDemo('hunks/none.txt'), OLD);
  });

  it('is not answered by a mark where it can only be answered whole', async () => {
    writeDemo('hunks/whole.txt', 'old\n');
    const chat = await Chat.fresh();
    const key = await chat.say('/write hunks/whole.txt new\\n');
    const { approvalId } = await chat.request('edit');
    await vscode.commands.executeCommand('attache.rejectHunk', { approvalId, change: 0, hunk: 0 });
    await vscode.commands.executeCommand('attache.reject', approvalId);
    await chat.turnEnd(key);
    assert.equal(chat.approval(approvalId)?.status, 'rejected');
    assert.equal(readDemo('hunks/whole.txt'), 'old\n');
  });

  it('takes one undo to be taken back, and text that is not saved stays', async () => {
    const { chat, key, request, file } = await proposed('hunks/undo.txt');
    const editor = await vscode.window.showTextDocument(file);
    await editor.edit((edit) => edit.insert(new vscode.Position(6, 0), 'mine\n'));
    const mine = editor.document.getText();
    await press(file, /Reject Change/);
    await press(file, /^\$\(check\) Allow \(2 of 3/);
    // It moved on while it was asked: the choice is made anew, on what it would come to now.
    const again = await until('it is asked again', () => chat.view.approvals.find(({ approvalId, status }) => status === 'pending' && approvalId !== request.approvalId));
    assert.equal(editor.document.getText(), mine);
    await until('it is known', () => chat.window.core.centre.pending.some(({ approvalId }) => approvalId === again.approvalId));
    await press(file, /Reject Change/);
    await press(file, /^\$\(check\) .* \(2 of 3/);
    await chat.turnEnd(key);
    assert.equal(editor.document.getText(), mine.replace('line 10\n', 'ten\nmore\n').replace('line 19\n', ''));
    assert.equal(fs.readFileSync(file.fsPath, 'utf8'), OLD);
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), mine);
  });
});
