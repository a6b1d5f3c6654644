import assert from 'node:assert/strict';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { ParamsOf } from '../../src/protocol/methods.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { decide, digestOf, key, newCommand, OPTIONS, startCommand, submit, TestHost } from '../support/testHost.ts';

type Requested = Extract<SessionEvent, { type: 'approval.requested' }>;
type Updated = Extract<SessionEvent, { type: 'approval.updated' }>;

describe('the audit: what the event log says of every request', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let cli: TestClient;
  let host: TestHost;
  let count: number;

  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    count = 0;
    editor = await gateway.client({ clientId: 'the-editor', windowId: 'window-1' });
    cli = await gateway.client({ kind: 'cli', clientId: 'the-cli' });
    host = await TestHost.start(editor, { workspace: gateway.folder(), goal: `goal-${String(Math.random()).slice(2)}` });
    await submit(cli, host.sessionId, 'work');
    await host.claim();
  });
  afterEach(() => {
    editor.close();
    cli.close();
  });

  async function ask(more: Partial<ParamsOf<'approval/request'>> = {}): Promise<Approval> {
    const command = `touch ${String((count += 1))}`;
    await host.report(startCommand(`c${String(count)}`, command, gateway.folder()));
    const subject = { kind: 'command' as const, command, cwd: gateway.folder(), envNames: [] };
    const { approval } = await host.client.call('approval/request', {
      commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, itemKey: key(`c${String(count)}`), title: command, subject, options: [...OPTIONS], actionDigest: digestOf(subject), ...more,
    });
    return approval;
  }

  /** The whole log of the session. */
  async function log(): Promise<SessionEvent[]> {
    const scope = { session: host.sessionId };
    const events: SessionEvent[] = [];
    for (let page = await cli.call('event/read', { scope }); ; page = await cli.call('event/read', { scope, from: { epoch: page.epoch, seq: events.at(-1)!.seq } })) {
      events.push(...(page.events as SessionEvent[]));
      if (events.length === 0 || events.at(-1)!.seq >= page.head) return events;
    }
  }

  /** What the log holds of one request: that it was asked, and what became of it, each once and in this order. */
  async function entries({ approvalId }: Approval): Promise<{ asked: Requested; ended: Updated }> {
    const about = (await log()).filter((event): event is Requested | Updated => (event.type === 'approval.requested' || event.type === 'approval.updated') && event.approval.approvalId === approvalId);
    assert.deepEqual(about.map(({ type }) => type), ['approval.requested', 'approval.updated']);
    const [asked, ended] = about as [Requested, Updated];
    assert.deepEqual([asked.approval.status, asked.approval.decidedBy, asked.causedBy.clientId], ['pending', null, host.client.clientId]);
    assert.ok(ended.seq > asked.seq && ended.at >= asked.at);
    const { subject, title, options, actionDigest, turnId, itemId } = ended.approval;
    assert.deepEqual({ subject, title, options, actionDigest, turnId, itemId }, { subject: asked.approval.subject, title: asked.approval.title, options: asked.approval.options, actionDigest: asked.approval.actionDigest, turnId: host.turn!.turnId, itemId: asked.approval.itemId });
    assert.equal(ended.approval.decidedAt, ended.at);
    return { asked, ended };
  }

  it('a person’s answer: which client, of which kind, in which window, by which command, with which words', async () => {
    const [yes, no] = [await ask(), await ask()];
    const commandId = newCommand();
    await cli.call('approval/decide', { commandId, approvalId: yes.approvalId, optionId: 'yes', actionDigest: yes.actionDigest });
    await editor.call('approval/decide', { commandId: newCommand(), approvalId: no.approvalId, optionId: 'no', actionDigest: no.actionDigest, comment: 'not this one' });
    const [allowed, rejected] = [await entries(yes), await entries(no)];
    assert.deepEqual([allowed.ended.approval.status, allowed.ended.approval.optionId, allowed.ended.approval.decidedBy], ['approved', 'yes', { by: 'client', clientId: 'the-cli', windowId: 'the-cli', clientKind: 'cli', rule: null }]);
    assert.deepEqual(allowed.ended.causedBy, { clientId: 'the-cli', commandId });
    assert.deepEqual([rejected.ended.approval.status, rejected.ended.approval.comment, rejected.ended.approval.decidedBy], ['rejected', 'not this one', { by: 'client', clientId: 'the-editor', windowId: 'window-1', clientKind: 'editor', rule: null }]);
  });

  it('a rule’s answer: the setting, the permission mode, or the grant, and who made that', async () => {
    const policy = await ask({ auto: { optionId: 'yes', rule: 'policy:attache.approvals.command' } });
    const refused = await ask({ auto: { optionId: 'no', rule: 'policy:attache.approvals.command' } });
    for (const [approval, status] of [[policy, 'approved'], [refused, 'rejected']] as const) {
      assert.deepEqual([(await entries(approval)).ended.approval.status, (await entries(approval)).ended.approval.decidedBy], [status, { by: 'policy', clientId: null, clientKind: null, rule: 'policy:attache.approvals.command' }]);
    }
    const first = await ask();
    const argv = ['touch', String(count)];
    const { grant } = await cli.call('approval/decide', {
      commandId: newCommand(), approvalId: first.approvalId, actionDigest: first.actionDigest, optionId: 'yes',
      remember: { scope: 'session', pattern: { kind: 'command', match: 'exact', argv, cwd: gateway.folder() } },
    });
    const { approval: second } = await host.client.call('approval/request', {
      commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, title: argv.join(' '), subject: first.subject, options: [...OPTIONS], actionDigest: first.actionDigest, byRule: true,
    });
    assert.deepEqual((await entries(second)).ended.approval.decidedBy, { by: 'grant', clientId: null, clientKind: null, rule: grant!.grantId });
    const { events } = await cli.call('event/read', { scope: { workspace: gateway.folder() }, limit: 500 });
    const made = events.flatMap((event) => (event.type === 'grant.updated' && event.grant.grantId === grant!.grantId ? [event.grant] : []));
    assert.deepEqual([made[0]!.approvalId, made[0]!.createdBy.clientId], [first.approvalId, 'the-cli']);

    await cli.call('session/configure', { commandId: newCommand(), sessionId: host.sessionId, changes: { permissionMode: 'readOnly' } });
    const read = await ask({ byRule: true });
    assert.deepEqual([(await entries(read)).ended.approval.status, (await entries(read)).ended.approval.decidedBy?.rule], ['rejected', 'mode:readOnly']);
    const changed = (await log()).find((event) => event.type === 'session.updated' && event.session.permissionMode === 'readOnly');
    assert.equal(changed?.causedBy.clientId, 'the-cli', 'who chose the mode');
  });

  const ends = async (approval: Approval): Promise<unknown[]> => {
    const { ended } = await entries(approval);
    return [ended.approval.status, ended.approval.cause, ended.approval.decidedBy, ended.approval.optionId, ended.causedBy.clientId];
  };

  it('no answer: taken back by the agent, expired, retired with its goal; why, and by whom', async () => {
    const withdrawn = await ask();
    await host.client.call('approval/withdraw', { commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, approvalId: withdrawn.approvalId });
    assert.deepEqual(await ends(withdrawn), ['cancelled', 'withdrawn', null, null, 'the-editor']);
    const expired = await ask({ expiresAt: withdrawn.createdAt + 20_000 });
    await gateway.advance(20_001);
    assert.deepEqual(await ends(expired), ['expired', 'approval_expired', null, null, 'gateway']);
    const retired = await ask();
    await cli.call('goal/retire', { commandId: newCommand(), workspace: gateway.folder(), goalId: host.session.goalId, expectedLifetime: 1 });
    assert.deepEqual(await ends(retired), ['cancelled', 'goal_retired', null, null, 'the-cli']);
  });

  it('stopped with its turn: who pressed Stop', async () => {
    const stopped = await ask();
    await cli.call('turn/cancel', { commandId: newCommand(), turnId: host.turn!.turnId });
    assert.deepEqual(await ends(stopped), ['cancelled', 'turn_cancelled', null, null, 'the-cli']);
  });

  it('lost with its window', async () => {
    const lost = await ask();
    editor.close();
    editor = await gateway.client({ clientId: 'the-editor', windowId: 'window-1' });
    await host.restarted(editor).register();
    assert.deepEqual(await ends(lost), ['orphaned', 'executor_restarted', null, null, 'the-editor']);
  });

  it('the log is the same after the gateway was killed, and so is what a late answer is told', async () => {
    const asked = await ask();
    await decide(cli, asked, 'yes');
    const before = await log();
    await gateway.kill9();
    await gateway.restart();
    cli = await gateway.client({ kind: 'cli', clientId: 'the-cli' });
    assert.deepEqual((await log()).slice(0, before.length), before);
    const again = await decide(cli, asked, 'yes');
    assert.deepEqual([again.outcome, again.approval.decidedBy?.clientId], ['already', 'the-cli']);
  });
});
