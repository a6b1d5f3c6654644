import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { GoalId } from '../../../../src/protocol/ids.ts';
import { scratchFolder, scratchRoot, type ScratchFolder } from '../../../support/scratchFolder.ts';
import { CoreHarness, WORKSPACE } from '../support/coreHarness.ts';
import { Story } from '../support/story.ts';

const MIB = 1024 * 1024;
const CONTENT_MIB = 36;
/** Longer than a check of so many pages takes, piece by piece. */
const CHECKED_MS = 60_000;

/** Above 32 MiB a store is compared with its sums while the gateway runs. */
describe('a large store', function () {
  this.timeout(60_000);
  let folder: ScratchFolder;
  let file: string;

  beforeEach(async () => {
    folder = await scratchFolder(scratchRoot());
    file = join(folder.path, 'store.db');
    const gw = new CoreHarness(file);
    const story = await Story.begin(gw);
    await story.submit();
    gw.store.transaction('stream', () => {
      gw.store.insert('blobs', { workspace: WORKSPACE, digest: 'd', size: CONTENT_MIB * MIB, received: CONTENT_MIB * MIB, complete: 1, addedAt: gw.clock.now() });
      for (let n = 0; n < CONTENT_MIB; n++) gw.store.insert('blobChunks', { workspace: WORKSPACE, digest: 'd', offset: n * MIB, bytes: Buffer.alloc(MIB, `piece ${n} `) });
    });
    gw.close();
    assert.ok(statSync(file).size > 32 * MIB);
  });
  afterEach(() => folder.remove());

  function flipBit(at: number): void {
    const fd = openSync(file, 'r+');
    const byte = Buffer.alloc(1);
    readSync(fd, byte, 0, 1, at);
    byte[0]! ^= 4;
    writeSync(fd, byte, 0, 1, at);
    closeSync(fd);
  }

  it('R3 is open before it has been compared; a turned bit is found while it runs, told, and the next start saves the rest', async () => {
    flipBit(30 * MIB + 1234);
    const gw = new CoreHarness(file);
    assert.deepEqual([gw.store.outcome.kind, gw.store.isPartlyChecked, gw.core.counts().storeDamage], ['opened', true, null]);
    await gw.clock.advance(CHECKED_MS);
    assert.deepEqual([gw.store.isPartlyChecked, gw.core.counts().storeDamage], [false, '1 pages of the file are not what was written']);
    assert.ok(existsSync(`${file}-suspect`));
    gw.close();
    const again = new CoreHarness(file);
    const { outcome } = again.store;
    assert.ok(outcome.kind === 'recovered', outcome.kind);
    assert.match(outcome.reason, /^1 of the \d+ pages of its file are not what was written$/);
    assert.ok(!existsSync(`${file}-suspect`));
    assert.equal((await again.client('reader').call('session/list', { workspace: WORKSPACE })).sessions.length, 1);
    again.close();
  });

  it('is found to be whole while it is written to and its log moved into it, and then left alone', async () => {
    const gw = new CoreHarness(file);
    const client = gw.client('writer');
    for (let n = 0; gw.store.isPartlyChecked; n++) {
      assert.ok(n < 10_000);
      await client.call('goal/create', { commandId: client.command(), workspace: WORKSPACE, title: `Goal ${n}` });
      if (n % 3 === 0) gw.store.checkpoint(n % 2 === 0 ? 'TRUNCATE' : 'PASSIVE');
      await gw.clock.advance(600);
    }
    assert.equal(gw.core.counts().storeDamage, null);
    gw.close();
    const again = new CoreHarness(file);
    await again.clock.advance(CHECKED_MS);
    assert.deepEqual([again.store.outcome.kind, again.store.isPartlyChecked, again.core.counts().storeDamage], ['opened', false, null]);
    again.close();
  });

  it('of an older build is not written anew unless somebody asks for space', async () => {
    const old = new DatabaseSync(file);
    old.exec('PRAGMA auto_vacuum = NONE; CREATE TABLE more AS SELECT zeroblob(40000000) AS bytes; VACUUM');
    old.close();
    rmSync(`${file}-sums`);
    const gw = new CoreHarness(file);
    assert.equal(gw.store.shrinksBitByBit, false);
    gw.store.transaction('stream', () => gw.store.run('DROP TABLE more'));
    await gw.client('person').call('goal/create', { commandId: 'goal', workspace: WORKSPACE, goalId: 'another' as GoalId, title: 'Another', objective: '' });
    await gw.clock.advance(CHECKED_MS);
    assert.ok(gw.store.size().freeBytes > 32 * MIB && statSync(file).size > 64 * MIB);
    assert.equal(gw.store.shrinksBitByBit, false);
    gw.store.shrink(1);
    assert.deepEqual([gw.store.shrinksBitByBit, gw.store.size().freeBytes], [true, 0]);
    gw.close();
  });
});
