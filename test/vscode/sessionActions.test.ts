import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { TestClient } from '../support/testClient.ts';
import { TestHost } from '../support/testHost.ts';
import { Chat, demoFolder, listenTo } from './support/chat.ts';
import { answering } from './support/dialogs.ts';
import { run, said } from './support/sessions.ts';
import { until } from './support/until.ts';

describe('a deleted session', () => {
  it('leaves the chat and the lists, and comes back as it was, and works', async () => {
    const { chat, sessionId } = await said('deleted and brought back');
    const shown = await answering(() => 'Undo', async () => {
      await run('deleteSession', sessionId);
      await until('it is back', async () => chat.panel.view?.session.sessionId === sessionId && chat.view.session.status !== 'closed');
    });
    assert.match(shown[0]?.title ?? '', /deleted “deleted and brought back”\. It can be brought back until/);
    assert.deepEqual(shown[0]?.rows, ['Undo']);
    await until('this window runs it again', () => chat.view.session.executor.state === 'connected');
    assert.equal((await chat.turnEnd(await chat.say('still here'))).state, 'completed');
  });

  it('is not shown in a chat any more, is in no list, and can be restored when the message is long gone', async () => {
    const { chat, sessionId } = await said('gone for good');
    await answering(() => null, async () => {
      await run('deleteSession');
      await until('the chat shows a new one', () => chat.panel.sessionId === null);
      await until('no list has it', () => !chat.window.core.workspaces.sessions.some((session) => session.sessionId === sessionId));
    });
    await chat.window.ui.shelves.open();
    assert.ok(!chat.window.ui.shelves.putAway.some((session) => session.sessionId === sessionId));
    const [asked] = await answering(() => 'gone for good', async () => run('restoreSession'));
    assert.match(asked?.rows.join('\n') ?? '', /gone for good/);
    await until('it is back and shown', () => chat.panel.sessionId === sessionId && chat.view.session.status !== 'closed');
  });
});

describe('a fork', () => {
  it('goes on from a message: what was said up to it stands in the box, and nothing else is told to the agent', async () => {
    const { chat, sessionId } = await said('the first of two');
    const first = chat.view.turns[0]?.turnId ?? assert.fail();
    await chat.turnEnd(await chat.say('the second of two'));
    const told = listenTo(chat, 'postWhenReady');
    await chat.send({ type: 'run', command: 'forkSession', about: first });
    const { session, turns } = await until('the fork is shown', () => (chat.panel.sessionId === sessionId ? null : chat.panel.view));
    assert.deepEqual([session.goalId.startsWith('g-'), session.title, turns], [true, 'the first of two (fork)', []]);
    const [prefill, toast] = told.filter(({ type }) => type === 'prefill' || type === 'toast');
    assert.ok(prefill?.type === 'prefill' && prefill.caret === 'start');
    assert.match(prefill.text, /^\n\nWhat was said in “the first of two” up to message 1:\n\nUser: the first of two\n\nAgent: /);
    assert.doesNotMatch(prefill.text, /the second of two/);
    assert.match(toast?.type === 'toast' ? `${toast.message} ${toast.next}` : '', /knows nothing of the old session\. What was said stands in the message box/);
    await until('it is the draft of the fork', () => chat.window.core.memory.notes(chat.panel.conversation).draft === prefill.text);
    assert.equal((await chat.turnEnd(await chat.say('what do you know?'))).state, 'completed');
  });
});

