import assert from 'node:assert/strict';
import { rejection, CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { commandItem, hex, Story } from './support/story.ts';

describe('privacy', () => {
  it('no answer, event, snapshot or error carries a private identity', async () => {
    const gw = new CoreHarness();
    const cli = gw.client('cli', 'cli');
    const story = await Story.begin(gw);
    const other = await Story.begin(gw, { hostSessionId: hex('the other host session') });
    const refusals: string[] = [];
    const refuse = async (call: () => Promise<unknown>): Promise<void> => {
      const { message, data } = await rejection(call);
      refusals.push(JSON.stringify({ message, data }));
    };

    const turnId = await story.run('claim-very-private');
    await other.run('other-claim-private');
    await story.report([commandItem('c'), { op: 'session.agent', agent: { name: 'A' }, agentSessionId: 'agent-session-private' }], 'claim-very-private');
    const approval = await story.ask(undefined, { claimId: 'claim-very-private', itemKey: 'c' });
    await cli.call('approval/decide', {
      commandId: 'remember', approvalId: approval.approvalId, actionDigest: approval.actionDigest, optionId: 'allow',
      remember: { scope: 'workspace', pattern: { kind: 'command', match: 'exact', argv: ['touch', 'a.txt'], cwd: WORKSPACE } },
    });
    assert.equal((await story.ask(undefined, { claimId: 'claim-very-private', byRule: true })).decidedBy?.by, 'grant');
    await refuse(() => story.decide(approval, 'deny', cli));
    await story.report([{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }], 'claim-very-private');
    await story.submit('next');
    await cli.call('session/list', { workspace: WORKSPACE });
    await cli.call('channel/readback', { workspace: WORKSPACE, channelId: story.channelId });
    await cli.call('session/history', { sessionId: story.sessionId });
    await cli.call('turn/list', { sessionId: story.sessionId });
    await cli.call('item/get', { itemId: story.snapshot().items[0]!.itemId });
    cli.snapshot(story.sessionId);
    await story.recreate();
    await refuse(() => story.submit());
    await refuse(() => story.claim('another-claim'));
    await refuse(() => story.reportAs(99, [{ op: 'turn.usage', usage: {} }], 'claim-very-private'));
    await story.complete(turnId, undefined, { claimId: 'claim-very-private', completionId: 'completion-very-private' });
    await refuse(() => story.complete(turnId, undefined, { claimId: 'claim-very-private', completionId: 'completion-2' }));
    const newHost = { hostSessionId: hex('a third host session'), hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: [] };
    const fresh = await Story.begin(gw, { hostSessionId: hex('the fresh host session') });
    const { turn } = await fresh.submit('for the fork');
    await fresh.host.call('session/fork', { commandId: 'fork', turnId: turn.turnId, ...newHost });
    await fresh.host.call('turn/steer', { commandId: 'steer', sessionId: fresh.sessionId, turnId: turn.turnId, text: 'x' });
    await fresh.host.call('queue/reorder', { commandId: 'order', sessionId: fresh.sessionId, turnIds: [turn.turnId] });
    await fresh.host.call('session/replaceExecutor', { commandId: 'take', sessionId: fresh.sessionId, ...newHost });
    await fresh.cancel(turn.turnId);
    await cli.call('turn/replay', { turnId });
    await cli.call('workspace/list', {});
    const { hits } = await cli.call('session/search', { workspace: WORKSPACE, text: 'do' });
    assert.ok(hits.length > 0);
    await cli.call('session/pin', { commandId: 'pin', sessionId: fresh.sessionId, pinned: true });
    await cli.call('session/archive', { commandId: 'archive', sessionId: fresh.sessionId, archived: true });
    await cli.call('session/configure', { commandId: 'configure', sessionId: fresh.sessionId, changes: { permissionMode: 'readOnly' } });
    await refuse(() => cli.call('session/configure', { commandId: 'choose', sessionId: fresh.sessionId, changes: { options: [{ id: 'mode', value: 'x' }] } }));
    const { grants } = await cli.call('grant/list', { workspace: WORKSPACE });
    assert.equal(grants.length, 1);
    await cli.call('grant/revoke', { commandId: 'revoke', grantId: grants[0]!.grantId });
    await fresh.host.call('session/delete', { commandId: 'delete', sessionId: fresh.sessionId });
    await fresh.host.call('session/undelete', { commandId: 'undelete', sessionId: fresh.sessionId });
    gw.heard.push(JSON.stringify(gw.core.bindings()));
    other.host.disconnect();
    await gw.clock.advance(30_000);
    gw.heard.push(JSON.stringify(gw.core.snapshot(cli.principal, { workspace: WORKSPACE })), JSON.stringify(gw.core.counts()), ...refusals);

    const instances = gw.store.all<{ goalInstanceId: string }>('SELECT goalInstanceId FROM goals').map(({ goalInstanceId }) => goalInstanceId);
    assert.equal(instances.length, 2);
    const said = gw.heard.join('\n');
    const secrets = [...instances, 'ginst_', story.hostSessionId, other.hostSessionId, story.hostRunId, other.hostRunId, fresh.hostSessionId, newHost.hostSessionId, 'completion-very-private'];
    for (const secret of secrets) assert.ok(!said.includes(secret), `${secret} was said`);

    // What a host alone may hear, in the answers to itself: its claim, and the conversation of its agent.
    const forHosts = gw.heard.filter((text) => text.includes('claim-very-private') || text.includes('agent-session-private'));
    assert.ok(forHosts.length > 0 && forHosts.every((text) => text.startsWith('{"claimed":true')), 'only in the answer to the claim itself');
    assert.ok(!said.includes('agent-session-private'));
    assert.ok((await story.register()).agentSessionId === 'agent-session-private');
    gw.close();
  });
});
