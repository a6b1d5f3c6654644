import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Chat } from './support/chat.ts';
import { closeEditors, readDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const set = async (name: string, value: unknown): Promise<void> => vscode.workspace.getConfiguration('attache').update(name, value, vscode.ConfigurationTarget.Global);

describe('settings about requests', () => {
  afterEach(async () => {
    await set('approvals', undefined);
    await set('openDiffs', undefined);
    await closeEditors();
  });

  it('answers for each kind by itself: allows, refuses or asks, and each answer says by which setting', async () => {
    writeDemo('work/kinds.txt', 'one\n');
    await set('approvals', { edit: 'deny', command: 'allow', tool: 'perhaps' });
    const chat = await Chat.fresh();
    const decidedIn = async (message: string): Promise<unknown[]> => {
      const turn = await chat.turnEnd(await chat.say(message));
      return chat.view.approvals.filter((approval) => approval.turnId === turn.turnId).map(({ status, decidedBy }) => [status, decidedBy?.rule]);
    };
    assert.deepEqual(await decidedIn('/run printf ran > work/kinds-ran.txt'), [['approved', 'policy:attache.approvals.command']]);
    assert.deepEqual(await decidedIn('/edit work/kinds.txt one => two'), [['rejected', 'policy:attache.approvals.edit']]);
    assert.deepEqual([readDemo('work/kinds.txt'), readDemo('work/kinds-ran.txt')], ['one\n', 'ran']);
    await set('approvals', { edit: 'ask' });
    const key = await chat.say('/run true');
    await chat.decide(await chat.request('command'), 'reject_once');
    await chat.turnEnd(key);
  });

  it('allowing edits applies an edit by rule, says so, and still asks for a command', async () => {
    writeDemo('work/rule.txt', 'one\n');
    await set('approvals', { edit: 'allow' });
    const chat = await Chat.fresh();
    const turn = await chat.turnEnd(await chat.say('/edit work/rule.txt one => two'));
    assert.equal(readDemo('work/rule.txt'), 'two\n');
    const decided = chat.view.approvals.filter((approval) => approval.turnId === turn.turnId);
    assert.deepEqual(decided.map(({ status, decidedBy }) => [status, decidedBy?.by]), [['approved', 'policy']]);
    const key = await chat.say('/run true');
    await chat.decide(await chat.request('command'), 'reject_once');
    await chat.turnEnd(key);
  });

  it('C41 a diff that opens by itself stands behind the tab in front, and closes with the answer', async () => {
    const kept = await vscode.window.showTextDocument(vscode.Uri.file(writeDemo('work/kept.txt', 'mine\n')), { preview: false });
    writeDemo('work/preview.txt', 'one\n');
    await set('openDiffs', 'preview');
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/preview.txt one => two');
    const request = await chat.request('edit');
    const tab = await until('the diff opens', () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ input }) => input instanceof vscode.TabInputTextDiff));
    assert.equal(tab.isActive, false);
    assert.equal(vscode.window.activeTextEditor?.document, kept.document);
    assert.ok(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).some(({ input }) => input instanceof vscode.TabInputText && input.uri.fsPath === kept.document.uri.fsPath));
    await chat.decide(request, 'reject_once');
    await chat.turnEnd(key);
    await until('it is closed', () => !vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).some(({ input }) => input instanceof vscode.TabInputTextDiff));
  });

  it('a setting of the folder weakens nothing', async () => {
    const folder = vscode.workspace.getConfiguration('attache', vscode.workspace.workspaceFolders?.[0]?.uri);
    for (const [name, value] of [['approvals', { edit: 'allow' }], ['agents', [{ id: 'offline', command: 'touch' }]], ['defaultAgent', 'codex']] as const) {
      await assert.rejects(async () => folder.update(name, value, vscode.ConfigurationTarget.Workspace), name);
    }
  });
});
