import assert from 'node:assert/strict';
import { Deferred } from '../../../src/base/deferred.ts';
import { toDisposable } from '../../../src/base/disposable.ts';
import { AbortSource } from '../../../src/client/abortSource.ts';
import { gatewayCalls } from '../../../src/client/gatewayClient.ts';
import { patientCalls } from '../../../src/client/patientCalls.ts';
import { ResilientLink, type Link } from '../../../src/client/resilientLink.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { FakeClock } from '../../support/fakeClock.ts';

/** One connection in the hands of a test. */
class FakeLink implements Link {
  readonly requests: { readonly method: string; readonly params: unknown; readonly answer: Deferred<unknown> }[] = [];
  readonly #listeners = new Map<string, (params: unknown) => void>();
  readonly #closed = new Deferred<void>();
  readonly closed = this.#closed.promise;

  request(method: string, params: unknown): Promise<unknown> {
    const answer = new Deferred<unknown>();
    this.requests.push({ method, params, answer });
    return answer.promise;
  }

  onNotification(method: string, listener: (params: unknown) => void): { dispose(): void } {
    this.#listeners.set(method, listener);
    return toDisposable(() => undefined);
  }

  notify(method: string, params: unknown = {}): void {
    this.#listeners.get(method)?.(params);
  }

  close(): void {
    for (const { answer } of this.requests) answer.reject(new AttacheError('connection_closed'));
    this.#closed.resolve();
  }
}

function setup(random = 0): { clock: FakeClock; link: ResilientLink; links: FakeLink[]; fail: (error: Error | null) => void; attempts: () => number } {
  const clock = new FakeClock();
  const links: FakeLink[] = [];
  let failure: Error | null = null;
  let attempts = 0;
  const link = new ResilientLink({
    clock,
    random: () => random,
    open: async () => {
      attempts += 1;
      if (failure !== null) throw failure;
      const next = new FakeLink();
      links.push(next);
      return next;
    },
  });
  return { clock, link, links, fail: (error) => void (failure = error), attempts: () => attempts };
}

describe('a resilient link', () => {
  it('connects again without end: at first soon, then later, never more than 10 s apart', async () => {
    const { clock, link, fail, attempts } = setup(1);
    fail(new AttacheError('gateway_unavailable'));
    link.start();
    await clock.advance(0);
    assert.equal(attempts(), 1);
    await clock.advance(500);
    assert.equal(attempts(), 2);
    await clock.advance(600_000);
    const many = attempts();
    assert.ok(many > 60, `${many} attempts in ten minutes`);
    await clock.advance(10_000);
    assert.equal(attempts(), many + 1);
    fail(null);
    await clock.advance(10_000);
    assert.equal(link.state.state, 'connected');
    link.dispose();
  });

  it('says what it is doing and when it tries again', async () => {
    const { clock, link, links } = setup();
    const states: string[] = [];
    link.onStateChanged((state) => states.push(state.state));
    link.start();
    await clock.advance(0);
    links[0]?.close();
    await clock.advance(0);
    assert.deepEqual(link.state, { state: 'waiting', failure: null, retryAt: clock.now() + 250 });
    await clock.advance(250);
    assert.deepEqual(states, ['connecting', 'connected', 'waiting', 'connecting', 'connected']);
    link.dispose();
    assert.deepEqual([link.state.state, states.at(-1)], ['failed', 'failed']);
  });

  it('keeps listeners over connections, and fires for each new one before anything is sent on it', async () => {
    const { clock, link, links } = setup();
    const heard: unknown[] = [];
    link.onNotification('event/batch', (params) => heard.push(params));
    link.onOpened(() => heard.push(links.at(-1)?.requests.length));
    link.start();
    await clock.advance(0);
    links[0]?.notify('event/batch', 'a');
    links[0]?.close();
    await clock.advance(250);
    links[1]?.notify('event/batch', 'b');
    assert.deepEqual(heard, [0, 'a', 0, 'b']);
    link.dispose();
  });

  it('hears nothing any more from a connection that is gone', async () => {
    const { clock, link, links } = setup();
    const heard: unknown[] = [];
    link.onNotification('event/batch', (params) => heard.push(params));
    link.start();
    await clock.advance(0);
    links[0]?.close();
    await clock.advance(0);
    links[0]?.notify('event/batch', 'late');
    await clock.advance(250);
    links[0]?.notify('event/batch', 'later');
    links[1]?.notify('event/batch', 'new');
    assert.deepEqual(heard, ['new']);
    link.dispose();
  });

  it('takes a connection without heartbeats for dead', async () => {
    const { clock, link, links } = setup();
    link.start();
    await clock.advance(LIMITS.deadLinkMs);
    links[0]?.notify('gateway/heartbeat');
    await clock.advance(LIMITS.deadLinkMs);
    assert.equal(links.length, 1);
    await clock.advance(LIMITS.deadLinkMs);
    assert.equal(links.length, 2);
    link.dispose();
  });

  it('gives up where no attempt can help, and tells everybody why', async () => {
    const { clock, link, fail, attempts } = setup();
    fail(new AttacheError('gateway_outdated'));
    link.start();
    await clock.advance(0);
    assert.deepEqual(link.state, { state: 'failed', failure: new AttacheError('gateway_outdated') });
    await clock.advance(60_000);
    assert.equal(attempts(), 1);
  });

  it('leaves no timer when it is disposed of, whatever it was doing', async () => {
    for (const before of ['connected', 'waiting'] as const) {
      const { clock, link, links } = setup();
      link.start();
      await clock.advance(0);
      if (before === 'waiting') links[0]?.close();
      await clock.advance(0);
      assert.equal(link.state.state, before);
      link.dispose();
      await clock.advance(0);
      assert.equal(clock.pending, 0);
      await clock.advance(60_000);
      assert.equal(links.length, 1);
      await assert.rejects(link.request('gateway/status', {}), AttacheError);
    }
  });
});

