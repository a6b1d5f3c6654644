import assert from 'node:assert/strict';
import { allProcesses } from '../support/processes.ts';
import { Chat } from './support/chat.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

describe('R10 C23 C24 an agent that goes down, and one that is stopped, in the editor', () => {
  let agent: ChosenFakeAgent | undefined;
  afterEach(async () => {
    await agent?.dispose();
    agent = undefined;
  });

  it('R10 three crashes hold the session: its messages wait, another session works, and Try Again lets it go on', async () => {
    agent = await ChosenFakeAgent.choose({ prompts: [{ match: 'crash', steps: [{ crash: { code: 3 } }] }, { steps: [{ text: 'alive' }] }] });
    const chat = await Chat.fresh();
    const { conversation } = chat.panel;
    const crashes = [await chat.say('crash 1'), await chat.say('crash 2'), await chat.say('crash 3')];
    const waits = await chat.say('are you well?');
    for (const key of crashes) assert.equal((await chat.turnEnd(key)).state, 'failed');
    await until('the session is held', () => chat.view.session.lastErrorCode === 'session_quarantined');
    assert.deepEqual([chat.view.session.queue.paused, chat.turn(waits)?.state], [true, 'queued']);
    const { sessionId } = chat.view.session;
    const other = await Chat.fresh();
    const turn = await other.turnEnd(await other.say('hello'));
    assert.equal(other.answer(turn), 'alive');
    const { calls, workspaces } = chat.window.core;
    assert.equal(workspaces.session(sessionId)?.lastErrorCode, 'session_quarantined');
    await other.send({ type: 'queueResume', conversation });
    const tried = await until('the message that waited to run', async () => {
      const { turns } = (await calls.call('session/get', { sessionId })).snapshot;
      return turns.find(({ clientTurnId, state }) => clientTurnId === waits && state === 'completed');
    });
    assert.equal(tried.state, 'completed');
    assert.equal(workspaces.session(sessionId)?.lastErrorCode ?? null, null);
  });

  it('C24 Stop ends a loop, its child in a session of its own, and an agent’s work; the next message works', async () => {
    const mark = `attache-c24-${String(process.pid)}`;
    const running = (): number[] => allProcesses().filter(({ command }) => command.includes(mark)).map(({ pid }) => pid);
    const loop = `trap "" INT TERM; setsid sh -c 'trap "" INT TERM; : ${mark}; while :; do sleep 1; done' & while true; do sleep 0.2; done`;
    agent = await ChosenFakeAgent.choose({ prompts: [{ match: 'loop', steps: [{ terminal: { command: loop } }, { text: 'never' }] }, { steps: [{ text: 'alive' }] }] });
    const chat = await Chat.fresh();
    const key = await chat.say('loop');
    await chat.decide(await chat.request('command'), 'allow_once');
    await until('the loop and its child run', () => running().length >= 2);
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    const turn = await chat.turnEnd(key);
    assert.equal(turn.state, 'cancelled');
    assert.match(turn.detail ?? '', /Stopped as well: “trap/);
    assert.deepEqual(running(), []);
    assert.ok(chat.view.items.filter(({ turnId }) => turnId === turn.turnId).every(({ state }) => state !== 'started'));
    assert.equal((await chat.turnEnd(await chat.say('and now?'))).state, 'completed');
  });

  it('C23 C37 a stopped tool call is closed with a result, and the agent’s children end when its session is closed', async () => {
    agent = await ChosenFakeAgent.choose({ prompts: [{ match: 'work', steps: [{ spawnChild: {} }, { toolCall: { toolCallId: 't', kind: 'read', title: 'Look', status: 'in_progress' } }, { hang: true }] }, { steps: [{ text: 'alive' }] }] });
    const chat = await Chat.fresh();
    const key = await chat.say('work');
    const child = await until('its children', () => agent?.events('child')[0]);
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    const turn = await chat.turnEnd(key);
    assert.deepEqual(chat.view.items.flatMap(({ turnId, data, state }) => (turnId === turn.turnId && data.kind === 'tool_call' ? [state] : [])), ['cancelled']);
    assert.equal((await chat.turnEnd(await chat.say('go on'))).state, 'completed');
    const { sessionId } = chat.view.session;
    await chat.window.core.calls.call('session/close', { commandId: `close-${String(Date.now())}` as never, sessionId });
    const alive = (pid: unknown): boolean => {
      try {
        process.kill(Number(pid), 0);
        return true;
      } catch {
        return false;
      }
    };
    await until('no process of the agent is left', () => ![child['child'], child['grandchild'], child.pid].some(alive));
  });
});
