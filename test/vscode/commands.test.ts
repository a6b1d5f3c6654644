import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { wholeItem } from '../../src/client/wholeItem.ts';
import type { Item, ItemDataOf } from '../../src/protocol/item/state.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import { assertShown, commandCases, node, PROGRESS_BAR, PROGRESS_BAR_SHOWN, READS_FROM_TERMINAL } from '../agents/support/commandCases.ts';
import type { Step } from '../agents/support/fakeScript.ts';
import { Chat, extension } from './support/chat.ts';
import { demoFile } from './support/documents.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

type CommandItem = Item & { readonly data: ItemDataOf<'command'> };

// The editor's own program is no Node everywhere.
const nodeHere = (): string => path.join(extension().extensionPath, 'node_modules/.bin/node');

const commandsOf = (items: readonly Item[]): CommandItem[] => items.filter((item): item is CommandItem => item.data.kind === 'command');
const result = <T>(agent: ChosenFakeAgent, id: string): T => agent.events('answer').find((entry) => entry['id'] === id)?.['result'] as T;

/** The items of a turn as the gateway has stored them, with their full texts. */
async function replayed(chat: Chat, turn: Turn): Promise<Item[]> {
  const { calls } = chat.window.core;
  const { rows } = await calls.call('turn/replay', { turnId: turn.turnId });
  return Promise.all(rows.map(async ({ item }) => (item.text.length < item.textLength ? wholeItem(calls, item.itemId) : item)));
}

