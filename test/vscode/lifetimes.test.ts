import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ClientTurnId, CommandId, SessionId } from '../../src/protocol/ids.ts';
import { Chat } from './support/chat.ts';
import { beginAndChoose } from './support/choose.ts';
import { until } from './support/until.ts';

const commandId = (): CommandId => randomUUID().replaceAll('-', '') as CommandId;

/** The chat on a session that has said something, whose goal then began a new life. */
async function history(text: string): Promise<{ chat: Chat; old: string }> {
  const chat = await Chat.fresh();
  await chat.turnEnd(await chat.say(text));
  const { sessionId, goalId, workspace, lifetime } = chat.view.session;
  await chat.window.core.calls.call('goal/recreate', { commandId: commandId(), workspace, goalId, expectedLifetime: lifetime });
  await until('it is history', () => chat.view.session.bindingMatch === 'goal_instance_mismatch' && chat.view.goal?.lifetime === lifetime + 1);
  return { chat, old: sessionId };
}

describe('a session whose goal was recreated', () => {
  it('goes on in a new session of the present life; the last messages are put into the message box and not sent', async () => {
    const { chat, old } = await history('/help');
    await beginAndChoose(chat, async () => chat.send({ type: 'run', command: 'continueInNewSession' }), 'first');
    const { session } = chat.view;
    assert.notEqual(session.sessionId, old);
    assert.deepEqual([session.lifetime, session.bindingMatch], [2, 'current']);
    const draft = await until('the messages are in the box', () => chat.window.core.memory.notes(chat.panel.conversation).draft || null);
    assert.match(draft, /^\n\nWhat was said before, in “\/help”:\n\nUser: \/help\n\nAgent: [\s\S]*\/edit/);
    // Other tests may have left messages that were not delivered.
    assert.deepEqual([chat.view.turns, chat.window.core.conversations.outbox(chat.panel.conversation)], [[], []]);
    const { snapshot } = await chat.window.core.calls.call('session/get', { sessionId: old as SessionId });
    assert.equal(snapshot.turns.length, 1, 'the old one can still be read');
  });

  it('takes no new work, and is not forked', async () => {
    const { chat, old } = await history('before');
    const turnId = chat.view.turns[0]?.turnId ?? assert.fail();
    const { calls } = chat.window.core;
    const stale = { kind: 'stale_goal_instance' };
    await assert.rejects(calls.call('turn/submit', { sessionId: old as SessionId, clientTurnId: randomUUID() as ClientTurnId, text: 'more' }), stale);
    await assert.rejects(calls.call('session/fork', { commandId: commandId(), turnId, hostSessionId: commandId() as never, hostSurface: 'vscode', executorEndpointId: 'offline', attachedCapabilities: [] }), stale);
    assert.equal(chat.view.turns.length, 1);
  });

  it('says the next step when no goal is live, and opens nothing', async () => {
    const { chat } = await history('to be retired');
    const { goalId, workspace } = chat.view.session;
    await chat.window.core.calls.call('goal/retire', { commandId: commandId(), workspace, goalId, expectedLifetime: 2 });
    await until('it is retired', () => chat.view.goal?.state === 'retired' && chat.view.session.bindingMatch === 'goal_not_registered');
    const before = chat.panel.conversation;
    const asked = chat.send({ type: 'run', command: 'continueInNewSession' });
    await until('the message is there', async () => {
      await vscode.commands.executeCommand('notifications.clearAll');
      return Promise.race([asked.then(() => true), new Promise<false>((resolve) => setTimeout(() => resolve(false), 100))]);
    });
    assert.equal(chat.panel.conversation, before);
  });
});

describe('a session from before goals had lifetimes', () => {
  it('A11 says why it can only be read, and is refused as goal_instance_id_missing', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('of old'));
    const { sessionId } = chat.view.session;
    const { core } = chat.window;
    // Such rows come only from older stores.
    const store = new DatabaseSync(path.join(core.dataRoot, 'store.db'));
    store.exec('PRAGMA busy_timeout = 5000');
    store.prepare('UPDATE sessions SET goalInstanceId = NULL, lifetime = 0 WHERE sessionId = ?').run(sessionId);
    store.close();
    await core.calls.call('session/rename', { commandId: commandId(), sessionId, title: 'Of old' });
    await until('it is read-only', () => chat.view.session.bindingMatch === 'missing_goal_instance_id');
    const key = await chat.say('more');
    const entry = await until('the message was not delivered', () => core.conversations.outbox(chat.panel.conversation).find(({ clientTurnId, failure }) => clientTurnId === key && failure !== null));
    assert.match(entry.failure ?? '', /before goals had lifetimes.*Start a new session/);
    await chat.send({ type: 'discard', clientTurnId: key });
    await assert.rejects(core.calls.call('turn/submit', { sessionId, clientTurnId: randomUUID() as ClientTurnId, text: 'more' }), { kind: 'goal_instance_id_missing' });
    await beginAndChoose(chat, async () => chat.send({ type: 'run', command: 'continueInNewSession' }), 'none');
    assert.deepEqual([chat.view.session.bindingMatch, chat.window.core.memory.notes(chat.panel.conversation).draft], ['current', '']);
  });
});

describe('steering', () => {
  it('A44 is not promised: refused with a sentence and a next step, and never a message that waits', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/slow 200');
    const turn = await until('the turn runs', () => (chat.turn(key)?.state === 'running' ? chat.turn(key) : undefined));
    const { calls } = chat.window.core;
    assert.ok(!chat.view.session.attachedCapabilities.includes('live_steering'));
    const receipt = await calls.call('turn/steer', { commandId: commandId(), sessionId: turn.sessionId, turnId: turn.turnId, text: 'the other way' });
    assert.deepEqual(receipt, {
      outcome: 'failed', code: 'attached_session_live_steering_unavailable',
      message: 'The host of this session cannot be steered while it works.', next: 'Send the message; it is queued.',
    });
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    await chat.turnEnd(key);
    assert.equal(chat.view.turns.length, 1);
    assert.deepEqual(await calls.call('turn/steer', { commandId: commandId(), sessionId: turn.sessionId, turnId: turn.turnId, text: 'too late' }), receipt);
  });
});
