import assert from 'node:assert/strict';
import type { Approval } from '../../src/protocol/approval/state.ts';
import { digest } from '../../src/protocol/ids.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { ResultOf } from '../../src/protocol/methods.ts';
import { eventually } from '../support/eventually.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { current, follow } from '../support/follow.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import type { TestClient } from '../support/testClient.ts';
import { decide, key, newCommand, startCommand, submit, TestHost } from '../support/testHost.ts';

describe('consent across clients', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let cli: TestClient;
  let host: TestHost;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    editor = await gateway.client();
    cli = await gateway.client({ kind: 'cli' });
    host = await TestHost.start(editor, { workspace: gateway.folder() });
    await submit(editor, host.sessionId, 'work');
    await host.claim();
  });
  afterEach(() => gateway.stop());

  const begin = ({ approvalId, actionDigest }: Approval, itemKey = key('c')): Promise<ResultOf<'host/report'>> =>
    host.report({ op: 'effect.begin', itemKey, approvalId, actionDigest });

  it('B18 another client sees the request, its own subscription too, and answers it; the host learns who', async () => {
    const [mine, theirs] = [await follow(editor, host.sessionId), await follow(cli, host.sessionId)];
    await host.report(startCommand('c', 'touch a', gateway.folder()));
    const asked = await host.ask('touch a', key('c'));
    assert.equal((await editor.call('turn/get', { turnId: host.turn!.turnId })).turn.state, 'waiting');
    await cli.event(theirs.id, 'approval.requested', ({ approval }) => approval.approvalId === asked.approvalId);
    const listed = await cli.call('approval/list', { workspace: gateway.folder(), status: 'pending' });
    assert.deepEqual(listed.approvals.map(({ approvalId }) => approvalId), [asked.approvalId]);

    const { outcome, approval } = await decide(cli, asked, 'yes');
    assert.deepEqual([outcome, approval.status, approval.decidedBy?.clientId, approval.decidedBy?.clientKind], ['decided', 'approved', cli.clientId, 'cli']);
    const seen = await editor.event(mine.id, 'approval.updated', ({ approval: each }) => each.status === 'approved');
    assert.equal(seen.approval.decidedBy?.clientId, cli.clientId);
    assert.equal(seen.causedBy.clientId, cli.clientId);
    assert.equal((await begin(asked)).turnState, 'running');
    assert.deepEqual(current(mine), (await editor.call('session/get', { sessionId: host.sessionId })).snapshot);
  });

  it('B2 two clients decide at once: one wins, the same answer is "already", another one is told who won', async () => {
    for (let round = 0; round < 20; round++) {
      const name = `c${round}`;
      await host.report(startCommand(name, name, gateway.folder()));
      const asked = await host.ask(name, key(name));
      const choices = round % 2 === 0 ? (['yes', 'no'] as const) : (['yes', 'yes'] as const);
      const answers = await Promise.allSettled([decide(editor, asked, choices[0]), decide(cli, asked, choices[1])]);
      const final = (await cli.call('approval/get', { approvalId: asked.approvalId })).approval;
      assert.ok(final.status === 'approved' || final.status === 'rejected');
      const outcomes = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.outcome : (answer.reason as { kind: string }).kind)).sort();
      assert.deepEqual(outcomes, choices[0] === choices[1] ? ['already', 'decided'] : ['approval_already_decided', 'decided']);
      assert.equal((await cli.call('approval/list', { workspace: gateway.folder(), status: 'pending' })).approvals.length, 0);
    }
  });

  it('B2 the losing answer carries the request as it was decided', async () => {
    await host.report(startCommand('c', 'x', gateway.folder()));
    const asked = await host.ask('x', key('c'));
    await decide(cli, asked, 'yes');
    const error = await expectRefusal('approval_already_decided', decide(editor, asked, 'no'));
    assert.equal((error.data.entity as { decidedBy: { clientId: string } }).decidedBy.clientId, cli.clientId);
  });

  it('B3 an answer after cancel does nothing: no effect may begin', async () => {
    await host.report(startCommand('c', 'sleep 30', gateway.folder()));
    const asked = await host.ask('sleep 30', key('c'));
    await cli.call('turn/cancel', { commandId: newCommand(), turnId: host.turn!.turnId });
    assert.equal((await editor.call('approval/get', { approvalId: asked.approvalId })).approval.status, 'cancelled');
    const before = gateway.dump();
    await expectRefusal('approval_closed', decide(cli, asked, 'yes'));
    await assert.rejects(begin(asked));
    assert.deepEqual(gateway.dump(), before);
  });

  it('nothing begins without a recorded approval of exactly this action', async () => {
    await host.report(startCommand('c', 'rm', gateway.folder()));
    const asked = await host.ask('rm', key('c'));
    await expectRefusal('approval_required', begin(asked));
    await expectRefusal('approval_changed', cli.call('approval/decide', { commandId: newCommand(), approvalId: asked.approvalId, optionId: 'yes', actionDigest: digest.parse('0'.repeat(64)) }));
    await expectRefusal('approval_option_unknown', cli.call('approval/decide', { commandId: newCommand(), approvalId: asked.approvalId, optionId: 'always', actionDigest: asked.actionDigest }));
    await decide(cli, asked, 'no');
    await expectRefusal('approval_required', begin(asked));
  });

  it('C03 ten requests at once are answered in any order, each by its own id', async () => {
    const asked = [];
    for (let n = 0; n < 10; n++) {
      await host.report(startCommand(`c${n}`, `touch ${n}`, gateway.folder()));
      asked.push(await host.ask(`touch ${n}`, key(`c${n}`)));
    }
    assert.equal((await cli.call('session/get', { sessionId: host.sessionId })).snapshot.session.pendingApprovals, 10);
    for (const n of [7, 3, 0, 9, 1, 8, 2, 6, 4, 5]) await decide(n % 2 === 0 ? cli : editor, asked[n]!, n % 3 === 0 ? 'no' : 'yes');
    const { approvals } = await cli.call('approval/list', { workspace: gateway.folder(), sessionId: host.sessionId });
    const answered = new Map(approvals.map(({ title, status }) => [title, status]));
    for (let n = 0; n < 10; n++) assert.equal(answered.get(`touch ${n}`), n % 3 === 0 ? 'rejected' : 'approved');
    assert.equal((await cli.call('session/get', { sessionId: host.sessionId })).snapshot.session.pendingApprovals, 0);
    assert.equal((await editor.call('turn/get', { turnId: host.turn!.turnId })).turn.state, 'running');
  });

  it('C06 a pending request lives through kill -9 of the gateway and is answered afterwards', async () => {
    await host.report(startCommand('c', 'touch a', gateway.folder()));
    const asked = await host.ask('touch a', key('c'));
    await gateway.kill9();
    await gateway.restart();
    const [back, phone] = [await gateway.client(), await gateway.client({ kind: 'cli' })];
    const { active } = await host.register(back);
    assert.equal(active?.turn.turnId, host.turn?.turnId);
    assert.equal(active?.turn.state, 'waiting');
    const { approvals } = await phone.call('approval/list', { workspace: gateway.folder(), status: 'pending' });
    assert.deepEqual(approvals, [asked]);
    assert.equal((await decide(phone, asked, 'yes')).outcome, 'decided');
    await begin(asked);
    await host.report({ op: 'effect.end', itemKey: key('c') }, { op: 'item.end', itemKey: key('c'), state: 'completed' });
    assert.equal((await host.complete('done')).turn.state, 'completed');
  });

  it('C06 b a restarted window: the request is lost with its turn and cannot be answered', async () => {
    await host.report(startCommand('c', 'touch a', gateway.folder()));
    const asked = await host.ask('touch a', key('c'));
    await gateway.left(editor);
    await host.restarted(await gateway.client()).register();
    const { turn } = await cli.call('turn/get', { turnId: host.turn!.turnId });
    assert.deepEqual([turn.state, turn.cause], ['interrupted', 'executor_restarted']);
    const { approval } = await cli.call('approval/get', { approvalId: asked.approvalId });
    assert.deepEqual([approval.status, approval.cause], ['orphaned', 'executor_restarted']);
    await expectRefusal('approval_closed', decide(cli, asked, 'yes'));
  });

  it('A45 retire while a request waits: it is cancelled, the turn may still return, then the session closes', async () => {
    await host.report(startCommand('c', 'x', gateway.folder()));
    const asked = await host.ask('x', key('c'));
    for (const text of ['1', '2', '3']) await submit(cli, host.sessionId, text);
    const { turnsEnded } = await cli.call('goal/retire', { commandId: newCommand(), workspace: gateway.folder(), goalId: host.session.goalId, expectedLifetime: 1 });
    assert.equal(turnsEnded, 3);
    const { approval } = await editor.call('approval/get', { approvalId: asked.approvalId });
    assert.deepEqual([approval.status, approval.cause], ['cancelled', 'goal_retired']);
    await expectRefusal('approval_closed', decide(cli, asked, 'yes'));
    assert.equal((await host.complete('as far as I got')).turn.state, 'completed');
    const { turns } = await cli.call('turn/list', { sessionId: host.sessionId });
    assert.deepEqual(turns.map(({ state, cause }) => [state, cause]), [['completed', null], ['failed', 'stale_goal_instance'], ['failed', 'stale_goal_instance'], ['failed', 'stale_goal_instance']]);
    assert.equal((await cli.call('session/close', { commandId: newCommand(), sessionId: host.sessionId })).session.status, 'closed');
  });

  it('a policy’s answer is recorded with its rule', async () => {
    await host.report(startCommand('c', 'ls', gateway.folder()));
    const subject = { kind: 'command' as const, command: 'ls', cwd: gateway.folder(), envNames: [] };
    const { approval } = await editor.call('approval/request', {
      commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, itemKey: key('c'), title: 'ls', subject,
      options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }], actionDigest: digest.parse('a'.repeat(64)), auto: { optionId: 'yes', rule: 'policy:attache.approvals' },
    });
    assert.deepEqual([approval.status, approval.decidedBy?.by, approval.decidedBy?.rule], ['approved', 'policy', 'policy:attache.approvals']);
  });

  it('a pending request stays pending while no client is there, and keeps the gateway from ending', async () => {
    await host.report(startCommand('c', 'x', gateway.folder()));
    const asked = await host.ask('x', key('c'));
    const { pid } = gateway;
    // The lease of the lost host ends the turn after 30 s; until then nothing about the request changes.
    await gateway.advanceAlone(LIMITS.leaseMs - 1);
    assert.equal(isAlive(pid), true);
    const later = await gateway.client();
    assert.equal((await later.call('approval/get', { approvalId: asked.approvalId })).approval.status, 'pending');
    await gateway.advance(1);
    await eventually('the request is orphaned', async () => (await later.call('approval/get', { approvalId: asked.approvalId })).approval.status === 'orphaned');
    assert.equal((await later.call('gateway/status', {})).pid, pid);
  });
});
