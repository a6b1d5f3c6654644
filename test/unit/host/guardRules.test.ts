import assert from 'node:assert/strict';
import type { Approval, ApprovalOption } from '../../../src/protocol/approval/state.ts';
import { turnResult } from '../../../src/protocol/host/commands.ts';
import { ApprovalLedger } from '../../../src/host/approvalLedger.ts';
import { autoAnswer } from '../../../src/host/approvalDesk.ts';
import { excerpt } from '../../../src/host/guardedPlane.ts';
import { SeenTexts } from '../../../src/host/seenTexts.ts';
import { labelOf, resultOf, sameText, wholeChange } from '../../../src/host/shownChanges.ts';
import { cancelledResult, completedResult } from '../../../src/host/turnResults.ts';
import { key } from '../../support/testHost.ts';

const option = (optionId: string, kind: ApprovalOption['kind']): ApprovalOption => ({ optionId, name: optionId, kind });
const approval = { approvalId: 'a' } as unknown as Approval;
const other = { approvalId: 'b' } as unknown as Approval;
const request = { toolCallId: 't', title: '', toolKind: '', options: [], changes: [], command: null, detail: '' };

describe('autoAnswer', () => {
  const options = [option('no', 'reject_once'), option('always', 'allow_always'), option('once', 'allow_once')];

  it('takes the answer for once before the one for ever', () => {
    assert.deepEqual(autoAnswer({ command: 'allow' }, 'command', options), { optionId: 'once', rule: 'policy:attache.approvals.command' });
    assert.deepEqual(autoAnswer({ command: 'deny' }, 'command', options), { optionId: 'no', rule: 'policy:attache.approvals.command' });
  });

  it('asks by default, for plans and questions always, and where the agent offers no such answer', () => {
    assert.equal(autoAnswer({}, 'edit', options), null);
    assert.equal(autoAnswer({ edit: 'ask', command: 'allow' }, 'edit', options), null);
    assert.equal(autoAnswer({ plan: 'allow', question: 'allow' }, 'plan', options), null);
    assert.equal(autoAnswer({ plan: 'allow', question: 'allow' }, 'question', options), null);
    assert.equal(autoAnswer({ tool: 'allow' }, 'tool', [option('x', 'other'), option('no', 'reject_once')]), null);
  });
});

describe('ApprovalLedger', () => {
  const change = { path: '/a', before: 'one\n', after: 'two\n' };
  const edit = { path: '/a', present: 'one\n', result: 'two\n', toolCallId: 't' };
  const all = (allowed: typeof approval) => ({ approval: allowed, chosen: null });

  it('what was allowed is used up by the first act that equals it', () => {
    const ledger = new ApprovalLedger();
    ledger.add(approval, { ...request, changes: [change] });
    assert.deepEqual(ledger.useEdit(edit), all(approval));
    assert.equal(ledger.useEdit(edit), null);
  });

  it('another path, other bytes, another tool call, another present text are not allowed', () => {
    const ledger = new ApprovalLedger();
    ledger.add(approval, { ...request, changes: [change] });
    for (const differs of [{ path: '/b' }, { result: 'two \n' }, { toolCallId: 'u' }, { present: 'zero\n' }]) assert.equal(ledger.useEdit({ ...edit, ...differs }), null, JSON.stringify(differs));
    assert.deepEqual(ledger.useEdit({ ...edit, toolCallId: null }), all(approval));
  });

  it('each file of one request, and each of two requests, counts by itself', () => {
    const ledger = new ApprovalLedger();
    ledger.add(approval, { ...request, changes: [change, { ...change, path: '/b' }] });
    ledger.add(other, { ...request, changes: [change] });
    assert.deepEqual(ledger.useEdit({ ...edit, path: '/b' }), all(approval));
    assert.deepEqual(ledger.useEdit(edit), all(approval));
    assert.deepEqual(ledger.useEdit(edit), all(other));
    assert.equal(ledger.useEdit(edit), null);
  });

  it('a part counts only for the very text that it was chosen from, and none of a file is none', () => {
    const hunks = [1, 2, 3].map((at) => ({ fromStart: at, fromEnd: at + 1, toStart: at, toEnd: at + 1 }));
    const partly = { ...approval, subject: { kind: 'edit', mode: 'hosted', changes: [{ hunks }, { hunks }] }, part: [[0, 2], []] } as unknown as typeof approval;
    const ledger = new ApprovalLedger();
    ledger.add(partly, { ...request, changes: [change, { ...change, path: '/b' }] });
    // A piece that still fits is not the text of which lines were chosen.
    assert.equal(ledger.useEdit({ ...edit, present: 'zero\none\n', result: 'zero\ntwo\n' }), null);
    assert.deepEqual(ledger.useEdit(edit), { approval: partly, chosen: { hunks, places: [0, 2] } });
    assert.deepEqual(ledger.useEdit({ ...edit, path: '/b' }), { approval: partly, chosen: { hunks, places: [] } });
    assert.equal(ledger.useEdit(edit), null);
  });

  it('a command counts once, in its folder, without variables', () => {
    const ledger = new ApprovalLedger();
    ledger.add(approval, { ...request, command: { command: 'ls', cwd: '/x' } });
    const asked = { command: 'ls', cwd: '/x', envNames: [], toolCallId: 't' };
    for (const differs of [{ command: 'ls; rm x' }, { cwd: '/y' }, { envNames: ['A'] }, { toolCallId: 'u' }]) assert.equal(ledger.useCommand({ ...asked, ...differs }), null, JSON.stringify(differs));
    assert.equal(ledger.useCommand(asked), approval);
    assert.equal(ledger.useCommand(asked), null);
  });
});

