import assert from 'node:assert/strict';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { FakeScript, Step } from '../agents/support/fakeScript.ts';
import { Chat } from './support/chat.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

const asks: Step = { permission: { id: 'ask', toolCall: { toolCallId: 't1', title: 'Open the window', kind: 'other' } } };
const script: FakeScript = { prompts: [{ match: 'weather', steps: [asks, { text: 'done' }] }, { match: 'long', steps: [asks, { hang: true }] }, { steps: [{ text: 'read: {{prompt}}' }] }] };

async function reject(chat: Chat, request: Approval, comment: string): Promise<void> {
  const option = request.options.find(({ kind }) => kind === 'reject_once');
  await chat.send({ type: 'decide', approvalId: request.approvalId, optionId: option?.optionId ?? '', actionDigest: request.actionDigest, comment });
}

const prompts = (agent: ChosenFakeAgent): string[] => agent.events('prompt').map((entry) => String(entry['text']));

describe('what a person says with a refusal', () => {
  it('reaches an agent exactly once, as the next message of the session', async () => {
    const agent = await ChosenFakeAgent.choose(script);
    try {
      const chat = await Chat.fresh();
      const key = await chat.say('weather?');
      const request = await chat.request('tool');
      await reject(chat, request, 'ask the barometer');
      await chat.turnEnd(key);
      const turn = await until('the comment was answered', () => chat.view.turns.find(({ clientTurnId, state }) => clientTurnId === `comment-${request.approvalId}` && state === 'completed'));
      assert.equal(turn.text, 'About “Open the window”, which I rejected: ask the barometer');
      await chat.turnEnd(await chat.say('anything else?'));
      assert.equal(prompts(agent).filter((text) => text.includes('ask the barometer')).length, 1);
    } finally {
      await agent.dispose();
    }
  });

  it('can be edited or removed while the turn still runs', async () => {
    const agent = await ChosenFakeAgent.choose(script);
    try {
      const chat = await Chat.fresh();
      const key = await chat.say('long');
      const request = await chat.request('tool');
      await reject(chat, request, 'never mind');
      const queued = await until('it waits', () => chat.view.turns.find(({ clientTurnId, state }) => clientTurnId === `comment-${request.approvalId}` && state === 'queued'));
      await chat.send({ type: 'queueEdit', turnId: queued.turnId, text: 'edited', expectedRev: queued.rev });
      await until('it is edited', () => chat.view.turns.some(({ turnId, text }) => turnId === queued.turnId && text === 'edited'));
      await chat.send({ type: 'queueRemove', turnId: queued.turnId });
      await chat.send({ type: 'stop', conversation: chat.panel.conversation });
      await chat.turnEnd(key);
      await chat.turnEnd(await chat.say('next'));
      assert.deepEqual(prompts(agent).filter((text) => /never mind|edited/.test(text)), []);
    } finally {
      await agent.dispose();
    }
  });

  it('an agent that reads it from the answer gets it there, and no message', async () => {
    const chat = await Chat.fresh();
    const turnKey = await chat.say('/run touch never-said.txt');
    const request = await chat.request('command');
    await reject(chat, request, 'not now');
    const turn = await chat.turnEnd(turnKey);
    assert.match(chat.answer(turn), /You rejected it: “not now”/);
    assert.equal(chat.view.turns.length, 1);
  });
});
