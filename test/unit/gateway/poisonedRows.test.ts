import assert from 'node:assert/strict';
import { mergeUsage } from '../../../src/gateway/items/reportOps.ts';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { command, commandItem, hex, Story } from './support/story.ts';

const NEW_HOST = { hostSessionId: hex('fork'), hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: ['interrupt' as const] };

/** Columns of JSON, and what stands in them. */
const poisons = [
  ['sessions', 'agent', '{'], ['sessions', 'agent', '{"options":3}'], ['sessions', 'wanted', 'x'], ['sessions', 'attachedCapabilities', 'no'],
  ['turns', 'attachments', '{'], ['turns', 'usage', '{'], ['turns', 'completion', '{'], ['items', 'data', '{"kind":'], ['items', 'data', '{}'],
] as const;

describe('R10 a session with a row that cannot be read', () => {
  for (const [table, column, value] of poisons) {
    it(`${table}.${column} = ${value}: it can still be opened, and all others are listed and run, also after a restart`, async () => {
      const gw = new CoreHarness();
      try {
        const story = await Story.begin(gw);
        const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
        await story.run();
        gw.store.run(`UPDATE ${table} SET ${column} = ? WHERE sessionId = ?`, value, story.sessionId);
        if (column === 'completion') gw.store.run(`UPDATE turns SET state = 'completing', completionId = 'c' WHERE sessionId = ?`, story.sessionId);
        for (const restarts of [false, true]) {
          if (restarts) gw.restart();
          const window = gw.client(story.host.principal.clientId);
          const { sessions } = await window.call('session/list', { workspace: WORKSPACE });
          assert.deepEqual(sessions.map(({ sessionId }) => sessionId).sort(), [story.sessionId, other.sessionId].sort());
          assert.equal((await window.call('session/get', { sessionId: story.sessionId })).snapshot.turns.length, 1);
          gw.core.snapshot(window.principal, { workspace: WORKSPACE } as never);
          assert.equal(gw.core.bindings().bindings.current, 2);
        }
        await other.reconnect();
        await other.run();
        await story.reconnect();
      } finally {
        gw.close();
      }
    });
  }
});

describe('R10 a request that cannot be read', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    await story.run();
    await story.report([commandItem('c')]);
  });
  afterEach(() => gw.close());

  const listed = async (status?: 'pending') => (await story.host.call('approval/list', { workspace: WORKSPACE, ...(status === undefined ? {} : { status }) })).approvals;

  for (const [column, value] of [['subject', '{'], ['subject', '{}'], ['subject', '{"kind":"edit"}'], ['options', 'x'], ['options', '[]'], ['options', '3'], ['decidedBy', '3']] as const) {
    it(`approvals.${column} = ${value}: nobody can answer it, the other one waits as before, and its turn can end, also after a restart`, async () => {
      const [poisoned, sound] = [await story.ask(undefined, { itemKey: 'c' }), await story.ask()];
      gw.store.run(`UPDATE approvals SET ${column} = ? WHERE approvalId = ?`, value, poisoned.approvalId);
      for (const restarts of [false, true]) {
        if (restarts) gw.restart();
        if (restarts) await story.reconnect();
        assert.deepEqual((await listed('pending')).map(({ approvalId }) => approvalId), [sound.approvalId]);
        const all = new Map((await listed()).map(({ approvalId, status }) => [approvalId, status]));
        assert.deepEqual([all.size, all.get(sound.approvalId)], [2, 'pending']);
        assert.notEqual(all.get(poisoned.approvalId), 'pending');
        assert.equal((await story.host.call('session/history', { sessionId: story.sessionId })).page.approvals.length, 2);
        await refused(gw, 'approval_closed', () => story.decide(poisoned, 'allow'));
        await refused(gw, 'approval_closed', () => story.decide(poisoned, 'unreadable'));
      }
      assert.equal(story.snapshot().session.pendingApprovals, 1);
      await story.decide(sound, 'allow');
      await story.cancel(poisoned.turnId);
      assert.deepEqual((await listed()).filter(({ status }) => status === 'pending'), []);
    });
  }

  for (const value of ['{', 'null', '3', '{"by":"nobody"}']) {
    it(`approvals.decidedBy = ${value}: what it had allowed does not begin`, async () => {
      const approval = await story.ask(undefined, { itemKey: 'c' });
      await story.decide(approval, 'allow');
      gw.store.run('UPDATE approvals SET decidedBy = ? WHERE approvalId = ?', value, approval.approvalId);
      assert.equal((await listed()).length, 1);
      await refused(gw, 'approval_required', () => story.report([{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }]));
    });
  }
});

