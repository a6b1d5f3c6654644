import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gatewayCalls } from '../../../src/client/gatewayClient.ts';
import { sessionMirror, type SessionMirror } from '../../../src/client/sessionMirror.ts';
import type { SessionId } from '../../../src/protocol/ids.ts';
import type { SessionEvent } from '../../../src/protocol/subscription/events.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { ScriptedGateway } from '../../support/scriptedGateway.ts';

const SESSION = 'ses_00000000000000000000000000' as SessionId;

/** A mirror, and what its user was told, as a second copy made from events alone. */
function watched(gateway: ScriptedGateway): { mirror: SessionMirror; texts: () => string; failures: unknown[]; replaced: () => number } {
  const mirror = sessionMirror(gatewayCalls(gateway.peer), SESSION);
  const failures: unknown[] = [];
  let text = '';
  let replaced = 0;
  mirror.onFailed((error) => failures.push(error));
  mirror.onReplaced((view) => {
    replaced += 1;
    text = view.items[0]?.text ?? '';
  });
  mirror.onEvents((events: readonly SessionEvent[]) => {
    for (const event of events) if (event.type === 'item.delta') text += event.text;
  });
  return { mirror, failures, texts: () => text, replaced: () => replaced };
}

const inStep = (gateway: ScriptedGateway, { mirror, texts }: ReturnType<typeof watched>): boolean =>
  mirror.view?.head === gateway.head && mirror.view.items[0]?.text === gateway.text && texts() === gateway.text;

describe('a session mirror', () => {
  it('takes the snapshot, then each event once', async () => {
    const gateway = new ScriptedGateway();
    gateway.append('before ');
    const copy = watched(gateway);
    await copy.mirror.connect();
    assert.equal(copy.texts(), 'before ');
    for (const text of ['a', 'b', 'c']) gateway.append(text);
    await eventually('it is in step', () => inStep(gateway, copy));
    assert.equal(gateway.subscribes.length, 1);
    copy.mirror.dispose();
  });

  it('drops duplicates', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    gateway.append('a');
    gateway.repeatLast();
    gateway.append('b');
    await eventually('it is in step', () => inStep(gateway, copy));
    assert.equal(copy.texts(), 'ab');
    copy.mirror.dispose();
  });

  it('a lost batch: asks again from the last one once, without a snapshot', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    gateway.append('a');
    gateway.dropNext();
    gateway.append('b');
    gateway.append('c');
    await eventually('it is in step', () => inStep(gateway, copy));
    assert.deepEqual(gateway.subscribes.map(({ from }) => from?.seq ?? null), [null, 1]);
    assert.equal(copy.replaced(), 1);
    copy.mirror.dispose();
  });

  it('a loss that nothing follows is noticed by the heartbeat', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    gateway.dropNext();
    gateway.append('a');
    gateway.heartbeat();
    await eventually('it is in step', () => inStep(gateway, copy));
    copy.mirror.dispose();
  });

  it('cut off as too slow: goes on from where it was', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    gateway.append('a');
    gateway.closeSlow();
    gateway.append('b');
    await eventually('it is in step', () => inStep(gateway, copy));
    copy.mirror.dispose();
  });

  it('another epoch, or a place that is not kept any more: replaces everything', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    gateway.append('a');
    await eventually('it is in step', () => inStep(gateway, copy));
    gateway.cut();
    gateway.restart();
    gateway.append('b');
    await copy.mirror.connect();
    assert.ok(inStep(gateway, copy));
    assert.equal(copy.replaced(), 2);
    gateway.cut();
    for (const text of 'cdefgh') gateway.append(text);
    gateway.compact();
    await copy.mirror.connect();
    assert.ok(inStep(gateway, copy));
    assert.equal(copy.replaced(), 3);
    copy.mirror.dispose();
  });

  it('a cut link is no failure; a refusal is', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    gateway.cut();
    await copy.mirror.connect();
    assert.deepEqual(copy.failures, []);
    gateway.refuse = new AttacheError('gone');
    await copy.mirror.connect();
    assert.deepEqual(copy.failures.map((error) => (error as AttacheError).kind), ['gone']);
    copy.mirror.dispose();
  });

  it('what may pass is asked for again by itself, what may not is left alone', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    gateway.refuse = new AttacheError('overloaded');
    await copy.mirror.connect();
    gateway.append('a');
    gateway.refuse = null;
    await eventually('it is in step', () => {
      gateway.heartbeat();
      return inStep(gateway, copy);
    });
    assert.equal(copy.failures.length, 1);
    gateway.cut();
    gateway.refuse = new AttacheError('not_found');
    await copy.mirror.connect();
    const asked = gateway.subscribes.length;
    for (let n = 0; n < 3; n++) gateway.heartbeat();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.equal(gateway.subscribes.length, asked);
    copy.mirror.dispose();
  });

  it('mending a loss leaves one subscription, not two', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    for (let n = 0; n < 5; n++) {
      gateway.dropNext();
      gateway.append('lost ');
      gateway.append('seen ');
      await eventually('it is in step', () => inStep(gateway, copy));
    }
    await eventually('one is left', () => gateway.subscriptions === 1);
    copy.mirror.dispose();
  });

  it('after its end it hears nothing and leaves no subscription', async () => {
    const gateway = new ScriptedGateway();
    const copy = watched(gateway);
    await copy.mirror.connect();
    copy.mirror.dispose();
    await eventually('it has unsubscribed', () => gateway.subscriptions === 0);
    gateway.append('a');
    assert.equal(copy.texts(), '');
  });

  it('B4 whatever is lost, doubled, cut, compacted or restarted in between: in the end it is in step', async () => {
    const step = fc.constantFrom('append', 'append', 'append', 'drop', 'repeat', 'slow', 'cut', 'restart', 'compact', 'heartbeat', 'settle');
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const gateway = new ScriptedGateway();
      const copy = watched(gateway);
      await copy.mirror.connect();
      for (const [n, each] of steps.entries()) await perform(gateway, copy.mirror, each, n);
      // A heartbeat comes every 15 s; what one of them mends may be lost again.
      await eventually('it is in step', () => {
        gateway.heartbeat();
        return inStep(gateway, copy);
      }, 2000).catch((error: unknown) => {
        throw new Error(`${String(error)}: "${copy.texts()}" is not "${gateway.text}"`);
      });
      copy.mirror.dispose();
    }), { numRuns: 300 });
  });
});

async function perform(gateway: ScriptedGateway, mirror: SessionMirror, step: string, n: number): Promise<void> {
  if (step === 'append') gateway.append(`${n} `);
  else if (step === 'drop') gateway.dropNext();
  else if (step === 'repeat') gateway.repeatLast();
  else if (step === 'slow') gateway.closeSlow();
  else if (step === 'compact') gateway.compact();
  else if (step === 'heartbeat') gateway.heartbeat();
  else if (step === 'settle') await new Promise((resolve) => setImmediate(resolve));
  else {
    gateway.cut();
    if (step === 'restart') gateway.restart();
    // As in the product: each new link connects the mirror again.
    void mirror.connect();
  }
}
