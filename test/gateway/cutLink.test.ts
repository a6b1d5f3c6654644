import assert from 'node:assert/strict';
import { gatewayCalls, isUnknownOutcome, type GatewayCalls } from '../../src/client/gatewayClient.ts';
import { sessionMirror } from '../../src/client/sessionMirror.ts';
import * as ids from '../../src/protocol/ids.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { CuttingLink, type CutPlan } from '../support/cuttingLink.ts';
import { eventually } from '../support/eventually.ts';
import { lastText } from '../support/follow.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { attachParams, createGoal, delta, key, newClaim, newHostSession, newMessage, newRun, startMessage, submit } from '../support/testHost.ts';

const PIECES = Array.from({ length: 12 }, (_, n) => `piece ${n}, `);
const WHOLE = PIECES.join('');

/** Sends a call again with the same keys until it was answered. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  return eventually('an answer', () => call().catch((error: unknown) => {
    if (isUnknownOutcome(error)) return null;
    throw error;
  }) as Promise<NonNullable<T> | null>) as Promise<T>;
}

describe('B4 a link that is cut', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  before(async () => {
    gateway = await GatewayHarness.start();
    editor = await gateway.client();
    await createGoal(editor, gateway.folder());
  });
  after(() => gateway.stop());

  const identity = (name: string) => ({ clientId: ids.clientId.parse(name), kind: 'editor' as const, workspaces: [{ path: gateway.folder(), trusted: true }] });

  /** A whole turn by an executor on `link`; every call is repeated with its own keys until it is answered. */
  async function execute(link: CuttingLink, sessionId: ids.SessionId, hostSessionId: ids.HostSessionId): Promise<void> {
    const calls: GatewayCalls = gatewayCalls(link);
    const target = { sessionId, hostRunId: newRun() };
    link.relinked = () => calls.call('host/register', { ...target, hostSessionId, hostSurface: 'vscode' });
    await link.open();
    const registered = <T>(call: () => Promise<T>): Promise<T> => persist(() => call().catch(async (error: unknown) => {
      // A new link must register before it may do anything else.
      if ((error as { kind?: string }).kind !== 'attached_session_host_mismatch') throw error;
      await link.relinked();
      return call();
    }));
    const claimId = newClaim();
    const claim = await registered(() => calls.call('host/claim', { ...target, claimId, waitSeconds: 0 }));
    assert.ok(claim.claimed);
    let reportSeq = 0;
    for (const ops of [[startMessage('m')], ...PIECES.map((text) => [delta('m', text)])]) {
      reportSeq += 1;
      await registered(() => calls.call('host/report', { ...target, claimId, reportSeq, ops }));
    }
    const completionId = ids.completionId.parse(`done-${claimId}`);
    await registered(() => calls.call('host/complete', {
      ...target, turnId: claim.turn.turnId, claimId, completionId, lastReportSeq: reportSeq, result: { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } },
    }));
  }

  /** One turn with a watching client; gives back how often each link was cut. */
  async function run(hostPlan: CutPlan | null, viewerPlan: CutPlan | null): Promise<{ host: number; viewer: number }> {
    const hostSessionId = newHostSession();
    const { session } = await editor.call('session/attach', attachParams({ workspace: gateway.folder(), hostSessionId }));
    const { sessionId } = session!;
    const viewer = new CuttingLink(gateway.dataRoot, identity('viewer'), viewerPlan);
    const mirror = sessionMirror(gatewayCalls(viewer), sessionId);
    let shown = '';
    mirror.onReplaced((view) => {
      shown = lastText(view, 'agent_message') ?? '';
    });
    mirror.onEvents((events: readonly SessionEvent[]) => {
      for (const event of events) if (event.type === 'item.delta') shown += event.text;
    });
    viewer.relinked = () => mirror.connect();
    await viewer.open();
    await submit(editor, sessionId, 'work', newMessage());
    const host = new CuttingLink(gateway.dataRoot, identity('host'), hostPlan);
    await execute(host, sessionId, hostSessionId);

    const stored = (await editor.call('session/get', { sessionId })).snapshot;
    assert.equal(lastText(stored, 'agent_message'), WHOLE);
    assert.deepEqual(stored.turns.map(({ state }) => state), ['completed']);
    assert.equal(stored.items.filter(({ data }) => data.kind === 'agent_message').length, 1);
    await eventually('the viewer has seen the end', () => mirror.view?.turns[0]?.state === 'completed' && mirror.view.session.status === 'ready');
    assert.equal(shown, WHOLE);
    mirror.dispose();
    host.end();
    viewer.end();
    return { host: host.cuts, viewer: viewer.cuts };
  }

  it('not at all: the whole text (the measure for all others)', async () => {
    assert.deepEqual(await run(null, null), { host: 0, viewer: 0 });
  });

  for (const direction of ['sent', 'received'] as const) {
    it(`after each ${direction} frame of the host: the same text, the same one turn`, async () => {
      for (let frame = 1; ; frame++) {
        const { host } = await run({ direction, frame, again: false }, null);
        if (host === 0) {
          assert.ok(frame > PIECES.length);
          return;
        }
      }
    });

    it(`after each ${direction} frame of the viewer: the same text`, async () => {
      for (let frame = 1; ; frame++) {
        const { viewer } = await run(null, { direction, frame, again: false });
        if (viewer === 0) {
          assert.ok(frame > 1);
          return;
        }
      }
    });
  }

  it('again and again on both sides: the same text', async () => {
    for (const [host, viewer] of [[5, 4], [6, 5], [7, 3]] as const) {
      const cuts = await run({ direction: 'received', frame: host, again: true }, { direction: 'received', frame: viewer, again: true });
      assert.ok(cuts.host > 1);
    }
  });
});
