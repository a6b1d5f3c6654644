import assert from 'node:assert/strict';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { Grant, GrantPattern } from '../../src/protocol/grant/state.ts';
import { expectRefusal } from '../support/expectRefusal.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { digestOf, key, newCommand, OPTIONS, startCommand, submit, TestHost } from '../support/testHost.ts';

describe('what is remembered, across clients', () => {
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

  /** The host says that a rule may answer. */
  async function ask(command: string, by = host): Promise<Approval> {
    const subject = { kind: 'command' as const, command, cwd: gateway.folder(), envNames: [] };
    const { approval } = await by.client.call('approval/request', {
      commandId: newCommand(), sessionId: by.sessionId, claimId: by.claimId, title: command, subject, options: [...OPTIONS], actionDigest: digestOf(subject), byRule: true,
    });
    return approval;
  }
  const words = (...argv: string[]): GrantPattern => ({ kind: 'command', match: 'exact', argv, cwd: gateway.folder() });
  async function remember(command: string, scope: 'session' | 'workspace' = 'workspace'): Promise<Grant> {
    const { approvalId, actionDigest } = await host.ask(command);
    const { grant } = await cli.call('approval/decide', { commandId: newCommand(), approvalId, actionDigest, optionId: 'yes', remember: { scope, pattern: words(...command.split(' ')) } });
    assert.ok(grant !== undefined);
    return grant;
  }

  it('C39 a CLI remembers, the window’s next request is answered by that rule, other windows hear of the rule and may revoke it', async () => {
    const { subscriptionId } = await editor.call('sub/subscribe', { scope: { workspace: gateway.folder() } });
    const { grantId } = await remember('npm test');
    await editor.event(subscriptionId, 'grant.updated', ({ grant }) => grant.grantId === grantId && grant.revokedAt === null);
    const asked = await ask('npm test');
    assert.deepEqual([asked.status, asked.decidedBy?.by, asked.decidedBy?.rule], ['approved', 'grant', grantId]);
    await gateway.kill9();
    await gateway.restart();
    const [back, other] = [await gateway.client(), await gateway.client({ kind: 'cli' })];
    await host.register(back);
    assert.equal((await ask('npm test')).decidedBy?.rule, grantId);
    assert.deepEqual((await other.call('grant/list', { workspace: gateway.folder() })).grants.map(({ uses }) => uses), [2]);
    await other.call('grant/revoke', { commandId: newCommand(), grantId });
    assert.equal((await ask('npm test')).status, 'pending');
    await expectRefusal('not_found', (await gateway.client({ folders: [gateway.folder('elsewhere')] })).call('grant/revoke', { commandId: newCommand(), grantId }));
  });

  it('revoke and request at once: one comes first, and after the answer to the revoke nothing is allowed or begun by the rule', async () => {
    for (let round = 0; round < 15; round++) {
      const command = `touch ${round}`;
      const { grantId } = await remember(command);
      await host.report(startCommand(`c${round}`, command, gateway.folder()));
      const [asked, { grant }] = await Promise.all([ask(command), cli.call('grant/revoke', { commandId: newCommand(), grantId })]);
      assert.ok(asked.status === 'pending' || asked.decidedBy?.rule === grantId);
      assert.notEqual(grant.revokedAt, null);
      assert.equal((await cli.call('grant/list', { workspace: gateway.folder(), includeRevoked: true })).grants.find((each) => each.grantId === grantId)?.uses, asked.status === 'pending' ? 0 : 1);
      await expectRefusal('approval_required', host.report({ op: 'effect.begin', itemKey: key(`c${round}`), approvalId: asked.approvalId, actionDigest: asked.actionDigest }));
      assert.equal((await ask(command)).status, 'pending');
    }
  });

  it('a window that does not trust the folder may revoke, and remembers nothing', async () => {
    const { grantId } = await remember('npm test');
    const reader = await gateway.client({ trusted: false });
    const { approvalId, actionDigest } = await host.ask('ls');
    const before = gateway.dump();
    await expectRefusal('workspace_untrusted', reader.call('approval/decide', { commandId: newCommand(), approvalId, actionDigest, optionId: 'yes', remember: { scope: 'workspace', pattern: words('ls') } }));
    await expectRefusal('workspace_untrusted', reader.call('session/configure', { commandId: newCommand(), sessionId: host.sessionId, changes: { permissionMode: 'acceptEdits' } }));
    assert.deepEqual(gateway.dump(), before);
    assert.notEqual((await reader.call('grant/revoke', { commandId: newCommand(), grantId })).grant.revokedAt, null);
  });

  it('C39 a CLI sets the permission mode; the window sees it and is answered by it, and a restart keeps it', async () => {
    const { subscriptionId } = await editor.call('sub/subscribe', { scope: { session: host.sessionId } });
    await remember('npm test');
    await cli.call('session/configure', { commandId: newCommand(), sessionId: host.sessionId, changes: { permissionMode: 'readOnly' } });
    await editor.event(subscriptionId, 'session.updated', ({ session }) => session.permissionMode === 'readOnly');
    assert.deepEqual((await ask('npm test')).decidedBy, { by: 'mode', clientId: null, clientKind: null, rule: 'mode:readOnly' });
    await gateway.kill9();
    await gateway.restart();
    const back = await gateway.client();
    await host.register(back);
    assert.equal((await ask('npm test')).status, 'rejected');
    assert.equal((await back.call('session/get', { sessionId: host.sessionId })).snapshot.session.permissionMode, 'readOnly');
  });
});
