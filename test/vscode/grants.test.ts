import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { Grant } from '../../src/protocol/grant/state.ts';
import { Chat, attache, demoFolder } from './support/chat.ts';
import { answering, type Asked } from './support/dialogs.ts';
import { closeEditors, demoFile, readDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

async function grants(): Promise<Grant[]> {
  const { core } = await attache();
  return (await core.calls.call('grant/list', { workspace: fs.realpathSync(demoFolder()) })).grants;
}

const STORE = 'Store Rule and Allow';

/** Presses Always Allow…, takes the row and stores it; gives what was shown. */
async function always(request: Approval, row: string | null): Promise<Asked[]> {
  return answering(({ rows }) => (rows.includes(STORE) ? STORE : row), () => vscode.commands.executeCommand('attache.alwaysAllow', request.approvalId));
}

/** Ends the newest rule as a person does: first in the list, Enter, Revoke. */
async function revokeFirst(): Promise<Asked[]> {
  const before = (await grants()).length;
  return answering(() => 'Revoke', async () => {
    await vscode.commands.executeCommand('attache.manageGrants');
    await until('the rule is gone', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return (await grants()).length < before;
    });
  });
}

describe('always allow', () => {
  afterEach(closeEditors);

  it('states rule and scope before it stores them, answers by it, says so, and asks again once it is revoked', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run printf same');
    const request = await chat.request('command');
    const [asked, stated] = await always(request, 'exactly these words');
    assert.deepEqual(asked?.rows, [
      '-- Rules for this session', 'printf same | exactly these words | In this session only', 'printf same … | and any words behind them | In this session only',
      '-- Rules for this workspace', 'printf same | exactly these words | In every session of Offline Agent in demo', 'printf same … | and any words behind them | In every session of Offline Agent in demo',
    ]);
    assert.equal(stated?.title, 'Always allow “printf same”?');
    assert.equal(stated.detail.replaceAll(fs.realpathSync(demoFolder()), 'DEMO').replace(chat.view.session.title, 'TITLE'), 'Runs exactly these words, in DEMO; only in the session “TITLE”; until you revoke it with “Manage Grants…”');
    assert.equal((await chat.turnEnd(key)).state, 'completed');
    const [grant] = await grants();
    assert.deepEqual([grant?.sessionId, grant?.pattern], [chat.view.session.sessionId, { kind: 'command', match: 'exact', argv: ['printf', 'same'], cwd: fs.realpathSync(demoFolder()) }]);
    const again = await chat.turnEnd(await chat.say('/run printf same'));
    const byRule = chat.view.approvals.find(({ turnId }) => turnId === again.turnId);
    assert.deepEqual([byRule?.status, byRule?.decidedBy?.by, byRule?.decidedBy?.rule], ['approved', 'grant', grant?.grantId]);
    // What the rule does not say is asked about.
    const longer = await chat.say('/run printf same more');
    await chat.decide(await chat.request('command'), 'reject_once');
    await chat.turnEnd(longer);
    const [question] = await revokeFirst();
    assert.match(question?.title ?? '', /printf same/);
    assert.deepEqual(await grants(), []);
    const last = await chat.say('/run printf same');
    await chat.decide(await chat.request('command'), 'reject_once');
    await chat.turnEnd(last);
  });

  it('Escape stores nothing and answers nothing', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('/run printf undecided');
    const request = await chat.request('command');
    await always(request, null);
    assert.equal(chat.approval(request.approvalId)?.status, 'pending');
    assert.deepEqual(await grants(), []);
    await chat.decide(request, 'reject_once');
    await chat.turnEnd(key);
  });

  it('a chained, substituted or redirected command gets no rule, and is told why', async () => {
    const chat = await Chat.fresh();
    for (const command of ['echo a && touch b', 'echo $(id)', 'echo a > b']) {
      const key = await chat.say(`/run ${command}`);
      const request = await chat.request('command');
      const [asked] = await always(request, 'Rules');
      assert.match(asked?.title ?? '', /no rule can be made.*chains, substitutes, redirects/);
      assert.equal(chat.approval(request.approvalId)?.status, 'pending');
      await chat.decide(request, 'reject_once');
      await chat.turnEnd(key);
    }
    assert.deepEqual(await grants(), []);
  });

  it('an edit offers its file and its folder; a protected file none', async () => {
    writeDemo('work/rules/a.txt', 'one\n');
    const chat = await Chat.fresh();
    const key = await chat.say('/edit work/rules/a.txt one => two');
    const request = await chat.request('edit');
    const [asked] = await always(request, 'every file below');
    assert.deepEqual(asked?.rows.filter((row) => row.includes('In this session')).map((row) => row.split(' | ')[0]), ['work/rules/a.txt', 'work/rules/…']);
    await chat.turnEnd(key);
    await chat.turnEnd(await chat.say('/write work/rules/b.txt new'));
    assert.equal(readDemo('work/rules/b.txt').trimEnd(), 'new');
    const other = await chat.say('/write .vscode/settings.json {}');
    const guarded = await chat.request('edit');
    assert.match((await always(guarded, 'Rules'))[0]?.title ?? '', /widen rights/);
    await chat.decide(guarded, 'reject_once');
    await chat.turnEnd(other);
    assert.equal(fs.existsSync(demoFile('.vscode/settings.json')), false);
    await revokeFirst();
  });
});
