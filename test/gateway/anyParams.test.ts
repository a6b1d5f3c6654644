import assert from 'node:assert/strict';
import fc from 'fast-check';
import { methods, type MethodName } from '../../src/protocol/methods.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { delta, digestOf, startMessage, submit, TestHost } from '../support/testHost.ts';

/** Those that would end what is tried. */
const ENDING: ReadonlySet<string> = new Set(['gateway/shutdown', 'gateway/drain']);
const NAMES = (Object.keys(methods) as MethodName[]).filter((name) => !ENDING.has(name));
const ODD = [
  null, 0, -1, 1.5, 2 ** 53, '', ' ', '\0', '\ud800', '../..', '/', 'x'.repeat(5000), '9'.repeat(400), [], [null], [[]], {}, { a: { b: 1 } }, true,
  'ses_00000000000000000000000000', 'trn_00000000000000000000000000', 'itm_00000000000000000000000000', 'apr_00000000000000000000000000',
] as const;

/** The names of a method's parameters; of a choice of forms, all of them. */
function fieldsOf(method: MethodName): string[] {
  const params = methods[method].params as unknown as { readonly shape?: object; readonly options?: readonly { readonly shape: object }[] };
  return [...new Set([params, ...(params.options ?? [])].flatMap((each) => Object.keys(each.shape ?? {})))];
}

describe('whatever a client asks', () => {
  let gateway: GatewayHarness;
  let client: TestClient;
  let good: Readonly<Record<string, unknown>>;
  before(async () => {
    gateway = await GatewayHarness.start();
    client = await gateway.client();
    const host = await TestHost.start(client, { workspace: gateway.folder() });
    const { turn } = await submit(client, host.sessionId, 'go');
    await host.claim();
    const { items } = await host.report(startMessage('m', 'x'));
    const { approvalId, actionDigest } = await host.ask('touch a');
    good = {
      ...host.target, hostSessionId: host.hostSessionId, claimId: host.claimId, turnId: turn.turnId, itemId: items[0]?.itemId, approvalId, actionDigest, workspace: gateway.folder(),
      goalId: 'goal', channelId: host.session.channelId, clientTurnId: turn.clientTurnId, completionId: 'done', digest: digestOf('x'), optionId: 'yes', title: 'T', text: 'text',
      scope: { session: host.sessionId }, agentId: 'a', sessionMode: 'attached_host', hostSurface: 'vscode', executorEndpointId: 'e', attachedCapabilities: ['interrupt'],
      waitSeconds: 0, reportSeq: 2, lastReportSeq: 1, ops: [delta('m', 'a')], result: { outcome: 'completed', stopReason: 'x', message: { text: 'hey' } },
      subject: { kind: 'tool', toolKind: 'x', detail: 'd' }, options: [{ optionId: 'yes', name: 'n', kind: 'allow_once' }], expectedLifetime: 1, expectedRev: 1,
      limit: 3, before: 2, beforeItem: 1, offset: 0, size: 3, base64: 'YWJj', agent: { name: 'x' }, turnIds: [turn.turnId], pinned: true, archived: true, changes: { permissionMode: 'ask' }, byRule: true, includeRevoked: true,
      grantId: `grt_${'0'.repeat(26)}`, remember: { scope: 'workspace', pattern: { kind: 'command', match: 'exact', argv: ['touch', 'a'], cwd: gateway.folder() } }, attachments: [], from: { epoch: 1, seq: 0 },
    };
  });
  after(() => gateway.stop());

  it('B9 it is answered or refused by its name: no parameters meet a fault of the gateway, or cost the link', async () => {
    const asked = fc.record({
      method: fc.constantFrom(...NAMES), command: fc.integer({ min: 0, max: 400 }), left: fc.integer({ min: 0, max: 30 }), odd: fc.option(fc.tuple(fc.nat(30), fc.constantFrom(...ODD)), { freq: 2 }),
    });
    await fc.assert(fc.asyncProperty(asked, async ({ method, command, left, odd }) => {
      const fields = fieldsOf(method);
      const params: Record<string, unknown> = {};
      fields.forEach((name, at) => {
        if (at !== left && name in good) params[name] = good[name];
      });
      if (fields.includes('commandId')) params['commandId'] = `command-${String(command)}`;
      if (odd !== null && fields.length > 0) params[fields[odd[0] % fields.length] ?? ''] = odd[1];
      if (Number(params['waitSeconds']) > 0) delete params['waitSeconds'];
      const kind = await client.raw(method, params).then(() => null, (error: { kind?: string; data?: { kind?: string } }) => error.kind ?? error.data?.kind ?? 'nameless');
      assert.ok(kind === null || !['internal_error', 'connection_closed', 'nameless'].includes(kind), `${method}: ${String(kind)}`);
    }), { numRuns: 1500 });
    assert.equal((await client.call('gateway/status', {})).pid, gateway.pid);
  });
});
