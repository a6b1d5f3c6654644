import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { CommandId } from '../../src/protocol/ids.ts';
import { Chat, listenTo } from './support/chat.ts';
import { beginAndChoose } from './support/choose.ts';
import { until } from './support/until.ts';

describe('sessions in one window', () => {
  it('C17 a session goes on while another is shown, and each keeps only its own answers', async () => {
    const chat = await Chat.fresh();
    const slow = await chat.say('/slow 60');
    await until('it runs', () => chat.turn(slow)?.state === 'running');
    const first = chat.panel.conversation;
    await vscode.commands.executeCommand('attache.newSession');
    assert.notEqual(chat.panel.conversation, first);
    const pong = await chat.turnEnd(await chat.say('pong'));
    assert.equal(chat.view.turns.length, 1);
    assert.doesNotMatch(chat.answer(pong), /line 1\b/i);
    chat.panel.show(first);
    const turn = await chat.turnEnd(slow);
    assert.equal(turn.state, 'completed');
    const numbers = [...chat.answer(turn).matchAll(/(\d+)/g)].map(([, digits]) => Number(digits));
    for (let line = 1; line <= 60; line += 1) assert.ok(numbers.includes(line), `line ${line} is there`);
  });

  it('C16 draft and place are kept for each session', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('first'));
    const one = chat.panel.conversation;
    await chat.send({ type: 'draft', conversation: one, text: 'eins\nzwei\ndrei', at: 1 });
    await vscode.commands.executeCommand('attache.newSession');
    const two = chat.panel.conversation;
    await chat.send({ type: 'draft', conversation: two, text: 'zwei', at: 2 });
    const { memory } = chat.window.core;
    assert.equal(memory.notes(one).draft, 'eins\nzwei\ndrei');
    assert.equal(memory.notes(two).draft, 'zwei');
    await chat.send({ type: 'draft', conversation: two, text: '', at: 3 });
    assert.equal(memory.notes(two).draft, '');
  });

  it('Next and Previous Session go round', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('round'));
    const start = chat.panel.conversation;
    await vscode.commands.executeCommand('attache.nextSession');
    assert.notEqual(chat.panel.conversation, start);
    await vscode.commands.executeCommand('attache.previousSession');
    assert.equal(chat.panel.conversation, start);
  });

  it('sessions of one goal are named after their own first messages', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('the first of the goal'));
    const { goalId } = chat.view.session;
    await beginAndChoose(chat, async () => vscode.commands.executeCommand('attache.continueInNewSession'), 'none');
    assert.equal(chat.window.core.memory.notes(chat.panel.conversation).draft, '', 'what was said is offered, and not taken');
    assert.equal(chat.view.session.goalId, goalId);
    await chat.turnEnd(await chat.say('the second of the goal\nwith more'));
    assert.equal(chat.view.session.title, 'the second of the goal');
    assert.equal(chat.view.session.goalTitle, 'the first of the goal');
  });

  it('a closed session is listed as closed and can be read', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('to be closed'));
    const { sessionId } = chat.view.session;
    const { core } = chat.window;
    await core.calls.call('session/close', { commandId: randomUUID().replaceAll('-', '') as CommandId, sessionId });
    await until('it is no open one', () => core.workspaces.session(sessionId) === undefined);
    const { shelves } = chat.window.ui;
    await shelves.open();
    assert.ok(shelves.putAway.some((session) => session.sessionId === sessionId));
    await Chat.fresh();
    chat.panel.show(core.memory.conversationOf(sessionId));
    await until('it is shown', () => chat.panel.view?.session.sessionId === sessionId && chat.view.session.status === 'closed');
    assert.equal(chat.view.turns.length, 1);
  });

  it('an editor tab shows the same session as the view', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('in a tab'));
    const { panels } = chat.window.ui;
    const before = panels.all.length;
    await vscode.commands.executeCommand('attache.openInEditor');
    await until('a tab is there', () => panels.all.length === before + 1);
    const tab = panels.all.find((panel) => panel !== chat.panel && panel.conversation === chat.panel.conversation);
    await until('it shows the session', () => tab?.view?.session.sessionId === chat.view.session.sessionId);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await until('the tab is gone', () => panels.all.length === before);
  });

  it('how a message is sent is told to the chat when the setting changes', async () => {
    const chat = await Chat.fresh();
    const told = listenTo(chat);
    const configuration = vscode.workspace.getConfiguration('attache');
    const last = (): string | undefined => told.flatMap((message) => (message.type === 'chrome' ? [message.chrome.sendWith] : [])).at(-1);
    await configuration.update('sendWith', 'ctrlEnter', vscode.ConfigurationTarget.Global);
    await until('the page hears of it', () => last() === 'ctrlEnter');
    await configuration.update('sendWith', undefined, vscode.ConfigurationTarget.Global);
    await until('the page hears of it', () => last() === 'enter');
  });

  it('an address that the editor is given reaches the chat, once the person has said that it may', async () => {
    const chat = await Chat.fresh();
    const told = listenTo(chat, 'postWhenReady');
    const before = chat.window.core.memory.outbox.length;
    const configuration = vscode.workspace.getConfiguration('extensions');
    // As the answer “Do not ask me again for this extension”.
    await configuration.update('confirmedUriHandlerExtensionIds', ['attache.attache'], vscode.ConfigurationTarget.Global);
    try {
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(`${vscode.env.uriScheme}://attache.attache/open?prompt=read%20this`));
      await until('the box is filled', () => told.some((message) => message.type === 'prefill' && message.text.endsWith('read this')));
      assert.equal(chat.window.core.memory.outbox.length, before);
    } finally {
      await configuration.update('confirmedUriHandlerExtensionIds', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('a link from outside fills the box and sends nothing', async () => {
    const chat = await Chat.fresh();
    const outbox = chat.window.core.memory.outbox.length;
    await chat.window.openAddress(vscode.Uri.parse('vscode://attache.attache/open?prompt=rm%20-rf'));
    assert.equal(chat.window.core.memory.outbox.length, outbox);
    assert.equal(chat.panel.sessionId, null);
  });
});
