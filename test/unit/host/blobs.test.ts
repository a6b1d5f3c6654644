import assert from 'node:assert/strict';
import { Emitter } from '../../../src/base/event.ts';
import { Blobs } from '../../../src/host/blobs.ts';
import type { Registration } from '../../../src/host/hostConnection.ts';
import { CoreHarness, WORKSPACE, type TestClient } from '../gateway/support/coreHarness.ts';
import { itemStart, Story } from '../gateway/support/story.ts';

const HOUR_MS = 3_600_000;
const TEXT = 'what a file was\n'.repeat(60_000);

describe('Blobs', () => {
  let gw: CoreHarness;
  let client: TestClient;
  let blobs: Blobs;
  /** Bytes of each piece that was sent. */
  let sent: number[];
  const logged: string[] = [];
  const registered = new Emitter<Registration>();

  beforeEach(() => {
    gw = new CoreHarness();
    client = gw.client('window');
    sent = [];
    logged.length = 0;
    const call = (method: 'blob/put', params: { base64: string }): Promise<unknown> => {
      sent.push(Buffer.from(params.base64, 'base64').length);
      return client.call(method, params as never);
    };
    blobs = new Blobs({ connection: { call: call as never, onRegistered: registered.event }, workspace: WORKSPACE, clock: gw.clock, log: (message) => logged.push(message) });
  });
  afterEach(() => gw.close());

  const brought = async (text = TEXT): Promise<number[]> => {
    sent = [];
    blobs.put(text);
    await blobs.settled();
    return sent;
  };
  const stored = async (digest: string): Promise<boolean> =>
    client.call('blob/get', { workspace: WORKSPACE, digest }).then(() => true, (error: { kind?: string }) => (assert.match(error.kind ?? '', /gone|not_found/), false));
  const pieces = [768 * 1024, TEXT.length - 768 * 1024];

  /** A closed session that names the text, and then all that it holds is freed. */
  async function nameAndFree(digest: string): Promise<void> {
    const story = await Story.begin(gw);
    const turnId = await story.run();
    const change = { path: `${WORKSPACE}/a`, label: 'a', before: null, after: digest, added: 1, removed: 0, lines: [], linesCut: false };
    await story.report([itemStart('edit', { kind: 'edit', mode: 'hosted', change })]);
    await story.complete(turnId);
    await story.onSession('session/close');
    await gw.clock.advance(2 * HOUR_MS);
    const { planId, bytes } = await client.call('gateway/freeSpace', { commandId: client.command(), dryRun: true });
    assert.equal(bytes, TEXT.length);
    await client.call('gateway/freeSpace', { commandId: client.command(), planId });
  }

  it('brings a text once, in pieces', async () => {
    assert.deepEqual(await brought(), pieces);
    assert.deepEqual(await brought(), []);
    assert.deepEqual(await brought(''), [0]);
  });

  it('brings again what has been freed in the meantime', async () => {
    const digest = blobs.put(TEXT);
    await blobs.settled();
    await nameAndFree(digest);
    assert.equal(await stored(digest), false);
    assert.deepEqual(await brought(), [0, ...pieces]);
    assert.equal(await stored(digest), true);
  });

  it('brings again what was removed because nothing named it', async () => {
    const digest = blobs.put(TEXT);
    await blobs.settled();
    await gw.clock.advance(26 * HOUR_MS);
    await client.call('goal/create', { commandId: client.command(), workspace: WORKSPACE, title: 'work' });
    await gw.clock.advance(5000);
    assert.equal(await stored(digest), false);
    await brought();
    assert.equal(await stored(digest), true);
  });

  it('asks without sending it again after a while and after each registration, and keeps it from being freed by that', async () => {
    await brought();
    await gw.clock.advance(HOUR_MS);
    assert.deepEqual(await brought(), [0]);
    assert.deepEqual(await brought(), []);
    registered.fire({ active: null } as never);
    assert.deepEqual(await brought(), [0]);
    assert.deepEqual(await brought(), []);
  });

  it('brings again what a store has lost, once the host has registered with it', async () => {
    const digest = blobs.put(TEXT);
    await blobs.settled();
    for (const table of ['blobs', 'blobChunks']) gw.store.run(`DELETE FROM ${table}`);
    registered.fire({ active: null } as never);
    await brought();
    assert.equal(await stored(digest), true);
  });

  it('what never becomes whole is given up, said, and tried anew', async () => {
    let tries = 0;
    const call = async (): Promise<unknown> => {
      tries += 1;
      return { complete: false, nextOffset: 0 };
    };
    const stubborn = new Blobs({ connection: { call: call as never, onRegistered: registered.event }, workspace: WORKSPACE, clock: gw.clock, log: (message) => logged.push(message) });
    for (const again of [1, 2]) {
      stubborn.put('x');
      await stubborn.settled();
      assert.deepEqual([tries, logged.length], [4 * again, again]);
    }
  });
});