describe('changes as agents show them', () => {
  it('a passage is put into the text the file has now', () => {
    const shown = { path: '/a', before: 'price 10', after: 'price 12' };
    assert.deepEqual(wholeChange(shown, 'a\r\nprice 10\r\nc\r\n'), { path: '/a', before: 'a\r\nprice 10\r\nc\r\n', after: 'a\nprice 12\nc\n' });
    assert.equal(resultOf(shown, 'price 10\nprice 10\n'), null);
    assert.deepEqual(wholeChange(shown, 'nothing like it'), shown);
  });

  it('missing and empty are a new file when there is none, else all of the file is replaced', () => {
    assert.deepEqual(wholeChange({ path: '/a', before: '', after: 'x' }, null), { path: '/a', before: null, after: 'x' });
    assert.deepEqual(wholeChange({ path: '/a', before: null, after: 'x' }, 'old'), { path: '/a', before: 'old', after: 'x' });
  });

  it('line ends and a final newline make no difference, anything else does', () => {
    assert.equal(sameText('a\r\nb', 'a\nb\n'), true);
    assert.equal(sameText('a\n\n', 'a\n'), false);
    assert.equal(sameText(null, ''), false);
  });

  it('names are relative to the folder where they can be', () => {
    assert.deepEqual([labelOf('/w', '/w/src/a'), labelOf('/w', '/w2/a'), labelOf('/w', '/w')], ['src/a', '/w2/a', '/w']);
  });
});

describe('excerpt', () => {
  it('counts lines from 1 and keeps their ends', () => {
    const text = 'one\r\ntwo\nthree';
    assert.equal(excerpt(text, { line: null, limit: null }), text);
    assert.equal(excerpt(text, { line: 2, limit: 1 }), 'two\n');
    assert.equal(excerpt(text, { line: 2, limit: null }), 'two\nthree');
    assert.equal(excerpt(text, { line: null, limit: 1 }), 'one\r\n');
    assert.equal(excerpt(text, { line: 9, limit: 2 }), '');
    assert.equal(excerpt(text, { line: 0, limit: 0 }), '');
  });
});

describe('SeenTexts', () => {
  it('forgets the oldest first and knows who read', () => {
    const seen = new SeenTexts();
    seen.read('/a', 'x'.repeat(9_000_000));
    seen.set('/b', 'y'.repeat(9_000_000));
    assert.equal(seen.get('/a'), undefined);
    assert.equal(seen.get('/b')?.length, 9_000_000);
    assert.deepEqual([seen.wasRead('/a'), seen.wasRead('/b')], [true, false]);
    seen.read('/c', null);
    assert.equal(seen.get('/c'), null);
  });
});

describe('results of a turn', () => {
  const end = { outcome: 'completed', stopReason: 'end_turn', lastMessageKey: null, usage: null } as const;

  it('name the streamed message, or bring one of their own', () => {
    assert.deepEqual(completedResult(end, { text: 'hi', isPicture: false, itemKey: key('m') }), { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'm' } });
    assert.deepEqual(completedResult(end, { text: 'hi', isPicture: false, itemKey: null }), { outcome: 'completed', stopReason: 'end_turn', message: { text: 'hi' } });
  });

  it('A37 are never empty and never too long', () => {
    for (const text of ['', ' \n', 'x'.repeat(200_001)]) {
      const result = completedResult(end, { text, isPicture: text === '', itemKey: key('m') });
      assert.ok(result.outcome === 'completed' && 'text' in result.message && result.message.text.trim() !== '' && result.message.text.length < 1_000);
    }
  });

  it('C24 say what was stopped and what was not', () => {
    const result = cancelledResult({ agent: 'Codex', hadBegun: true, forced: false, strays: ['tail'], commands: { stopped: ['npm test'], leftRunning: ['server &'] } });
    assert.deepEqual(result, { outcome: 'cancelled', detail: 'Codex stopped. Stopped as well: “npm test”, “tail”. Not stopped: what “server &” left running in the background.' });
    const many = cancelledResult({ agent: 'A', hadBegun: true, forced: true, strays: Array.from({ length: 900 }, () => 'x'.repeat(9_000)), commands: { stopped: [], leftRunning: [] } });
    assert.ok(turnResult.safeParse(many).success);
  });
});
