import assert from 'node:assert/strict';
import { Chat } from './support/chat.ts';
import { until } from './support/until.ts';

describe('a turn of the offline agent', () => {
  it('a first message makes goal, session and turn, and is answered', async () => {
    const chat = await Chat.fresh();
    assert.equal(chat.panel.sessionId, null);
    const turn = await chat.turnEnd(await chat.say('/help'));
    assert.equal(turn.state, 'completed');
    assert.match(chat.answer(turn), /\/edit/);
    const { session, goal } = chat.view;
    assert.equal(session.title, '/help');
    assert.match(session.goalId, /^g-[0-9a-z]{10}$/);
    assert.equal(goal?.lifetime, 1);
    assert.equal(session.readback.sessionMode, 'attached_host');
    assert.equal(session.executor.windowId, chat.window.core.memory.windowId);
    assert.deepEqual(chat.window.core.conversations.outbox(chat.panel.conversation), []);
  });

  it('a plan becomes a checklist, and every item has ended before its turn has', async () => {
    const chat = await Chat.fresh();
    const turn = await chat.turnEnd(await chat.say('/plan'));
    const items = chat.view.items.filter((item) => item.turnId === turn.turnId);
    const plan = items.find((item) => item.data.kind === 'plan');
    assert.ok(plan?.data.kind === 'plan' && plan.data.entries.every(({ status }) => status === 'completed'));
    assert.deepEqual(items.filter((item) => item.state === 'started'), []);
  });

  it('two messages share one agent process and one conversation', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('/read src/cart.ts'));
    const { sessionId } = chat.view.session;
    const second = await chat.turnEnd(await chat.say('/read notes/todo.md'));
    assert.equal(second.sessionId, sessionId);
    assert.equal(second.turnIdx, 2);
  });

  it('C15 messages sent while a turn runs are delivered once each and in order, edited ones as edited, removed ones not', async () => {
    const chat = await Chat.fresh();
    const first = await chat.say('/slow 25');
    await until('the turn runs', () => chat.turn(first)?.state === 'running');
    const [a, b, c] = [await chat.say('A'), await chat.say('B'), await chat.say('C')];
    const queued = await until('B is queued', () => chat.turn(b));
    await chat.send({ type: 'queueEdit', turnId: queued.turnId, text: 'B2', expectedRev: queued.rev });
    await chat.send({ type: 'queueRemove', turnId: (await until('C is queued', () => chat.turn(c))).turnId });
    const ends = [await chat.turnEnd(first), await chat.turnEnd(a), await chat.turnEnd(b), await chat.turnEnd(c)];
    assert.deepEqual(ends.map(({ state }) => state), ['completed', 'completed', 'completed', 'cancelled']);
    assert.deepEqual(ends.map(({ text }) => text), ['/slow 25', 'A', 'B2', 'C']);
    const started = ends.slice(0, 3).map(({ startedAt }) => startedAt ?? 0);
    assert.deepEqual(started, [...started].sort((x, y) => x - y));
    assert.equal(chat.view.turns.length, 4);
  });

  it('C15 after Stop the queue is kept and goes on when asked', async () => {
    const chat = await Chat.fresh();
    const first = await chat.say('/slow 200');
    await until('the turn runs', () => chat.turn(first)?.state === 'running');
    const waiting = await chat.say('after the stop');
    await until('it is queued', () => chat.turn(waiting));
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    assert.equal((await chat.turnEnd(first)).state, 'cancelled');
    assert.equal(chat.turn(waiting)?.state, 'queued');
    assert.equal(chat.view.session.queue.paused, true);
    await chat.send({ type: 'queueResume', conversation: chat.panel.conversation });
    assert.equal((await chat.turnEnd(waiting)).state, 'completed');
  });

  it('C24 Stop with nothing running says so and does nothing', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('hello'));
    const before = chat.view.head;
    await chat.send({ type: 'stop', conversation: chat.panel.conversation });
    assert.equal(chat.view.head, before);
  });
});
