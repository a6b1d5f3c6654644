import assert from 'node:assert/strict';
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { TestClient } from '../support/testClient.ts';
import { submit, TestHost } from '../support/testHost.ts';
import { attache, Chat, listenTo } from './support/chat.ts';
import { until } from './support/until.ts';

const toasts = (told: readonly ToPanel[]): Extract<ToPanel, { type: 'toast' }>[] => told.filter((message) => message.type === 'toast');
let goals = 0;

describe('a session that another window runs', () => {
  let other: TestClient;
  let chat: Chat;

  async function elsewhere(): Promise<TestHost> {
    const window = await attache();
    // The chat's window starts the gateway, where nothing did before.
    chat = await Chat.fresh();
    await until('the window is connected', () => window.core.connection.state.state === 'connected');
    const [folder] = window.core.folders.all;
    other = await TestClient.connect(window.core.dataRoot, { folders: [folder?.path ?? ''], windowId: `other-window-${++goals}`, clientId: `other-${goals}` });
    const host = await TestHost.start(other, { workspace: folder?.path ?? '', goal: `elsewhere-${goals}` });
    chat.panel.show(host.sessionId);
    await until('it is shown', () => chat.panel.view?.session.sessionId === host.sessionId);
    return host;
  }
  afterEach(() => other.close());

  const takeOver = async (): Promise<void> => chat.send({ type: 'run', command: 'takeOver' });

  it('is read, queued for, and answered from here; a take-over is refused while a turn runs there', async () => {
    const host = await elsewhere();
    const told = listenTo(chat);
    const key = await chat.say('from here');
    await until('it waits there', () => chat.turn(key)?.state === 'queued');
    await host.claim();
    await until('it runs there', () => chat.turn(key)?.state === 'running');
    await takeOver();
    const refused = await until('the refusal is told', () => toasts(told)[0]);
    assert.deepEqual(refused, { type: 'toast', message: 'The window that runs this session is alive and working.', next: 'Stop the turn, or wait until it ends.' });
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    await until('it is being stopped', () => chat.turn(key)?.state === 'cancelling');
    await host.complete({ outcome: 'cancelled' });
    await chat.turnEnd(key);
    await takeOver();
    const receipt = await until('the receipt stands in the transcript', () => chat.view.items.find(({ data }) => data.kind === 'notice' && data.code === 'executor_replaced'));
    assert.match(receipt.text, /^This session was taken over/);
    await until('it runs here', () => chat.view.session.executor.windowId === chat.window.core.memory.windowId);
    const before = chat.view.head;
    await takeOver();
    assert.equal(chat.view.head, before, 'who runs it already takes nothing over');
  });

  it('a take-over is refused with the time while the other may come back, and offered again', async () => {
    const host = await elsewhere();
    const told = listenTo(chat);
    await submit(other, host.sessionId, 'long work');
    await host.claim();
    await until('it runs', () => chat.view.turns[0]?.state === 'running');
    other.close();
    await until('its window is gone', () => chat.view.session.executor.state !== 'connected');
    const asked = Date.now();
    await takeOver();
    const refused = await until('the refusal is told', () => toasts(told)[0]);
    assert.match(refused.message, /may still come back/);
    assert.match(refused.next, /^It has until .*\d:\d\d/);
    assert.deepEqual([refused.again?.command, refused.again?.label], ['takeOver', 'Take Over Here']);
    assert.ok((refused.again?.at ?? 0) > asked && (refused.again?.at ?? 0) <= Date.now() + 30_000);
    assert.equal(chat.view.session.executor.windowId, null);
  });

  it('a take-over before anything was said leaves its receipt, too, and the first turn keeps it', async () => {
    await elsewhere();
    await takeOver();
    await until('the session tells it', () => chat.view.session.lastErrorCode === 'executor_replaced');
    await until('it runs here', () => chat.view.session.executor.windowId === chat.window.core.memory.windowId);
    // Its agent is one that this window does not have: how the turn ends is not what this is about.
    const key = await chat.say('the first');
    await chat.turnEnd(key);
    await until('the first turn has it', () => chat.view.items.some(({ data, turnId }) => data.kind === 'notice' && data.code === 'executor_replaced' && turnId === chat.turn(key)?.turnId));
  });
});

describe('what the chat page is told', () => {
  it('holds nothing that is private: no identities of goals and hosts, no claims, no secrets', async () => {
    const chat = await Chat.fresh();
    const told = listenTo(chat);
    const key = await chat.say('/run printf private > private.txt');
    await chat.decide(await chat.request('command'), 'allow_once');
    await chat.turnEnd(key);
    await chat.send({ type: 'ready' });
    await chat.send({ type: 'history', conversation: chat.panel.conversation, before: 2 });
    const { core } = chat.window;
    const { sessionId, workspace, goalId, lifetime } = chat.view.session;
    for (const item of chat.view.items) await chat.send({ type: 'loadItem', itemId: item.itemId });
    await core.calls.call('goal/recreate', { commandId: 'privacy-recreate' as never, workspace, goalId, expectedLifetime: lifetime });
    await until('it is history', () => chat.view.session.bindingMatch !== 'current');
    await chat.say('refused');
    await until('the page hears why', () => told.some((message) => message.type === 'chrome' && message.chrome.outbox.some(({ state }) => state === 'failed')));
    const types = new Set(told.map(({ type }) => type));
    for (const type of ['state', 'events', 'chrome', 'history', 'item'] as const) assert.ok(types.has(type), type);

    const store = new DatabaseSync(path.join(core.dataRoot, 'store.db'), { readOnly: true });
    const row = store.prepare('SELECT goalInstanceId, hostSessionId, hostRunId, agentSessionId FROM sessions WHERE sessionId = ?').get(sessionId) ?? {};
    const turn = store.prepare('SELECT claimId, completionId FROM turns WHERE sessionId = ?').get(sessionId) ?? {};
    store.close();
    const token = fs.readFileSync(dataRootPaths(core.dataRoot).token, 'utf8').trim();
    const secrets = [...Object.values({ ...row, ...turn }), token, ...core.memory.hosted.map(({ hostSessionId }) => hostSessionId)].filter((secret) => typeof secret === 'string' && secret !== '');
    assert.ok(secrets.length >= 6, `${secrets.length} secrets`);
    const said = JSON.stringify(told);
    for (const secret of [...secrets, 'ginst_']) assert.ok(!said.includes(String(secret)), 'something private was said');
    const { clientTurnId } = core.conversations.outbox(chat.panel.conversation)[0] ?? assert.fail();
    await chat.send({ type: 'discard', clientTurnId });
    await vscode.commands.executeCommand('notifications.clearAll');
  });
});
