import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import type { PermissionMode } from '../../src/protocol/session/state.ts';
import { Chat } from './support/chat.ts';
import { answering } from './support/dialogs.ts';
import { closeEditors, demoFile, readDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

/** Chooses a mode by the session's own control, as its chip does. */
async function choose(chat: Chat, label: string): Promise<readonly string[]> {
  const [asked] = await answering(() => label, () => chat.send({ type: 'run', command: 'permissionMode' }));
  return asked?.rows ?? [];
}

const becomes = (chat: Chat, mode: PermissionMode): Promise<unknown> => until(`the mode is ${mode}`, () => chat.view.session.permissionMode === mode);

describe('the permission mode of a session', () => {
  afterEach(closeEditors);

  it('begins with asking, is changed by its control, and counts at once', async () => {
    writeDemo('work/mode.txt', 'one\n');
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('hello'));
    assert.equal(chat.view.session.permissionMode, 'ask');
    const rows = await choose(chat, 'Accept edits');
    assert.equal(rows.length, 4);
    assert.match(rows[0] ?? '', /^Ask \| now \|/);
    await becomes(chat, 'acceptEdits');
    await chat.turnEnd(await chat.say('/edit work/mode.txt one => two'));
    assert.equal(readDemo('work/mode.txt'), 'two\n');
    const key = await chat.say('/run touch mode-asked.txt');
    await chat.decide(await chat.request('command'), 'reject_once');
    await chat.turnEnd(key);
    await choose(chat, 'Read only');
    await becomes(chat, 'readOnly');
    await chat.turnEnd(await chat.say('/edit work/mode.txt two => three'));
    assert.equal(readDemo('work/mode.txt'), 'two\n');
    assert.equal(fs.existsSync(demoFile('mode-asked.txt')), false);
  });

  it('C39 tabs, tab shortcuts, other sessions, resuming and a new gateway never change it', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('hello'));
    await choose(chat, 'Ask always');
    await becomes(chat, 'askAlways');
    const { sessionId } = chat.view.session;
    await vscode.commands.executeCommand('attache.openInEditor');
    for (const command of ['workbench.action.nextEditor', 'workbench.action.pinEditor', 'workbench.action.unpinEditor', 'workbench.action.moveEditorToNextGroup', 'workbench.action.closeActiveEditor', 'workbench.action.reopenClosedEditor']) await vscode.commands.executeCommand(command);
    await closeEditors();
    const other = await Chat.fresh();
    await other.turnEnd(await other.say('hello'));
    assert.equal(other.view.session.permissionMode, 'ask', 'a new session begins with asking');
    await vscode.commands.executeCommand('attache.previousSession');
    await vscode.commands.executeCommand('attache.restartAgent', sessionId);
    await vscode.commands.executeCommand('attache.restartGateway');
    const { calls, workspaces } = chat.window.core;
    await calls.call('session/resume', { commandId: `resume-${Date.now()}` as never, sessionId });
    assert.equal((await calls.call('session/get', { sessionId })).snapshot.session.permissionMode, 'askAlways');
    assert.equal(workspaces.session(sessionId)?.permissionMode, 'askAlways');
  });

  it('C34 a settings file of the folder narrows what is allowed, and never widens it', async () => {
    const file = demoFile('.vscode/settings.json');
    const before = fs.existsSync(file) ? fs.readFileSync(file) : null;
    const set = async (name: string, value: unknown): Promise<void> => vscode.workspace.getConfiguration('attache').update(name, value, vscode.ConfigurationTarget.Global);
    const policy = async (settings: object, isThere: () => boolean): Promise<void> => {
      writeDemo('.vscode/settings.json', JSON.stringify(settings));
      await until('the file is read', isThere);
    };
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const given = (): unknown => vscode.workspace.getConfiguration('attache', folder).inspect('workspaceApprovals')?.workspaceValue ?? vscode.workspace.getConfiguration('attache', folder).inspect('workspaceApprovals')?.workspaceFolderValue;
    writeDemo('work/narrow.txt', 'one\n');
    try {
      // It claims more than it may: neither the machine's own setting nor a word that allows counts.
      await policy({ 'attache.approvals': { edit: 'allow', command: 'allow' }, 'attache.workspaceApprovals': { edit: 'allow', command: 'allow' } }, () => JSON.stringify(given())?.includes('allow') === true);
      const chat = await Chat.fresh();
      for (const [message, kind] of [['/edit work/narrow.txt one => two', 'edit'], ['/run touch wide.txt', 'command']] as const) {
        const key = await chat.say(message);
        await chat.decide(await chat.request(kind), 'reject_once');
        await chat.turnEnd(key);
      }
      await set('approvals', { edit: 'allow' });
      await policy({ 'attache.workspaceApprovals': { edit: 'ask', command: 'deny' } }, () => JSON.stringify(given())?.includes('deny') === true);
      const key = await chat.say('/edit work/narrow.txt one => two');
      await chat.decide(await chat.request('edit'), 'reject_once');
      await chat.turnEnd(key);
      const turn = await chat.turnEnd(await chat.say('/run touch wide.txt'));
      assert.deepEqual(chat.view.approvals.filter(({ turnId }) => turnId === turn.turnId).map(({ status, decidedBy }) => [status, decidedBy?.by]), [['rejected', 'policy']]);
      assert.deepEqual([readDemo('work/narrow.txt'), fs.existsSync(demoFile('wide.txt'))], ['one\n', false]);
    } finally {
      await set('approvals', undefined);
      if (before === null) fs.rmSync(file, { force: true });
      else fs.writeFileSync(file, before);
    }
  });
});