describe('commands of an agent, in the editor', () => {
  let agent: ChosenFakeAgent | undefined;
  const allow = async (policy: object | undefined): Promise<void> => vscode.workspace.getConfiguration('attache').update('approvals', policy, vscode.ConfigurationTarget.Global);

  afterEach(async () => {
    await agent?.dispose();
    agent = undefined;
    await allow(undefined);
  });

  async function begin(steps: readonly Step[]): Promise<{ chat: Chat; agent: ChosenFakeAgent; key: string }> {
    agent = await ChosenFakeAgent.choose({ prompts: [{ steps: [...steps, { text: 'done' }] }] });
    const chat = await Chat.fresh();
    return { chat, agent, key: await chat.say('go') };
  }

  async function play(steps: readonly Step[]): Promise<{ chat: Chat; agent: ChosenFakeAgent; turn: Turn }> {
    const { key, ...rest } = await begin(steps);
    return { ...rest, turn: await rest.chat.turnEnd(key) };
  }

  it('C25 short, chained, multi-line, long, failing and reading commands give all of their output and their own end, to the agent and in the transcript', async () => {
    await allow({ command: 'allow' });
    const played = commandCases(nodeHere());
    const { chat, agent, turn } = await play(played.map(({ step }, at) => ({ terminal: { ...step, id: `c${at}` } })));
    assert.equal(turn.state, 'completed');
    const shown = commandsOf(await replayed(chat, turn));
    for (const [at, { step: { command, args, outputByteLimit }, output, exitCode, shown: all = output }] of played.entries()) {
      const what = `${command} ${args?.join(' ') ?? ''}`;
      const told = result<{ output: string; truncated: boolean }>(agent, `c${at}:output`);
      assert.ok(told.output === output, `${what}: ${told.output.slice(0, 200)}`);
      assert.deepEqual([told.truncated, result<{ exitCode: number }>(agent, `c${at}:exit`).exitCode], [outputByteLimit !== undefined, exitCode], what);
      const { data, text, state } = shown[at]!;
      assert.deepEqual([data.exitCode, data.signal, state === 'started'], [exitCode, null, false], what);
      assertShown(text, all, data.cut);
    }
    assert.equal(shown.length, played.length);
    // A view that begins now, as after a reload, has the same ends.
    const { snapshot } = await chat.window.core.calls.call('session/get', { sessionId: turn.sessionId });
    assert.deepEqual(commandsOf(snapshot.items).map(({ data }) => data.exitCode), played.map(({ exitCode }) => exitCode));
  });

  it('C25 a command that says nothing is said to have said nothing', async () => {
    await allow({ command: 'allow' });
    const chat = await Chat.fresh();
    const turn = await chat.turnEnd(await chat.say('/run true'));
    assert.match(chat.answer(turn), /ended with code 0\. It printed no output\./);
    assert.deepEqual(commandsOf(await replayed(chat, turn)).map(({ data, text }) => [text, data.exitCode]), [['', 0]]);
  });

  // Elsewhere nothing is said about it.
  if (process.platform === 'linux') it('C25 one that waits for input on a terminal is shown as waiting, and is stopped from its card alone', async () => {
    await allow({ command: 'allow' });
    const { chat, agent, key } = await begin([{ terminal: { id: 'reader', command: READS_FROM_TERMINAL } }, { terminal: { id: 'next', command: 'echo next' } }]);
    const waiting = await until('it is shown as waiting', () => commandsOf(chat.panel.view?.items ?? []).find(({ data }) => data.waitsForInput));
    await chat.send({ type: 'killCommand', itemId: waiting.itemId });
    const turn = await chat.turnEnd(key);
    assert.equal(turn.state, 'completed');
    assert.match(result<{ output: string }>(agent, 'reader:output').output, /^Name:\n[^]*The user stopped this command/);
    const [reader, next] = commandsOf(await replayed(chat, turn));
    assert.deepEqual([reader?.state, reader?.data.waitsForInput, reader?.data.note, next?.text], ['cancelled', undefined, 'Stopped by hand.', 'next\n']);
  });

  it('C26 five hundred frames of a coloured progress bar end as one line, in the transcript, for the agent, and in the log', async () => {
    await allow({ command: 'allow' });
    const { chat, agent, turn } = await play([{ terminal: { id: 'bar', ...node(PROGRESS_BAR, nodeHere()) } }, { terminal: { id: 'next', command: 'echo plain' } }]);
    const shown = commandsOf(await replayed(chat, turn)).map(({ text }) => text);
    assert.deepEqual(shown, [PROGRESS_BAR_SHOWN, 'plain\n']);
    assert.deepEqual(['bar', 'next'].map((id) => result<{ output: string }>(agent, `${id}:output`).output), shown);
    const { events, head } = await chat.window.core.calls.call('event/read', { scope: { session: turn.sessionId } });
    assert.equal(events.at(-1)?.seq, head, 'all of the log');
    const size = JSON.stringify(events).length;
    assert.ok(events.length > 10 && size < 50_000, `${size} characters in ${events.length} events`);
    const outputs = JSON.stringify(events, (name, value: unknown) => (['command', 'title', 'summary', 'input'].includes(name) ? undefined : value));
    assert.doesNotMatch(outputs, /\\u001b|\\u0007|\\r|x\.test/);
  });

  it('C42 an agent that acts without asking where it was to ask is flagged in the transcript, each act, and once in words', async () => {
    const steps: Step[] = [
      { toolCall: { toolCallId: 'run', kind: 'execute', title: 'echo ran > unasked-run.txt', status: 'in_progress' } },
      { applyWrite: { path: demoFile('unasked-run.txt'), content: 'ran\n' } },
      { toolUpdate: { toolCallId: 'run', status: 'completed' } },
      { toolCall: { toolCallId: 'edit', kind: 'edit', title: 'Edit unasked.txt', status: 'pending' } },
      { applyWrite: { path: demoFile('unasked.txt'), content: 'two\n' } },
      { toolUpdate: { toolCallId: 'edit', status: 'completed' } },
      { toolCall: { toolCallId: 'look', kind: 'read', title: 'Read unasked.txt', status: 'completed' } },
    ];
    const { chat, turn } = await play(steps);
    assert.deepEqual(chat.view.approvals, []);
    const items = await replayed(chat, turn);
    assert.deepEqual(items.flatMap(({ data }) => (data.kind === 'tool_call' ? [[data.toolKind, data.unasked]] : [])), [['execute', true], ['edit', true], ['read', undefined]]);
    const notices = items.flatMap(({ data, text }) => (data.kind === 'notice' ? [`${data.level} ${data.code}: ${text}`] : []));
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /^warning not_asked: The agent did this without asking: echo ran > unasked-run\.txt\./);
    await allow({ command: 'allow', edit: 'allow' });
    const allowed = await chat.turnEnd(await chat.say('again'));
    assert.deepEqual((await replayed(chat, allowed)).filter(({ data }) => data.kind === 'notice' || (data.kind === 'tool_call' && data.unasked)), []);
  });
});
