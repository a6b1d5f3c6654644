import assert from 'node:assert/strict';
import { Chat, attache } from './support/chat.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

const permission = (id: string, command: string): Record<string, unknown> => ({ id, toolCall: { toolCallId: id, kind: 'execute', title: command, status: 'pending', rawInput: { command } } });

describe('an agent of the person’s own', () => {
  let agent: ChosenFakeAgent | undefined;
  afterEach(async () => {
    await agent?.dispose();
    agent = undefined;
  });

  it('is started as the setting says', async () => {
    agent = await ChosenFakeAgent.choose({ prompts: [{ steps: [{ text: 'I am {{prompt}}' }] }] });
    const chat = await Chat.fresh();
    const turn = await chat.turnEnd(await chat.say('scripted'));
    assert.equal(chat.answer(turn), 'I am scripted');
    assert.equal(chat.view.session.agentId, 'fake');
  });

  it('C03 ten requests at once: each answer goes to its own, in any order', async () => {
    const requests = Array.from({ length: 10 }, (_, index) => permission(`p${index}`, `touch ${index}.txt`));
    agent = await ChosenFakeAgent.choose({ prompts: [{ steps: [{ permissions: { requests, gapMs: 5 } }, { text: 'done' }] }] });
    const chat = await Chat.fresh();
    const key = await chat.say('ask ten things');
    await until('all ten wait', () => chat.panel.view?.approvals.filter(({ status }) => status === 'pending').length === 10);
    await until('the count says ten', () => chat.window.core.centre.pending.length === 10);
    const waiting = [...chat.view.approvals].reverse();
    for (const [index, approval] of waiting.entries()) await chat.decide(approval, index % 2 === 0 ? 'allow_once' : 'reject_once');
    assert.equal((await chat.turnEnd(key)).state, 'completed');
    const answered = agent.permissions();
    assert.equal(answered.length, 10);
    assert.equal(new Set(answered.map((entry) => entry.split('=')[0])).size, 10);
    await until('none waits', () => chat.window.core.centre.pending.length === 0);
  });

  it('one that dies leaves a failed turn, a sentence and a way on', async () => {
    agent = await ChosenFakeAgent.choose({ prompts: [{ match: 'die', steps: [{ crash: { code: 3 } }] }, { steps: [{ text: 'alive' }] }] });
    const chat = await Chat.fresh();
    const turn = await chat.turnEnd(await chat.say('die'));
    assert.equal(turn.state, 'failed');
    assert.notEqual(turn.detail ?? '', '');
    assert.equal((await chat.turnEnd(await chat.say('again'))).state, 'completed');
  });

  it('one that is not installed says how to get it, and nothing is run', async () => {
    const { core } = await attache();
    await core.memory.setAgentId('no-such-agent');
    try {
      const chat = await Chat.fresh();
      const turn = await chat.turnEnd(await chat.say('hello?'));
      assert.equal(turn.state, 'failed');
      assert.match(`${turn.detail}`, /no-such-agent|not configured/);
    } finally {
      await core.memory.setAgentId('offline');
    }
  });
});