describe('R10 a rule that cannot be read', () => {
  for (const [column, value] of [['pattern', '{'], ['pattern', '{"kind":"command"}'], ['createdBy', 'x'], ['createdBy', '3']] as const) {
    it(`grants.${column} = ${value}: allows nothing, not even what it has allowed already, and all others are listed and count`, async () => {
      const gw = new CoreHarness();
      try {
        const story = await Story.begin(gw);
        await story.run();
        await story.report([commandItem('c')]);
        const remember = async (text: string) => {
          const { approvalId, actionDigest } = await story.ask(command(text));
          const { grant } = await story.host.call('approval/decide', {
            commandId: story.host.command(), approvalId, actionDigest, optionId: 'allow',
            remember: { scope: 'workspace', pattern: { kind: 'command', match: 'exact', argv: text.split(' '), cwd: WORKSPACE } },
          });
          return grant?.grantId ?? '';
        };
        const [poisoned, sound] = [await remember('npm test'), await remember('npm ci')];
        const allowed = await story.ask(command('npm test'), { byRule: true, itemKey: 'c' });
        assert.equal(allowed.status, 'approved');
        gw.store.run(`UPDATE grants SET ${column} = ? WHERE grantId = ?`, value, poisoned);
        const { grants } = await story.host.call('grant/list', { workspace: WORKSPACE, includeRevoked: true });
        assert.deepEqual(grants.map(({ grantId }) => grantId), [sound]);
        assert.equal((await story.ask(command('npm ci'), { byRule: true })).status, 'approved');
        assert.equal((await story.ask(command('npm test'), { byRule: true })).status, 'pending');
        await refused(gw, 'approval_required', () => story.report([{ op: 'effect.begin', itemKey: 'c', approvalId: allowed.approvalId, actionDigest: allowed.actionDigest }]));
        await refused(gw, 'not_found', () => story.host.call('grant/revoke', { commandId: story.host.command(), grantId: poisoned }));
      } finally {
        gw.close();
      }
    });
  }
});

describe('R10 figures that cannot be read', () => {
  for (const stored of ['{', '3', '[]', 'null']) it(`${stored}: new ones take their place`, () => assert.equal(mergeUsage(stored, { inputTokens: 3 } as never), '{"inputTokens":3}'));
});

describe('R10 an item that cannot be read', () => {
  it('is left out of what a search finds and a fork carries over', async () => {
    const gw = new CoreHarness();
    try {
      const story = await Story.begin(gw);
      const turnId = await story.run('claim-1', 'lost words');
      await story.report([commandItem('c')]);
      await story.complete(turnId);
      gw.store.run(`UPDATE items SET data = '{' WHERE turnId = ? AND idx = 0`, turnId);
      const other = await Story.begin(gw, { goalId: 'other', hostSessionId: hex('other') });
      await other.submit('kept words');
      const { hits } = await story.host.call('session/search', { workspace: WORKSPACE, text: 'words' });
      assert.deepEqual(hits.flatMap(({ sessionId, kind }) => (kind === 'user_message' ? [sessionId] : [])), [other.sessionId]);
      const { context } = await story.host.call('session/fork', { commandId: story.host.command(), turnId, ...NEW_HOST });
      assert.ok(!context.includes('lost words') && context.includes('done'), context);
    } finally {
      gw.close();
    }
  });
});
