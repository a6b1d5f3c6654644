import assert from 'node:assert/strict';
import { carryOver } from '../../../src/extension/sessions/carryOver.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';

function talk(answer: string): SessionScript {
  const script = new SessionScript({ title: 'Old' });
  const turn = script.start('question');
  script.done(turn, { kind: 'thought' }, 'private thought');
  script.done(turn, { kind: 'agent_message' }, answer);
  script.endTurn(turn);
  return script;
}

describe('what is carried over from a session', () => {
  it('is what was said, by whom, and where: no thoughts, no tools', () => {
    assert.deepEqual(carryOver(talk('answer').view), { messages: 2, text: '\n\nWhat was said before, in “Old”:\n\nUser: question\n\nAgent: answer' });
  });

  it('is nothing where nothing was said', () => {
    assert.equal(carryOver(new SessionScript().view), null);
  });

  it('leaves out what was taken back, and keeps what a recreated goal cut off', () => {
    const script = talk('answer');
    for (const [text, state] of [['taken back', 'cancelled'], ['not run', 'failed']] as const) {
      const turn = script.queue(text);
      script.endTurn(turn, state);
    }
    assert.match(carryOver(script.view)?.text ?? '', /Agent: answer\n\nUser: not run$/);
  });

  it('is the end of it when it is too long, in whole characters', () => {
    const { text = '' } = carryOver(talk(`${'😀'.repeat(LIMITS.forkContextChars)} the end`).view) ?? {};
    assert.ok(text.length <= LIMITS.forkContextChars, `${text.length}`);
    assert.ok(text.length > LIMITS.forkContextChars - 10);
    assert.match(text, /^\n\nWhat was said before, in “Old”:\n\n… /);
    assert.match(text, / the end$/);
    assert.ok(text.isWellFormed());
  });
});
