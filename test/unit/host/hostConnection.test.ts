import assert from 'node:assert/strict';
import { Deferred } from '../../../src/base/deferred.ts';
import { Emitter } from '../../../src/base/event.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { HostConnection } from '../../../src/host/hostConnection.ts';
import type { AttachedHostOptions } from '../../../src/host/hostOptions.ts';
import { AttacheError, type ErrorKind } from '../../../src/protocol/errors.ts';
import { FakeClock } from '../../support/fakeClock.ts';

interface Call {
  readonly method: string;
  readonly params: unknown;
  answer(value?: unknown): void;
  fail(kind: ErrorKind): void;
}

class Rig {
  readonly clock = new FakeClock();
  readonly calls: Call[] = [];
  readonly opened = new Emitter<void>();
  readonly connection: HostConnection;

  constructor() {
    const call = (method: string, params: unknown): Promise<unknown> => {
      const answer = new Deferred<unknown>();
      this.calls.push({ method, params, answer: (value = {}) => answer.resolve(value), fail: (kind) => answer.reject(new AttacheError(kind)) });
      return answer.promise;
    };
    const link = { calls: { call, on: () => ({ dispose: () => undefined }) } as unknown as GatewayCalls, onOpened: this.opened.event };
    this.connection = new HostConnection({ link, clock: this.clock, sessionId: 's', hostRunId: 'r', hostSessionId: 'h' } as unknown as AttachedHostOptions);
    this.connection.start();
  }

  get last(): Call {
    return this.calls.at(-1)!;
  }

  get methods(): string[] {
    return this.calls.map(({ method }) => method);
  }

  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  renew(): Promise<unknown> {
    return this.connection.call('host/renew', {} as never);
  }
}

describe('HostConnection', () => {
  it('registers before anything else is sent', async () => {
    const rig = new Rig();
    const renewed = rig.renew();
    await rig.settle();
    assert.deepEqual(rig.methods, ['host/register']);
    rig.last.answer();
    await rig.settle();
    rig.last.answer('renewed');
    assert.equal(await renewed, 'renewed');
  });

  it('B12 a call whose answer was lost is sent again, unchanged, after registering on the next link', async () => {
    const rig = new Rig();
    rig.last.answer();
    const renewed = rig.renew();
    await rig.settle();
    const first = rig.last;
    first.fail('connection_closed');
    await rig.settle();
    assert.equal(rig.calls.length, 2);
    rig.opened.fire();
    await rig.settle();
    rig.last.answer();
    await rig.settle();
    assert.deepEqual(rig.methods, ['host/register', 'host/renew', 'host/register', 'host/renew']);
    assert.equal(rig.last.params, first.params);
    rig.last.answer('renewed');
    assert.equal(await renewed, 'renewed');
  });

  it('whoever waits goes on waiting through any number of links', async () => {
    const rig = new Rig();
    const waiting = rig.renew();
    for (let round = 0; round < 3; round += 1) {
      rig.last.fail('connection_closed');
      await rig.settle();
      rig.opened.fire();
      rig.opened.fire();
      await rig.settle();
    }
    for (const call of rig.calls) call.answer();
    await rig.settle();
    rig.last.answer('renewed');
    assert.equal(await waiting, 'renewed');
  });

  it('a refusal is given on, one that passes by itself is waited for', async () => {
    const rig = new Rig();
    rig.last.answer();
    const refused = rig.renew();
    await rig.settle();
    rig.last.fail('turn_not_active');
    await assert.rejects(refused, (error) => error instanceof AttacheError && error.kind === 'turn_not_active');
    const draining = rig.renew();
    await rig.settle();
    rig.last.fail('draining');
    await rig.clock.advance(1_000);
    rig.last.answer('later');
    assert.equal(await draining, 'later');
  });

  it('when it may not register, everything that waits is told why', async () => {
    const rig = new Rig();
    const waiting = rig.renew();
    rig.last.fail('host_session_in_use');
    const told = (error: unknown): boolean => error instanceof AttacheError && error.kind === 'host_session_in_use';
    await assert.rejects(waiting, told);
    await assert.rejects(rig.renew(), told);
    rig.opened.fire();
    await rig.settle();
    assert.equal(rig.calls.length, 1);
  });

  it('its end is told to a call that waits for its answer', async () => {
    const rig = new Rig();
    rig.last.answer();
    const waiting = rig.renew();
    await rig.settle();
    rig.connection.dispose();
    await assert.rejects(waiting);
  });
});