describe('patient calls', () => {
  const patient = ({ link, clock }: { link: ResilientLink; clock: FakeClock }, patienceMs: number | null) =>
    patientCalls({ isUp: () => link.state.state === 'connected', onOpened: link.onOpened }, gatewayCalls(link), { clock, patienceMs });

  it('B12 send the very same command again after each lost answer', async () => {
    const parts = setup();
    const { clock, link, links } = parts;
    link.start();
    await clock.advance(0);
    const params = { commandId: 'c' as never, ifIdle: true };
    const answer = patient(parts, null).call('gateway/shutdown', params);
    for (let n = 0; n < 5; n++) {
      await clock.advance(0);
      assert.deepEqual(links[n]?.requests.map(({ method, params: sent }) => [method, sent]), [['gateway/shutdown', params]]);
      links[n]?.close();
      await clock.advance(20_000);
    }
    links[5]?.requests[0]?.answer.resolve({});
    assert.deepEqual(await answer, {});
    link.dispose();
  });

  it('pass a refusal on at once, ask a draining gateway again, and give up without a link in time', async () => {
    const parts = setup();
    const { clock, link, links, fail } = parts;
    link.start();
    await clock.advance(0);
    const calls = patient(parts, 15_000);
    const refused = calls.call('gateway/status', {});
    await clock.advance(0);
    links[0]?.requests[0]?.answer.reject(new AttacheError('draining'));
    await clock.advance(1_000);
    links[0]?.requests[1]?.answer.reject(new AttacheError('overloaded'));
    await assert.rejects(refused, (error) => error instanceof AttacheError && error.kind === 'overloaded');
    const lost = assert.rejects(calls.call('gateway/status', {}), (error) => error instanceof AttacheError && error.kind === 'connection_closed');
    await clock.advance(0);
    fail(new AttacheError('gateway_unavailable'));
    links[0]?.close();
    await clock.advance(15_000);
    await lost;
    link.dispose();
  });

  it('give up at once when they are aborted, also before they wait for a link', async () => {
    const parts = setup();
    const { clock, link, links, fail } = parts;
    link.start();
    await clock.advance(0);
    fail(new AttacheError('gateway_unavailable'));
    for (const when of ['before', 'after'] as const) {
      const abort = new AbortSource();
      const lost = assert.rejects(patient(parts, null).call('gateway/status', {}, abort), (error) => error instanceof AttacheError && error.kind === 'connection_closed');
      await Promise.resolve();
      links[0]?.close();
      if (when === 'after') await clock.advance(1);
      // One turn for the failure to arrive; the wait for the link has not begun yet.
      else await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      await clock.advance(1);
      await lost;
    }
    link.dispose();
  });

  it('never spin where a link that is not known to be gone refuses at once', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const refusing = { call: () => Promise.reject(tries++ < 100_000 ? new AttacheError('connection_closed') : new AttacheError('overloaded')) };
    const calls = patientCalls({ isUp: () => true, onOpened: () => toDisposable(() => undefined) }, refusing as never, { clock, patienceMs: null });
    const asked = calls.call('gateway/status', {});
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(tries, 1, 'the end of the link gets a turn first');
    tries = 100_000;
    await Promise.all([assert.rejects(asked), clock.advance(1)]);
  });
});
