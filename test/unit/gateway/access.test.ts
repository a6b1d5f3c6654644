import assert from 'node:assert/strict';
import { accessTo } from '../../../src/gateway/admission/access.ts';
import type { CoreMethod } from '../../../src/gateway/core.ts';
import { CoreHarness, refused, rejection, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { attachParams, digestOf, Story } from './support/story.ts';

describe('access', () => {
  let gw: CoreHarness;
  let story: Story;
  let turnId: string;
  let approval: { approvalId: string; actionDigest: string };
  let grantId: string;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    turnId = await story.run();
    const remembered = await story.ask();
    const { grant } = await story.host.call('approval/decide', {
      commandId: story.host.command(), approvalId: remembered.approvalId, actionDigest: remembered.actionDigest, optionId: 'allow',
      remember: { scope: 'workspace', pattern: { kind: 'command', match: 'exact', argv: ['touch', 'a.txt'], cwd: WORKSPACE } },
    });
    grantId = grant?.grantId ?? '';
    approval = await story.ask();
  });
  afterEach(() => gw.close());

  /** One call of every method that the core answers, as this client would make it. */
  function everyCall(by: TestClient): Record<CoreMethod, () => Promise<unknown>> {
    const { sessionId, hostRunId, hostSessionId, channelId } = story;
    const commandId = by.command();
    const onTurn = { commandId, turnId };
    const onSession = { commandId, sessionId };
    const host = { sessionId, hostRunId };
    const newHost = { hostSessionId, hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: [] };
    const folder = { workspace: WORKSPACE };
    const goal = { commandId, ...folder, goalId: 'goal' };
    const itemId = story.snapshot().items[0]!.itemId;
    const content = { ...folder, digest: digestOf('x') };
    return {
      'workspace/list': () => by.call('workspace/list', {}),
      'goal/create': () => by.call('goal/create', { commandId, ...folder, title: 'T' }),
      'goal/update': () => by.call('goal/update', goal),
      'goal/retire': () => by.call('goal/retire', { ...goal, expectedLifetime: 1 }),
      'goal/recreate': () => by.call('goal/recreate', { ...goal, expectedLifetime: 1 }),
      'goal/list': () => by.call('goal/list', folder),
      'goal/get': () => by.call('goal/get', { ...folder, goalId: 'goal' }),
      'session/attach': () => by.call('session/attach', attachParams(by)),
      'session/resume': () => by.call('session/resume', onSession),
      'session/rename': () => by.call('session/rename', { ...onSession, title: 'T' }),
      'session/replaceExecutor': () => by.call('session/replaceExecutor', { ...onSession, ...newHost }),
      'session/fork': () => by.call('session/fork', { ...onTurn, ...newHost }),
      'session/delete': () => by.call('session/delete', onSession),
      'session/undelete': () => by.call('session/undelete', onSession),
      'session/configure': () => by.call('session/configure', { ...onSession, changes: { permissionMode: 'acceptEdits' } }),
      'session/pin': () => by.call('session/pin', { ...onSession, pinned: true }),
      'session/archive': () => by.call('session/archive', { ...onSession, archived: true }),
      'session/search': () => by.call('session/search', { ...folder, text: 'do' }),
      'session/close': () => by.call('session/close', onSession),
      'session/list': () => by.call('session/list', folder),
      'session/get': () => by.call('session/get', { sessionId }),
      'session/history': () => by.call('session/history', { sessionId }),
      'channel/readback': () => by.call('channel/readback', { ...folder, channelId }),
      'turn/submit': () => by.call('turn/submit', { sessionId, clientTurnId: commandId, text: 'x' }),
      'turn/cancel': () => by.call('turn/cancel', onTurn),
      'turn/retry': () => by.call('turn/retry', { ...onTurn, clientTurnId: commandId }),
      'turn/steer': () => by.call('turn/steer', { ...onSession, turnId, text: 'x' }),
      'turn/reverted': () => by.call('turn/reverted', { ...onTurn, again: false, files: [{ path: '/w/a.txt', label: 'a.txt', before: null, after: null }] }),
      'turn/list': () => by.call('turn/list', { sessionId }),
      'turn/get': () => by.call('turn/get', { turnId }),
      'turn/replay': () => by.call('turn/replay', { turnId }),
      'queue/edit': () => by.call('queue/edit', { ...onTurn, text: 'x', expectedRev: 1 }),
      'queue/remove': () => by.call('queue/remove', onTurn),
      'queue/reorder': () => by.call('queue/reorder', { ...onSession, turnIds: [turnId] }),
      'queue/pause': () => by.call('queue/pause', onSession),
      'queue/resume': () => by.call('queue/resume', onSession),
      'host/register': () => by.call('host/register', { ...host, hostSessionId, hostSurface: 'vscode' }),
      'host/unregister': () => by.call('host/unregister', host),
      'host/claim': () => by.call('host/claim', { ...host, claimId: 'c', waitSeconds: 0 }),
      'host/renew': () => by.call('host/renew', host),
      'host/report': () => by.call('host/report', { ...host, claimId: 'claim-1', reportSeq: 1, ops: [{ op: 'turn.usage', usage: {} }] }),
      'host/agent': () => by.call('host/agent', host),
      'host/complete': () => by.call('host/complete', { ...host, turnId, claimId: 'claim-1', completionId: 'c', lastReportSeq: 0, result: { outcome: 'cancelled' } }),
      'approval/request': () => by.call('approval/request', {
        commandId, sessionId, claimId: 'claim-1', title: 't', subject: { kind: 'question', detail: '' }, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }], actionDigest: digestOf('x'),
      }),
      'approval/withdraw': () => by.call('approval/withdraw', { commandId, sessionId, claimId: 'claim-1', approvalId: approval.approvalId }),
      'approval/decide': () => by.call('approval/decide', { commandId, approvalId: approval.approvalId, actionDigest: approval.actionDigest, optionId: 'allow' }),
      'approval/list': () => by.call('approval/list', folder),
      'approval/get': () => by.call('approval/get', { approvalId: approval.approvalId }),
      'grant/list': () => by.call('grant/list', folder),
      'grant/revoke': () => by.call('grant/revoke', { commandId, grantId }),
      'event/read': () => by.call('event/read', { scope: { session: story.sessionId } }),
      'item/get': () => by.call('item/get', { itemId }),
      'blob/put': () => by.call('blob/put', { ...content, size: 1, offset: 0, base64: 'eA==' }),
      'blob/get': () => by.call('blob/get', content),
      'gateway/space': () => by.call('gateway/space', {}),
      'gateway/freeSpace': () => by.call('gateway/freeSpace', { commandId, planId: 'x', sessions: [sessionId] }),
      'command/get': () => by.call('command/get', { commandId }),
    };
  }

  const without = <T>(calls: Record<string, T>, names: readonly string[]): [string, T][] => Object.entries(calls).filter(([name]) => !names.includes(name));

  it('B9 without the folder nothing is found and nothing is done, whatever is called', async () => {
    const foreign = gw.client('foreign', 'editor', [{ path: '/w/demo2', trusted: true }]);
    const calls = everyCall(foreign);
    assert.ok(Object.keys(calls).length >= 38);
    assert.deepEqual(await calls['workspace/list'](), { workspaces: [{
      path: '/w/demo2', trusted: true, goals: { live: 0, retired: 0 }, sessions: { open: 0, archived: 0, closed: 0 }, liveTurns: 0, queuedTurns: 0, pendingApprovals: 0,
    }] });
    for (const [name, call] of without(calls, ['workspace/list', 'gateway/space'])) {
      const before = gw.dump();
      const { kind } = await rejection(call);
      assert.ok(kind === 'not_found' || kind === 'workspace_not_granted', `${name}: ${kind}`);
      assert.deepEqual(gw.dump(), before, name);
    }
    assert.throws(() => gw.core.snapshot(foreign.principal, { session: story.sessionId as never }), { kind: 'not_found' });
    assert.throws(() => gw.core.snapshot(foreign.principal, { workspace: WORKSPACE }), { kind: 'workspace_not_granted' });
    assert.throws(() => gw.core.events(foreign.principal, { session: story.sessionId as never }, 0, 10), { kind: 'not_found' });
    assert.throws(() => gw.core.events(foreign.principal, { workspace: WORKSPACE }, 0, 10), { kind: 'workspace_not_granted' });
  });

  it('an untrusted folder is read, stopped, refused and closed, and nothing else', async () => {
    const reader = gw.client('reader', 'editor', [{ path: WORKSPACE, trusted: false }]);
    const calls = everyCall(reader);
    const reads = ['workspace/list', 'gateway/space', 'session/search', 'grant/list', 'goal/list', 'goal/get', 'session/list', 'session/get', 'session/history', 'channel/readback', 'turn/list', 'turn/get', 'turn/replay', 'approval/list', 'approval/get', 'event/read', 'item/get'] as const;
    for (const name of reads) await calls[name]();
    for (const name of ['blob/get', 'command/get'] as const) assert.equal((await rejection(calls[name])).kind, 'not_found');
    const possible = [...reads, 'blob/get', 'command/get', 'turn/cancel', 'queue/remove', 'session/close', 'grant/revoke'];
    // The host is asked who it is before anything else.
    const host = Object.keys(calls).filter((name) => name.startsWith('host/') && name !== 'host/register').concat('approval/request', 'approval/withdraw');
    for (const [name, call] of without(calls, [...possible, ...host, 'turn/retry', 'session/undelete'])) {
      await refused(gw, 'workspace_untrusted', call).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`));
    }
    for (const name of host) await refused(gw, 'attached_session_host_mismatch', calls[name as CoreMethod]);

    assert.equal((await story.decide(approval, 'deny', reader)).approval.status, 'rejected');
    assert.notEqual((await reader.call('grant/revoke', { commandId: 'revoke', grantId })).grant.revokedAt, null);
    assert.equal((await story.cancel(turnId, reader)).turn?.state, 'cancelling');
    await story.complete(turnId, { outcome: 'cancelled' });
    await refused(gw, 'workspace_untrusted', () => reader.call('turn/retry', { commandId: 'again', turnId, clientTurnId: 'again' }));
    const { turn } = await story.submit('waits');
    assert.equal((await story.cancel(turn.turnId, reader)).turn?.state, 'cancelled');
    assert.equal((await story.onSession('session/close', reader)).session.status, 'closed');
  });

  it('folders are compared name by name', () => {
    const may = (grants: readonly [string, boolean][], path: string) =>
      accessTo({ connectionId: 'c', clientId: 'c', windowId: 'c', kind: 'cli', workspaces: grants.map(([folder, trusted]) => ({ path: folder, trusted })) }, path);
    assert.equal(may([['/w/demo', true]], '/w/demo'), 'full');
    assert.equal(may([['/w/demo', true]], '/w/demo2'), 'none');
    assert.equal(may([['/w/demo', true]], '/w'), 'none');
    assert.equal(may([['/w', true]], '/w/demo'), 'full');
    assert.equal(may([['/w', true], ['/w/demo', false]], '/w/demo/sub'), 'read_only');
    assert.equal(may([['/w', false], ['/w/demo', true]], '/w/demo'), 'full');
    assert.equal(may([], '/w'), 'none');
    assert.equal(may([['/w/demo', true], ['/w/demo', false]], '/w/demo'), 'read_only');
    assert.equal(may([['/w/demo', false], ['/w/demo', true]], '/w/demo'), 'read_only');
    assert.equal(may([['/', true]], '/w/demo'), 'full');
  });

  it('a folder has one name: another way to write it, or a name that only looks like two, is not granted', async () => {
    for (const other of ['/w/demo/', '/w//demo', '/w/./demo', '/w/demo/../other', '/w/demo/..', 'w/demo', '/w/demo/.', '/w/demo/\0', '']) {
      const may = accessTo(story.host.principal, other);
      assert.equal(may, 'none', JSON.stringify(other));
      if (other !== '') await refused(gw, 'workspace_not_granted', () => story.host.call('goal/create', { commandId: story.host.command(), workspace: other, title: 'T' }));
    }
    if (process.platform !== 'win32') assert.equal(accessTo(story.host.principal, '/w/demo\\sub'), 'none');
  });
});
