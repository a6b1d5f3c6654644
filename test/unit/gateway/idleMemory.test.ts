import assert from 'node:assert/strict';
import { IdleMemory } from '../../../src/gateway/process/idleMemory.ts';
import type { Serve } from '../../../src/gateway/server/clientConnection.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const MIB = 1024 * 1024;

describe('memory of an idle gateway', () => {
  let clock: FakeClock;
  let used: number;
  let busy: boolean;
  let collections: number;
  let memory: IdleMemory;
  let request: () => Promise<unknown>;

  beforeEach(() => {
    clock = new FakeClock(0);
    [used, busy, collections] = [12 * MIB, false, 0];
    const collect = (): void => {
      collections += 1;
      used = 9 * MIB;
    };
    memory = new IdleMemory({ clock, collect, isBusy: () => busy, used: () => used });
    const serve = memory.watch((async (_connection, method) => method) as Serve);
    request = () => serve(undefined as never, 'goal/list', {}, new AbortController().signal);
  });
  afterEach(() => memory.dispose());

  it('is given back two seconds after the start, and after the last request, not while requests come', async () => {
    for (let n = 0; n < 10; n++) {
      await clock.advance(1000);
      assert.equal(await request(), 'goal/list', 'the request is served');
    }
    assert.equal(collections, 0);
    await clock.advance(1999);
    assert.equal(collections, 0);
    await clock.advance(1);
    assert.equal(collections, 1);
  });

  it('is left alone when little has come since, and not looked at while nothing happens', async () => {
    await clock.advance(2000);
    assert.equal(collections, 1);
    for (let n = 0; n < 5; n++) {
      await request();
      await clock.advance(10_000);
    }
    assert.equal(collections, 1);
    used += 3 * MIB;
    await clock.advance(100_000);
    assert.equal(collections, 1, 'nothing looks');
    await request();
    await clock.advance(2000);
    assert.equal(collections, 2);
  });

  it('is not looked at while a turn runs, however quiet it is', async () => {
    busy = true;
    await clock.advance(60_000);
    assert.equal(collections, 0);
    busy = false;
    await request();
    await clock.advance(2000);
    assert.equal(collections, 1);
  });

  it('is what V8 makes of it where the process cannot be asked to collect, and after the end', async () => {
    const plain = new IdleMemory({ clock, collect: undefined, isBusy: () => busy, used: () => used });
    memory.dispose();
    await request();
    await clock.advance(10_000);
    plain.dispose();
    assert.equal(collections, 0);
  });
});
