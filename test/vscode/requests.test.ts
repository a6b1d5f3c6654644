import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { Chat, attache } from './support/chat.ts';
import { closeEditors, demoFile, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

/** The diffs of proposals that are open. */
const proposalTabs = (): vscode.TabInputTextDiff[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input)).filter((input) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'attache-proposal') as vscode.TabInputTextDiff[];

describe('requests', () => {
  afterEach(closeEditors);

  it('a command runs only after approval, and its output and exit code are kept', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run printf ok > ran.txt; echo done; exit 7');
    const request = await chat.request('command');
    assert.equal(request.subject.kind === 'command' && request.subject.command, 'printf ok > ran.txt; echo done; exit 7');
    assert.equal(fs.existsSync(demoFile('ran.txt')), false);
    await chat.decide(request, 'allow_once');
    const turn = await chat.turnEnd(key);
    assert.equal(fs.readFileSync(demoFile('ran.txt'), 'utf8'), 'ok');
    const command = chat.view.items.find((item) => item.turnId === turn.turnId && item.data.kind === 'command');
    assert.ok(command?.data.kind === 'command');
    assert.equal(command.data.exitCode, 7);
    assert.match(command.text, /done/);
  });

  it('a rejected command does not run, and the comment goes with the answer', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run touch never.txt');
    const request = await chat.request('command');
    const reject = request.options.find(({ kind }) => kind === 'reject_once');
    await chat.send({ type: 'decide', approvalId: request.approvalId, optionId: reject?.optionId ?? '', actionDigest: request.actionDigest, comment: 'not now' });
    await chat.turnEnd(key);
    assert.equal(chat.approval(request.approvalId)?.comment, 'not now');
    assert.equal(fs.existsSync(demoFile('never.txt')), false);
  });

  it('C04 Stop withdraws the request; a late answer does nothing; the next message works', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run touch late.txt');
    const request = await chat.request('command');
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    assert.equal((await chat.turnEnd(key)).state, 'cancelled');
    assert.equal(chat.approval(request.approvalId)?.status, 'cancelled');
    await chat.decide(request, 'allow_once');
    await vscode.commands.executeCommand('attache.approve', request.approvalId);
    assert.equal(chat.approval(request.approvalId)?.status, 'cancelled');
    assert.equal((await chat.turnEnd(await chat.say('still there?'))).state, 'completed');
    assert.equal(fs.existsSync(demoFile('late.txt')), false);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('the count of waiting requests follows them, and Approve from the palette answers the only one', async () => {
    const chat = await Chat.fresh();
    const { centre } = chat.window.core;
    await until('nothing waits', () => centre.pending.length === 0);
    const key = await chat.say('/run printf counted > counted.txt');
    await chat.request('command');
    await until('one waits', () => centre.pending.length === 1);
    await vscode.commands.executeCommand('attache.approve');
    await chat.turnEnd(key);
    await until('none waits', () => centre.pending.length === 0);
    assert.equal(fs.readFileSync(demoFile('counted.txt'), 'utf8'), 'counted');
  });

  it('an edit can be approved from the title of its diff, which opens without taking tabs away', async () => {
    const file = writeDemo('work/title.txt', 'one\ntwo\n');
    const kept = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/title.txt two => zwei');
    const request = await chat.request('edit');
    await until('the request is known', () => chat.window.core.centre.pending.length === 1);
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', kept.document.uri);
    assert.deepEqual(lenses.map(({ range }) => range.start.line), lenses.map(() => 1));
    assert.ok(lenses.some(({ command }) => command?.command === 'attache.approve' && command.arguments?.[0] === request.approvalId));
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    await until('the diff is in front', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff);
    await vscode.commands.executeCommand('attache.approveDiff');
    await chat.turnEnd(key);
    assert.equal(fs.readFileSync(file, 'utf8'), 'one\nzwei\n');
    await until('the answered diff is closed', () => !proposalTabs().length);
    assert.ok(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).some(({ input }) => input instanceof vscode.TabInputText && input.uri.fsPath === file));
  });

  it('C41 an answered diff closes alone: not a pinned one, nor one that is opened later to be read, nor that of another request', async () => {
    writeDemo('work/tabs.txt', 'one\ntwo\n');
    const first = await Chat.fresh();
    await first.say('/edit work/tabs.txt one => eins');
    const request = await first.request('edit');
    const other = await Chat.fresh();
    const otherKey = await other.say('/edit work/tabs.txt two => zwei');
    const waits = await other.request('edit');
    await until('both wait', () => other.window.core.centre.pending.length === 2);
    for (const { approvalId } of [waits, request]) await vscode.commands.executeCommand('attache.openDiff', approvalId).then(() => vscode.commands.executeCommand('workbench.action.keepEditor'));
    await until('both diffs are open', () => proposalTabs().length === 2);
    await vscode.commands.executeCommand('attache.reject', request.approvalId);
    await until('the answered one is closed', () => proposalTabs().length === 1);
    assert.match(proposalTabs()[0]?.modified.query ?? '', new RegExp(waits.approvalId));
    await vscode.commands.executeCommand('attache.openDiff', waits.approvalId);
    await vscode.commands.executeCommand('workbench.action.pinEditor');
    await vscode.commands.executeCommand('attache.reject', waits.approvalId);
    await other.turnEnd(otherKey);
    await until('nothing waits', () => other.window.core.centre.pending.length === 0);
    assert.equal(proposalTabs().length, 1);
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    await until('it is open to be read', () => proposalTabs().length === 2);
    other.window.core.centre.look();
    assert.equal(proposalTabs().length, 2);
  });

  it('C41 the code lens stays with the text that the change is about', async () => {
    const file = writeDemo('work/lens.txt', 'one\ntwo\nthree\n');
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/lens.txt two => zwei');
    const request = await chat.request('edit');
    await until('the request is known', () => chat.window.core.centre.pending.length === 1);
    const lines = async (): Promise<number[]> => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri);
      for (const { command } of lenses) assert.doesNotMatch(command?.title ?? '', /\) /, 'a plain space after an icon is not drawn');
      return [...new Set(lenses.map(({ range }) => range.start.line))];
    };
    await until('the lens is at its text', async () => (await lines()).join() === '1');
    const above = new vscode.WorkspaceEdit();
    above.insert(document.uri, new vscode.Position(0, 0), 'new\nlines\nabove\n');
    above.insert(document.uri, new vscode.Position(2, 0), 'below\n');
    await vscode.workspace.applyEdit(above);
    await until('the lens has moved along', async () => (await lines()).join() === '4');
    await chat.decide(request, 'reject_once');
    await chat.turnEnd(key);
  });

  it('a proposal stays readable after the decision, in any window', async () => {
    writeDemo('work/stays.txt', 'old\n');
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/stays.txt old => new');
    const request = await chat.request('edit');
    await chat.decide(request, 'allow_once');
    await chat.turnEnd(key);
    const { core } = await attache();
    const approval = await core.centre.get(request.approvalId);
    assert.ok(approval.subject.kind === 'edit');
    const [change] = approval.subject.changes;
    const { base64 } = await core.calls.call('blob/get', { workspace: chat.view.session.workspace, digest: change?.after ?? request.actionDigest });
    assert.equal(Buffer.from(base64, 'base64').toString(), 'new\n');
  });
});
