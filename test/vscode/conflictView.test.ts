import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Chat } from './support/chat.ts';
import { closeEditors, readDemo, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const TEXT = 'one\ntwo\nthree\nfour\nfive\n';

const diffs = (): { label: string; original: vscode.Uri; modified: vscode.Uri }[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).flatMap(({ label, input }) => (input instanceof vscode.TabInputTextDiff ? [{ label, original: input.original, modified: input.modified }] : []));
const textOf = async (uri: vscode.Uri): Promise<string> => (await vscode.workspace.openTextDocument(uri)).getText();

async function both(): Promise<ReturnType<typeof diffs>> {
  try {
    return await until('both diffs are open', () => diffs().length === 2 && diffs(), 20_000);
  } catch (error) {
    throw new Error(`open are: ${vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)).join('; ')}`, { cause: error });
  }
}

/** An edit that is approved after its file has moved on; gives the request that is asked in its place. */
async function movedOn(name: string, line: number, typed: string) {
  writeDemo(name, TEXT);
  const editor = await showDemo(name);
  const chat = await Chat.fresh();
  const key = await chat.say(`/edit ${name} two => zwei`);
  const request = await chat.request('edit');
  await replaceLine(editor, line, typed);
  await chat.decide(request, 'allow_once');
  const again = await chat.request('edit');
  assert.notEqual(again.approvalId, request.approvalId);
  return { chat, editor, key, again };
}

describe('the view of a conflict', () => {
  before(async () => vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global));
  afterEach(closeEditors);

  it('C09 shows what was known, what is now and what is proposed; nothing is written before the new decision', async () => {
    const { chat, editor, key, again } = await movedOn('moved/view.txt', 1, 'mine');
    assert.deepEqual([editor.document.getText(), readDemo('moved/view.txt')], [TEXT.replace('two', 'mine'), TEXT]);
    const { activeTabGroup: { viewColumn } } = vscode.window.tabGroups;
    await vscode.commands.executeCommand('attache.openDiff', again.approvalId);
    const [known, proposed] = await both();
    assert.deepEqual([known?.label, proposed?.label], ['moved/view.txt 1/2: changed since the agent read it', 'moved/view.txt 2/2: approving replaces those changes']);
    assert.ok(known !== undefined && proposed !== undefined);
    assert.deepEqual([await textOf(known.original), await textOf(known.modified)], [TEXT, TEXT.replace('two', 'mine')]);
    assert.deepEqual([await textOf(proposed.original), await textOf(proposed.modified)], [TEXT.replace('two', 'mine'), TEXT.replace('two', 'zwei')]);
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, proposed.label);
    assert.equal(vscode.window.tabGroups.activeTabGroup.viewColumn, viewColumn);
    assert.equal(editor.document.getText(), TEXT.replace('two', 'mine'));
    await vscode.commands.executeCommand('attache.rejectDiff');
    await chat.turnEnd(key);
    await until('both close with the decision', () => diffs().length === 0);
    assert.equal(editor.document.getText(), TEXT.replace('two', 'mine'));
  });

  it('C09 on other lines both changes stay, and approving there writes just what is shown', async () => {
    const { chat, editor, key, again } = await movedOn('moved/both.txt', 4, 'mine');
    await vscode.commands.executeCommand('attache.openDiff', again.approvalId);
    const [, proposed] = await both();
    assert.equal(proposed?.label, 'moved/both.txt 2/2: now ↔ proposed');
    await vscode.commands.executeCommand('attache.approveDiff');
    await chat.turnEnd(key);
    assert.equal(editor.document.getText(), TEXT.replace('two', 'zwei').replace('five', 'mine'));
  });
});
