import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import * as vscode from 'vscode';
import type { CommandId, SessionId } from '../../src/protocol/ids.ts';
import { Chat } from './support/chat.ts';
import { answering } from './support/dialogs.ts';
import { closeEditors } from './support/documents.ts';
import { run, said } from './support/sessions.ts';
import { until } from './support/until.ts';

describe('the sessions view', () => {
  /** The tree as it would be drawn, each line with what stands below it. */
  function lines(chat: Chat): string[] {
    const { tree } = chat.window.ui;
    const below = (id: string | undefined, depth: number): string[] => tree.getChildren(id).flatMap((child) => {
      const { label } = tree.getTreeItem(child);
      return [`${'  '.repeat(depth)}${typeof label === 'string' ? label : (label?.label ?? '')}`, ...below(child, depth + 1)];
    });
    return below(undefined, 0);
  }
  const item = (chat: Chat, id: string): vscode.TreeItem => {
    assert.ok(chat.window.ui.tree.model.nodes.has(id));
    return chat.window.ui.tree.getTreeItem(id);
  };

  it('C17 says of hidden sessions what they do, as it happens', async () => {
    const { chat } = await said('a quiet one');
    const slow = await Chat.fresh();
    await slow.say('/slow 400');
    await until('it works', () => (slow.panel.view?.session.activeTurnId ?? null) !== null);
    const working = slow.view.session.sessionId;
    const asking = await Chat.fresh();
    await asking.say('/run touch listed.txt');
    const request = await asking.request('command');
    const asked = asking.view.session.sessionId;
    await Chat.fresh();
    await until('both are told apart', () => chat.window.ui.tree.getParent(asked) === 'section:needsYou' && chat.window.ui.tree.getParent(working) === 'section:working');
    assert.deepEqual([item(chat, asked).iconPath, item(chat, working).iconPath].map((icon) => (icon as vscode.ThemeIcon).id), ['bell-dot', 'loading~spin']);
    assert.match(String(item(chat, asked).description), /1 waiting/);
    await chat.window.core.centre.decide(request, request.options.find(({ kind }) => kind === 'reject_once')?.optionId ?? '');
    await until('it needs nobody', () => chat.window.ui.tree.getParent(asked) === undefined);
    asking.panel.show(chat.window.core.memory.conversationOf(working));
    await chat.send({ type: 'stop', conversation: asking.panel.conversation });
    await until('it is quiet', () => chat.window.ui.tree.getParent(working) === undefined);
  });

  it('has a line for a goal with several sessions, and none for one with a single session', async () => {
    const { chat, sessionId } = await said('the only one of its goal');
    await until('it is there', () => lines(chat).includes('the only one of its goal'));
    assert.match(String(item(chat, sessionId).contextValue), /\bliveGoal\b/, 'what can be done to the goal stands with the session');
    const { goalId, workspace } = chat.view.session;
    await run('newSessionForGoal', sessionId);
    await until('another one of the goal is shown', () => chat.panel.view !== null && chat.view.session.sessionId !== sessionId && chat.view.session.goalId === goalId);
    await chat.turnEnd(await chat.say('the second'));
    const drawn = await until('the goal has a line', () => {
      const all = lines(chat);
      const at = all.indexOf('the only one of its goal');
      return all[at + 1]?.startsWith('  ') === true ? all.slice(at, at + 3) : null;
    });
    assert.deepEqual(drawn, ['the only one of its goal', '  the second', '  the only one of its goal']);
    const node = `goal:${workspace}\n${goalId}`;
    await answering(() => 'Retire', async () => run('retireGoal', node));
    await until('the goal is retired', () => /\bretired\b/.test(String(item(chat, node).contextValue)));
    assert.match(String(item(chat, sessionId).description), /goal retired/);
  });

  it('pins, puts away and brings back; what is put away is shown when it is asked for, and found again', async () => {
    const { chat, sessionId } = await said('to be put away');
    const { tree, shelves } = chat.window.ui;
    await run('pinSession', sessionId, [sessionId]);
    await until('it is pinned', () => tree.getParent(sessionId) === 'section:pinned');
    await run('unpinSession', sessionId);
    await run('archiveSession', sessionId);
    await until('it is away', () => !tree.model.nodes.has(sessionId));
    assert.ok(!lines(chat).includes('Archived'));
    await run('showArchived');
    await shelves.open();
    await until('it is shown as archived', () => tree.model.nodes.has(sessionId) && tree.getParent(sessionId) === 'section:archived');
    await run('unarchiveSession', sessionId);
    await until('it is back', () => tree.model.nodes.has(sessionId) && tree.getParent(sessionId) === undefined);
    await run('hideArchived');
    const { hits, sessions } = await chat.window.core.calls.call('session/search', { workspace: chat.view.session.workspace, text: 'to be put away' });
    assert.ok(hits.some((hit) => hit.kind === 'user_message' && hit.sessionId === sessionId));
    assert.ok(sessions.some((session) => session.sessionId === sessionId));
  });

  it('refuses to archive what runs, with the next step, and puts away what of several can be', async () => {
    const { sessionId } = await said('idle');
    const slow = await Chat.fresh();
    await slow.say('/slow 400');
    await until('it works', () => (slow.panel.view?.session.activeTurnId ?? null) !== null);
    const working = slow.view.session.sessionId;
    const { list } = slow.window.ui.sessions;
    const statusOf = async (id: SessionId): Promise<string> => (await slow.window.core.calls.call('session/get', { sessionId: id })).snapshot.session.status;
    await assert.rejects(list.archiveSession(working, [working, sessionId]), (error: { kind: string; data: { next: string } }) => error.kind === 'attached_session_turn_active' && error.data.next !== '');
    await until('the idle one is away', () => !slow.window.core.workspaces.listed.some((session) => session.sessionId === sessionId));
    await run('unarchiveSession', sessionId);
    const [asked] = await answering(() => 'Close Session', async () => run('closeSession', working));
    assert.match(asked?.detail ?? '', /What is running is stopped/);
    await until('it is closed', async () => (await statusOf(working)) === 'closed');
  });
});

