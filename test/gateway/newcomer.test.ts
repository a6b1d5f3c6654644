import assert from 'node:assert/strict';
import { expectRefusal } from '../support/expectRefusal.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { key, newCommand, startCommand, submit, TestHost } from '../support/testHost.ts';

describe('a client that was not there before', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());

  it('B18 finds active turns and pending requests that it did not start, in all sessions of its folder and in no other', async () => {
    const folder = gateway.folder();
    const elsewhere = gateway.folder('elsewhere');
    const editor = await gateway.client({ folders: [folder, elsewhere] });
    const [running, asking, idle, foreign] = await Promise.all([folder, folder, folder, elsewhere].map((workspace, at) => TestHost.start(editor, { workspace, goal: `goal-${at}` })));
    for (const host of [running!, asking!, foreign!]) {
      await submit(editor, host.sessionId, 'work');
      await host.claim();
    }
    await submit(editor, running!.sessionId, 'next');
    await asking!.report(startCommand('c', 'make', folder));
    const asked = await asking!.ask('make', key('c'));
    await submit(editor, idle!.sessionId, 'deleted');
    await editor.call('turn/cancel', { commandId: newCommand(), turnId: (await editor.call('turn/list', { sessionId: idle!.sessionId })).turns[0]!.turnId });

    const newcomer = await gateway.client({ kind: 'cli', folders: [folder] });
    const active = await newcomer.call('turn/list', { workspace: folder, states: ['running', 'waiting', 'cancelling', 'completing'] });
    assert.deepEqual(active.turns.map(({ sessionId, state }) => [sessionId, state]), [[running!.sessionId, 'running'], [asking!.sessionId, 'waiting']]);
    const { approvals } = await newcomer.call('approval/list', { workspace: folder, status: 'pending' });
    assert.deepEqual(approvals.map(({ approvalId, sessionId }) => [approvalId, sessionId]), [[asked.approvalId, asking!.sessionId]]);
    const all = await newcomer.call('turn/list', { workspace: folder });
    assert.deepEqual(all.turns.map(({ text, state }) => `${text} ${state}`).sort(), ['deleted cancelled', 'next queued', 'work running', 'work waiting']);

    await editor.call('session/delete', { commandId: newCommand(), sessionId: idle!.sessionId });
    assert.equal((await newcomer.call('turn/list', { workspace: folder })).turns.length, 3, 'what is deleted is not listed');
    await expectRefusal('workspace_not_granted', newcomer.call('turn/list', { workspace: elsewhere }));
    await expectRefusal('not_found', newcomer.call('turn/list', { sessionId: foreign!.sessionId }));
  });
});
