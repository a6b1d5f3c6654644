import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Chat } from './support/chat.ts';
import { until } from './support/until.ts';

describe('messages that meet a dead gateway', () => {
  it('C14 the gateway is killed within 50 ms of sending: the message runs exactly once', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('hello'));
    const { pid, epoch } = await chat.window.core.calls.call('gateway/status', {});
    const sending = chat.say('count to five');
    process.kill(pid, 'SIGKILL');
    const key = await sending;
    const turn = await chat.turnEnd(key);
    assert.ok(['completed', 'interrupted'].includes(turn.state));
    assert.equal(chat.view.turns.filter(({ text }) => text === 'count to five').length, 1);
    assert.deepEqual(chat.window.core.conversations.outbox(chat.panel.conversation), []);
    assert.ok((await chat.window.core.calls.call('gateway/status', {})).epoch > epoch);
  });

  it('a turn goes on through a restart of the gateway, and its request keeps its id (C06a)', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run printf through > through.txt');
    const request = await chat.request('command');
    const { epoch } = await chat.window.core.calls.call('gateway/status', {});
    const { pid } = await chat.window.core.calls.call('gateway/status', {});
    process.kill(pid, 'SIGKILL');
    await until('another gateway answers', async () => (await chat.window.core.calls.call('gateway/status', {})).epoch > epoch);
    const again = await until('the same request waits', () => chat.panel.view?.approvals.find(({ approvalId, status }) => approvalId === request.approvalId && status === 'pending'));
    assert.equal(again.actionDigest, request.actionDigest);
    await until('the host is back', () => chat.view.session.executor.state === 'connected');
    await chat.decide(again, 'allow_once');
    assert.equal((await chat.turnEnd(key)).state, 'completed');
  });

  it('equal keys are one message: sent three times, it runs once', async () => {
    const chat = await Chat.fresh();
    const clientTurnId = 'one-and-only';
    const { conversation } = chat.panel;
    const message = { type: 'submit', conversation, clientTurnId, text: 'once' } as const;
    await Promise.all([chat.send(message), chat.send(message), chat.send(message)]);
    await chat.turnEnd(clientTurnId);
    assert.equal(chat.view.turns.length, 1);
  });

  it('an undeliverable message says so and can be discarded', async () => {
    const chat = await Chat.fresh();
    const { conversation } = chat.panel;
    await chat.window.core.conversations.plan(conversation, { workspace: '/nowhere/at/all', agentId: 'offline' });
    const key = await chat.say('to nowhere');
    const [entry] = chat.window.core.conversations.outbox(conversation);
    assert.notEqual(entry?.failure, null);
    await chat.send({ type: 'discard', clientTurnId: key });
    assert.deepEqual(chat.window.core.conversations.outbox(conversation), []);
  });
});

describe('a link that is cut', () => {
  it('C15 cut in mid-turn with messages queued: nothing is doubled or lost', async () => {
    const chat = await Chat.fresh();
    const first = await chat.say('/slow 40');
    await until('it runs', () => chat.turn(first)?.state === 'running');
    const [a, b] = [await chat.say('A'), await chat.say('B')];
    await chat.window.core.connection.reconnect();
    const c = await chat.say('C');
    const ends = [await chat.turnEnd(first), await chat.turnEnd(a), await chat.turnEnd(b), await chat.turnEnd(c)];
    assert.deepEqual(ends.map(({ state }) => state), ['completed', 'completed', 'completed', 'completed']);
    assert.equal(chat.view.turns.length, 4);
    const answer = chat.answer(ends[0] ?? assert.fail());
    for (let line = 1; line <= 40; line += 1) assert.equal(answer.split(`line ${line} of 40`).length, 2, `line ${line} is there once`);
  });

  it('the gateway is restarted by command in mid-turn: the turn goes on', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/slow 60');
    await until('it runs', () => chat.turn(key)?.state === 'running');
    const before = await chat.window.core.calls.call('gateway/status', {});
    await vscode.commands.executeCommand('attache.restartGateway');
    const after = await until('another gateway answers', async () => {
      const status = await chat.window.core.calls.call('gateway/status', {});
      return status.pid !== before.pid ? status : undefined;
    });
    assert.ok(after.epoch > before.epoch);
    const turn = await chat.turnEnd(key);
    assert.equal(turn.state, 'completed');
    assert.match(chat.answer(turn), /line 60 of 60/);
  });
});
