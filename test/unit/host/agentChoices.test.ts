import assert from 'node:assert/strict';
import { setImmediate as settled } from 'node:timers/promises';
import { AgentChoices } from '../../../src/host/agentChoices.ts';
import type { AgentChoice, AgentState } from '../../../src/protocol/session/state.ts';

const choice = (id: string, value: string): AgentChoice => ({ id, value });
const stateWith = ({ id, value }: AgentChoice): AgentState => ({ name: null, version: null, options: [{ id, name: id, category: id, value, choices: [] }], commands: [], contextUsed: null, contextSize: null });

describe('choices for the agent', () => {
  let applied: string[];
  let declined: AgentChoice[];
  let answer: (choice: AgentChoice) => Promise<AgentState>;
  let choices: AgentChoices;
  beforeEach(() => {
    [applied, declined] = [[], []];
    answer = (each) => Promise.resolve(stateWith(each));
    choices = new AgentChoices({
      apply: (each) => {
        applied.push(`${each.id}=${each.value}`);
        return answer(each);
      },
      decline: (list) => declined.push(...list),
    });
  });

  it('each is carried out once, however often it is seen, and again when it is wished for anew', async () => {
    for (let n = 0; n < 3; n++) choices.take([choice('mode', 'plan'), choice('model', 'a')]);
    await settled();
    assert.deepEqual(applied, ['mode=plan', 'model=a']);
    choices.take([]);
    choices.take([choice('mode', 'plan')]);
    await settled();
    assert.deepEqual([applied.length, declined], [3, []]);
  });

  it('one after the other; one that was taken back meanwhile is not begun', async () => {
    let release: (() => void) | undefined;
    answer = (each) => new Promise((resolve) => {
      release = () => resolve(stateWith(each));
    });
    choices.take([choice('mode', 'plan'), choice('model', 'a')]);
    await settled();
    assert.deepEqual(applied, ['mode=plan']);
    choices.take([choice('mode', 'plan'), choice('model', 'b')]);
    release?.();
    await settled();
    assert.deepEqual(applied, ['mode=plan', 'model=b']);
  });

  it('what the agent refuses, or says yes to without doing it, is declined once', async () => {
    answer = (each) => (each.id === 'mode' ? Promise.reject(new Error('no')) : Promise.resolve(stateWith(choice(each.id, 'other'))));
    for (let n = 0; n < 2; n++) choices.take([choice('mode', 'plan'), choice('model', 'a')]);
    await settled();
    assert.deepEqual(declined, [choice('mode', 'plan'), choice('model', 'a')]);
  });
});