describe('an export', () => {
  const withFile = async (file: string, act: () => Promise<unknown>): Promise<vscode.SaveDialogOptions | undefined> => {
    const window = vscode.window as unknown as { showSaveDialog: typeof vscode.window.showSaveDialog };
    const before = window.showSaveDialog;
    let asked: vscode.SaveDialogOptions | undefined;
    window.showSaveDialog = (options) => {
      asked = options;
      return Promise.resolve(vscode.Uri.file(file));
    };
    try {
      await answering(() => null, act);
    } finally {
      window.showSaveDialog = before;
    }
    return asked;
  };

  it('C35 writes the transcript into the chosen file, in the format of its ending, without secrets, and says who decided', async () => {
    const { chat, sessionId } = await said('to be exported');
    const key = await chat.say('/run PGPASSWORD=demo-123 true');
    await chat.decide(await chat.request('command'), 'allow_once');
    await chat.turnEnd(key);
    for (const [ending, form] of [['md', /^# to be exported[\s\S]*decided by: client, kind `editor`/], ['json', /"format": "attache-transcript"[\s\S]*"clientKind": "editor"/], ['jsonl', /^\{"type":"transcript"/]] as const) {
      const file = path.join(demoFolder(), `export.${ending}`);
      const asked = await withFile(file, async () => run('exportSession', sessionId));
      assert.match(asked?.defaultUri?.path ?? '', /\/to-be-exported\.md$/);
      const text = fs.readFileSync(file, 'utf8');
      assert.match(text, form);
      assert.doesNotMatch(text, /demo-123/);
    }
  });
});

describe('a link from outside', () => {
  const open = async (chat: Chat, query: string): Promise<void> => chat.window.openAddress(vscode.Uri.parse(`vscode://attache.attache/open?${query}`));

  it('opens the session it names and fills its box behind the draft; it sends nothing', async () => {
    const { chat, sessionId } = await said('linked to');
    const { conversation } = chat.panel;
    await chat.send({ type: 'draft', conversation, text: 'my own words', at: Date.now() });
    await Chat.fresh();
    const told = listenTo(chat, 'postWhenReady');
    const turns = (await chat.window.core.calls.call('session/get', { sessionId })).snapshot.turns.length;
    await open(chat, `session=${sessionId}&prompt=${encodeURIComponent('a & b + 100%\u202e\u{e0041}\u0000')}`);
    assert.equal(chat.panel.sessionId, sessionId);
    const prefill = told.find(({ type }) => type === 'prefill');
    assert.equal(prefill?.type === 'prefill' && prefill.text, 'my own words\n\na & b + 100%\\u{202e}\\u{e0041}\u2400');
    await until('it is the draft', () => chat.window.core.memory.notes(conversation).draft.startsWith('my own words\n\na & b'));
    assert.equal(chat.window.core.memory.outbox.filter((message) => message.conversation === conversation).length, 0);
    assert.equal((await chat.window.core.calls.call('session/get', { sessionId })).snapshot.turns.length, turns);
    await chat.send({ type: 'draft', conversation, text: '', at: Date.now() });
  });

  it('fills the box of the session it names, also when that has to be read first, and no other', async () => {
    const { chat } = await said('still shown while the other is read');
    const before = chat.panel.conversation;
    const { dataRoot, folders } = chat.window.core;
    const [folder] = folders.all;
    const other = await TestClient.connect(dataRoot, { folders: [folder?.path ?? ''], windowId: 'linking-window', clientId: 'linking' });
    try {
      const host = await TestHost.start(other, { workspace: folder?.path ?? '', goal: 'linked-elsewhere' });
      await open(chat, `session=${host.sessionId}&prompt=for%20that%20one`);
      await until('it is the draft of that one', () => chat.window.core.memory.notes(host.sessionId).draft === 'for that one');
      assert.equal(chat.window.core.memory.notes(before).draft, '');
    } finally {
      other.close();
    }
  });

  it('says so when there is no such session, or the link is none of ours, and opens nothing', async () => {
    const { chat } = await said('left alone');
    const { conversation } = chat.panel;
    const told = listenTo(chat, 'postWhenReady');
    for (const query of ['session=ses_00000000000000000000000000&prompt=rm', 'session=../../etc/passwd&prompt=rm', 'session=&prompt=rm', `session=${'x'.repeat(5000)}`]) {
      const shown = await answering(() => null, async () => open(chat, query));
      assert.match(shown[0]?.title ?? '', /there is no session “[^“”]{0,60}” in the folders of this window/, query);
    }
    const [foreign] = await answering(() => null, async () => chat.window.openAddress(vscode.Uri.parse('vscode://attache.attache/run?prompt=rm')));
    assert.match(foreign?.title ?? '', /this link is none that Attaché knows/);
    assert.deepEqual([chat.panel.conversation, told.filter(({ type }) => type === 'prefill')], [conversation, []]);
  });
});
