import assert from 'node:assert/strict';
import { Announcer } from '../../../media/chat/announcer.ts';
import { turnEnd } from '../../../media/chat/format/turnEnd.ts';
import { toolGroup } from '../../../media/chat/toolGroup.ts';
import { Transcript, itemTree } from '../../../media/chat/transcript.ts';
import { PromptHistory } from '../../../media/chat/view/promptHistory.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { change } from '../../support/panelHarness/states.ts';

const edit = { kind: 'edit' as const, mode: 'hosted' as const, change: change() };
const subject = { kind: 'edit' as const, mode: 'hosted' as const, changes: [change()] };

describe('the transcript', () => {
  it('keeps the parts that did not change', () => {
    const script = new SessionScript();
    const transcript = new Transcript();
    script.endTurn(script.start('one'));
    const second = script.start('two');
    const before = transcript.parts(script.view);
    script.item(second, { kind: 'agent_message' }, 'x');
    const after = transcript.parts(script.view);
    assert.equal(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
    assert.deepEqual(after[1]?.items.map(({ data }) => data.kind), ['user_message', 'agent_message']);
  });

  it('leaves queued turns to the queue', () => {
    const script = new SessionScript();
    script.start('running');
    script.queue('waiting');
    assert.deepEqual(new Transcript().parts(script.view).map(({ turn }) => turn.text), ['running']);
  });

  it('puts items under their tool call and requests under their item, and loses none', () => {
    const script = new SessionScript();
    const turn = script.start('x');
    const tool = script.item(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Edit', locations: [] });
    const child = script.item(turn, edit, '', { parentId: tool.itemId });
    script.ask(child, subject);
    const lost = script.ask({ ...child, itemId: 'itm_elsewhere' as typeof child.itemId }, subject);
    const [part] = new Transcript().parts(script.view);
    assert.ok(part);
    const { roots, loose } = itemTree(part);
    assert.deepEqual(roots.map(({ item }) => item.data.kind), ['user_message', 'tool_call']);
    assert.equal(roots[1]?.children[0]?.approvals.length, 1);
    assert.deepEqual(loose.map(({ approvalId }) => approvalId), [lost.approvalId]);
  });

  it('says how a turn ended', () => {
    const script = new SessionScript();
    const turn = script.start('x');
    assert.equal(turnEnd(turn), null);
    assert.equal(turnEnd({ ...turn, state: 'completed' }), null);
    assert.equal(turnEnd({ ...turn, state: 'interrupted', cause: 'executor_restarted' })?.text, 'Interrupted: the window that ran it was restarted');
    assert.equal(turnEnd({ ...turn, state: 'cancelled', startedAt: null })?.text, 'Removed before it ran');
    assert.equal(turnEnd({ ...turn, state: 'cancelled', startedAt: 1 })?.text, 'You stopped this turn.');
    assert.equal(turnEnd({ ...turn, state: 'cancelled', startedAt: 1, cause: 'session_closed' })?.text, 'Stopped: the session was closed');
    assert.equal(turnEnd({ ...turn, state: 'expired', startedAt: null })?.text, 'Not run: it waited for an hour');
    assert.match(turnEnd({ ...turn, state: 'completed', stopReason: 'max_tokens' })?.text ?? '', /limit of tokens/);
  });
});

describe('what a screen reader hears', () => {
  function listening(script: SessionScript) {
    const said: string[] = [];
    const announcer = new Announcer((text) => said.push(text));
    const state = (): PanelState => script.state();
    script.take();
    announcer.observe({ kind: 'replaced', before: null, after: state() }, state());
    return { said, announcer, play: () => { for (const event of script.take()) announcer.observe({ kind: 'event', event }, state()); } };
  }

  it('C33 is a new request once, with what is asked and how to answer, and nothing of what was there before', () => {
    const script = new SessionScript();
    const item = script.item(script.start('x'), edit);
    script.ask(item, subject);
    const { said, announcer, play } = listening(script);
    assert.deepEqual(said, []);
    script.ask(item, subject);
    play();
    assert.equal(said.length, 1);
    assert.match(said[0] ?? '', /Codex asks: Edit of src\/cart\.ts; Request 2 of 2\. Answers: Allow once, Reject\. To answer/);
    // The same conversation again, after a cut link.
    announcer.observe({ kind: 'replaced', before: script.state(), after: script.state({ generation: 2 }) }, script.state());
    assert.equal(said.length, 1);
  });

  it('C33 is who asks, a command’s folder and variables, each file by its name, and which request of several it is', () => {
    const script = new SessionScript();
    const item = script.item(script.start('x'), edit);
    const { said, play } = listening(script);
    script.ask(item, { kind: 'command', command: 'npm test', cwd: '/home/me/shop', envNames: ['CI', 'PGPASSWORD'], from: 'Explore' });
    play();
    const files = (count: number) => ({ kind: 'edit' as const, mode: 'agentApplied' as const, changes: Array.from({ length: count }, (_, at) => ({ ...subject.changes[0]!, label: `${at}.ts` })) });
    script.ask(item, files(2));
    script.ask(item, files(8));
    play();
    assert.deepEqual(said.map((text) => text.replace(/ To answer.*/, '')), [
      'Codex (sub-agent “Explore”) asks: Command npm test; Folder: /home/me/shop; Sets these variables: CI, PGPASSWORD. Answers: Allow once, Reject.',
      'Codex asks: Edit of 0.ts, 1.ts; Request 2 of 3. Answers: Allow once, Reject.',
      'Codex asks: Edit of 0.ts, 1.ts, 2.ts, 3.ts, 4.ts and 3 more; Request 3 of 3. Answers: Allow once, Reject.',
    ]);
  });

  it('C33 is a reply once, when it is complete', () => {
    const script = new SessionScript();
    const { said, play } = listening(script);
    const turn = script.start('x');
    const item = script.item(turn, { kind: 'agent_message' }, 'half ');
    script.delta(item, 'whole');
    play();
    assert.deepEqual(said, []);
    script.endItem(item);
    script.endTurn(turn);
    play();
    assert.deepEqual(said, ['Codex: half whole']);
  });

  it('C33 is how a turn ended that did not complete, as sentences with one end each', () => {
    const script = new SessionScript();
    const { said, play } = listening(script);
    const failed = script.start('first');
    script.endItem(script.item(failed, { kind: 'agent_message' }, 'half'));
    script.endTurn(failed, 'failed', { cause: 'agent_error' });
    script.endTurn(script.start('no words'), 'failed', { cause: 'too_large' });
    script.endTurn(script.start('second'), 'cancelled', { cause: 'turn_cancelled' });
    play();
    assert.deepEqual(said, ['first: Failed: the agent reported an error. half', 'no words: Failed.', 'second: You stopped this turn.']);
  });
});

describe('the prompts of a session', () => {
  const at = (value: string, caret = value.length) => ({ value, selectionStart: caret, selectionEnd: caret });

  it('C16 are walked with the arrow keys, and what was being written comes back', () => {
    const history = new PromptHistory();
    history.show(['first', 'second', 'second']);
    assert.equal(history.step(-1, at('mine')), null);
    assert.equal(history.step(-1, at('mine', 0)), 'second');
    assert.equal(history.step(-1, at('second')), 'first');
    assert.equal(history.step(-1, at('first')), null);
    assert.equal(history.step(1, at('first')), 'second');
    assert.equal(history.step(1, at('second')), 'mine');
    assert.equal(history.step(1, at('mine')), null);
  });

  it('leave the caret its own way in a text of several lines', () => {
    const history = new PromptHistory();
    history.show(['a\nb']);
    assert.equal(history.step(-1, at('')), 'a\nb');
    assert.equal(history.step(-1, at('a\nb')), null);
    assert.equal(history.step(-1, at('a\nb changed', 3)), null);
  });
});

describe('a tool call and what belongs to it', () => {
  const command = { kind: 'command' as const, command: 'npm test', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 };

  function called() {
    const script = new SessionScript();
    const turn = script.start('x');
    const tool = script.item(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Edit', locations: [] });
    const group = () => {
      const [part] = new Transcript().parts(script.view);
      assert.ok(part);
      const node = itemTree(part).roots.find(({ item }) => item.itemId === tool.itemId);
      assert.ok(node);
      const { showsRow, requests, children } = toolGroup(node);
      return { showsRow, requests: requests.length, children: children.map(({ item, approvals }) => `${item.data.kind} ${approvals.length}`) };
    };
    return { script, turn, tool, group };
  }

  it('is a row of its own when nothing else tells of it', () => {
    assert.deepEqual(called().group(), { showsRow: true, requests: 0, children: [] });
  });

  it('is told by its request, and an edit that did just that is not told again', () => {
    const { script, turn, tool, group } = called();
    const approval = script.ask(tool, subject);
    assert.deepEqual(group(), { showsRow: false, requests: 1, children: [] });
    script.settle(approval, 'approved');
    const written = script.item(turn, edit, '', { parentId: tool.itemId });
    assert.deepEqual(group(), { showsRow: false, requests: 1, children: [] });
    script.endItem(written, 'interrupted', { outcome: 'unknown' });
    assert.deepEqual(group().children, ['edit 0']);
  });

  it('shows an edit that differs from what was allowed', () => {
    const { script, turn, tool, group } = called();
    script.settle(script.ask(tool, subject), 'approved');
    script.done(turn, { ...edit, change: change('src/other.ts') }, '', { parentId: tool.itemId });
    script.done(turn, { ...edit, note: 'The bytes differ from the shown diff.' }, '', { parentId: tool.itemId });
    assert.deepEqual(group().children, ['edit 0', 'edit 0']);
  });

  it('leaves the receipt of a command to the command that ran', () => {
    const { script, turn, tool, group } = called();
    const approval = script.ask(tool, { kind: 'command', command: 'npm test', cwd: '/home/me/demo', envNames: [] });
    script.item(turn, command, '', { parentId: tool.itemId });
    assert.deepEqual(group(), { showsRow: false, requests: 1, children: ['command 0'] });
    script.settle(approval, 'approved');
    script.item(turn, { ...command, command: 'npm run other' }, '', { parentId: tool.itemId });
    assert.deepEqual(group(), { showsRow: false, requests: 0, children: ['command 1', 'command 0'] });
  });

  it('keeps its row when it has output of its own', () => {
    const { script, turn, tool, group } = called();
    script.item(turn, command, '', { parentId: tool.itemId });
    assert.equal(group().showsRow, false);
    script.delta(tool, 'more to say');
    assert.equal(group().showsRow, true);
  });
});