describe('a session whose chat is hidden', () => {
  const label = (title: string): string | undefined => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map((tab) => tab.label).find((text) => text.includes(title));

  it('C38 asks with one notification and one badge, its tab says that it waits, and no window is raised', async () => {
    const { chat, sessionId } = await said('in a tab of its own');
    const { window: { core, ui } } = chat;
    const { conversation } = chat.panel;
    await run('openInEditor');
    const tab = await until('a tab is there', () => ui.panels.all.find((panel) => panel !== chat.panel && panel.conversation === conversation));
    await core.calls.call('session/rename', { commandId: randomUUID().replaceAll('-', '') as CommandId, sessionId, title: 'Renamed elsewhere' });
    await until('the tab has the new title', () => label('Renamed elsewhere'));
    chat.panel.show(core.conversations.fresh());
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'in front' }));
    await until('the tab is behind', () => !tab.isVisible);
    const shown = await answering(() => null, async () => {
      await core.conversations.submit(conversation, randomUUID(), '/run touch hidden.txt');
      await until('the tab counts it', () => label('(1) Renamed elsewhere'));
      await until('the badge counts it', () => ui.tree.badge === 1 && core.centre.pending.length === 1);
    });
    assert.deepEqual(shown.map(({ title, rows }) => [/wants to run|asks|touch hidden\.txt/.test(title), rows]), [[true, ['Show Request']]]);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'in front');
    await core.centre.decide(core.centre.pending[0] ?? assert.fail(), 'reject_once');
    await until('nothing waits', () => ui.tree.badge === 0 && label('(1) Renamed elsewhere') === undefined);
    await closeEditors();
  });
});

describe('thousands of sessions', () => {
  it('are drawn a hundred at a time, and the oldest are read when they are asked for', async () => {
    const { chat } = await said('the newest of thousands');
    const { core, ui } = chat.window;
    const { sessionId, workspace } = chat.view.session;
    // No test can hold two thousand conversations: their rows are copies of this one's.
    const store = new DatabaseSync(path.join(core.dataRoot, 'store.db'));
    store.exec('PRAGMA busy_timeout = 5000');
    const columns = store.prepare('SELECT name FROM pragma_table_info(?)').all('sessions').map(({ name }) => String(name));
    const made: Record<string, string> = { sessionId: "'ses_' || printf('%026d', n)", channelId: "'chn_' || printf('%026d', n)", title: "'old ' || n", updatedAt: 'updatedAt - 100000 - n', goalId: "'many'", hostSessionId: 'NULL', pinned: '0' };
    try {
      store.exec(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 2000)
        INSERT INTO sessions (${columns.join(', ')}) SELECT ${columns.map((name) => made[name] ?? name).join(', ')} FROM sessions, counted WHERE sessionId = '${sessionId}'`);
      await run('restartGateway');
      await until('the list is read anew', () => core.workspaces.listed.length > 800);
      assert.ok(core.workspaces.listed.length < 2000 && core.workspaces.mayHaveOlder);
      assert.ok(ui.tree.getChildren().length <= 103);
      let calls = 0;
      for (let rounds = 0; rounds < 40; rounds += 1) {
        const last = ui.tree.getChildren().find((id) => id === 'more:');
        if (last === undefined) break;
        await ui.tree.more(last);
        calls += 1;
      }
      const drawn = ui.tree.getChildren();
      assert.ok(drawn.includes(`ses_${'2000'.padStart(26, '0')}`), 'the oldest is there');
      assert.equal(new Set(drawn).size, drawn.length);
      assert.ok(calls <= 25, `${calls} pages`);
    } finally {
      store.exec(`DELETE FROM sessions WHERE goalId = 'many' AND workspace = '${workspace}'`);
      store.close();
      await run('restartGateway');
    }
    await until('they are gone', () => core.workspaces.listed.length < 800);
  });
});
