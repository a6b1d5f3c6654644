import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FakeScript, PermissionStep, Step } from '../agents/support/fakeScript.ts';
import { Chat } from './support/chat.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

const task = (id: string, title: string): Step => ({ toolCall: { toolCallId: id, kind: 'think', title, status: 'in_progress' } });
const asks = (id: string, parent?: string): PermissionStep => ({
  id, toolCall: { toolCallId: id, kind: 'execute', title: `touch ${id}`, rawInput: { command: `touch ${id}` }, ...(parent === undefined ? {} : { _meta: { adapter: { parentToolUseId: parent } } }) },
});
const script: FakeScript = {
  prompts: [{ steps: [task('one', 'Look into the tests'), task('two', 'Write the docs'), { permissions: { requests: [asks('a', 'one'), asks('b', 'two'), asks('own')], gapMs: 5 } }, { text: 'done' }] }],
};

describe('requests of sub-agents at once', () => {
  let agent: ChosenFakeAgent;
  before(async () => { agent = await ChosenFakeAgent.choose(script); });
  after(async () => agent.dispose());

  it('C03 say who asks, are gone through one after the other by the command, and are answered each by itself', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('go');
    const open = await until('all three wait', () => {
      const found = chat.view.approvals.filter(({ status }) => status === 'pending');
      return found.length === 3 && chat.window.core.centre.pending.length === 3 && found;
    });
    assert.deepEqual(open.map(({ subject }) => subject.from), ['Look into the tests', 'Write the docs', undefined]);
    const { panels } = chat.window.ui;
    const seen: (string | null)[] = [];
    for (let press = 0; press < 4; press += 1) {
      const before = panels.focusedRequest;
      await vscode.commands.executeCommand('attache.focusRequest');
      seen.push(await until('another request has the focus', () => panels.focusedRequest !== before && panels.focusedRequest));
    }
    assert.deepEqual(seen, [...open, open[0]!].map(({ approvalId }) => approvalId));
    const [a, b, own] = open;
    await chat.decide(b!, 'allow_once');
    await chat.decide(own!, 'reject_once');
    await chat.decide(a!, 'reject_once');
    await chat.turnEnd(key);
    assert.deepEqual(agent.permissions().sort(), ['a=reject', 'b=allow', 'own=reject']);
    await until('nothing waits', () => chat.window.core.centre.pending.length === 0);
  });
});
