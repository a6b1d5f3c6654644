import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder, type ScratchFolder } from '../../../support/scratchFolder.ts';
import { CoreHarness, rejection } from '../support/coreHarness.ts';
import { itemStart, Story } from '../support/story.ts';

const MIB = 1024 * 1024;

/** A disk that can be filled and freed: a small file system of its own where one may be mounted, else SQLite's own limit, which fails in the same way. */
class SmallDisk {
  readonly path: string;
  readonly isReal: boolean;

  constructor(folder: string) {
    this.path = join(folder, 'disk');
    mkdirSync(this.path);
    this.isReal = mounted(this.path);
  }

  fill(gw: CoreHarness): void {
    if (!this.isReal) {
      gw.store.get(`PRAGMA max_page_count = ${gw.store.get<{ page_count: number }>('PRAGMA page_count')!.page_count}`);
      return;
    }
    for (let size = MIB, n = 0; size >= 1; n++) {
      try {
        writeFileSync(join(this.path, `ballast-${n}`), Buffer.alloc(size));
      } catch {
        rmSync(join(this.path, `ballast-${n}`), { force: true });
        size = Math.floor(size / 2);
      }
      if (n > 500) throw new Error('the disk does not get full');
    }
  }

  free(gw: CoreHarness): void {
    if (!this.isReal) gw.store.get('PRAGMA max_page_count = 1000000');
    else for (let n = 0; n <= 500; n++) rmSync(join(this.path, `ballast-${n}`), { force: true });
  }

  unmount(): void {
    if (this.isReal) execFileSync('umount', ['-l', this.path]);
  }
}

function mounted(folder: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a full disk', () => {
  let folder: ScratchFolder;
  let disk: SmallDisk;

  beforeEach(async () => {
    folder = await scratchFolder();
    disk = new SmallDisk(folder.path);
  });
  afterEach(async () => {
    disk.unmount();
    await folder.remove();
  });

  it('R4 loses nothing that was acknowledged; reading, replaying and asking go on; writing resumes by itself', async () => {
    const gw = new CoreHarness(join(disk.path, 'store.db'));
    const story = await Story.begin(gw);
    const turnId = await story.run();
    await story.report([itemStart('answer'), { op: 'item.delta', itemKey: 'answer', text: 'what was said' }]);
    disk.fill(gw);
    const acknowledged: string[] = [];
    let refusal: string | null = null;
    for (let n = 0; refusal === null && n < 2000; n++) {
      try {
        await story.host.call('session/rename', { commandId: story.host.command(), sessionId: story.sessionId, title: `${n} ${'t'.repeat(400)}` });
        acknowledged.push(`${n} `);
      } catch (error) {
        refusal = (error as { kind?: string }).kind ?? String(error);
      }
    }
    assert.equal(refusal, 'storage_full');
    const { session, items } = story.snapshot();
    if (acknowledged.length > 0) assert.ok(session.title.startsWith(acknowledged.at(-1) ?? ''), 'the last answer that was given is what is read');
    assert.equal(items.find(({ data }) => data.kind === 'agent_message')?.text, 'what was said');
    assert.ok((await story.host.call('turn/replay', { turnId })).rows.length > 0);
    assert.equal((await story.host.call('session/history', { sessionId: story.sessionId })).page.turns.length, 1);
    assert.equal((await rejection(() => story.submit('y'.repeat(500_000), 'again'))).kind, 'storage_full');

    disk.free(gw);
    assert.equal((await story.submit('y'.repeat(500_000), 'again')).created, true);
    await story.report([{ op: 'item.delta', itemKey: 'answer', text: ', and goes on' }]);
    await gw.clock.advance(5000);
    assert.equal((await story.cancel(turnId)).turn?.state, 'cancelling');
    const before = gw.dump();
    gw.close();
    const again = new CoreHarness(join(disk.path, 'store.db'));
    assert.equal(again.store.outcome.kind, 'opened');
    assert.deepEqual(again.dump(['meta']), Object.fromEntries(Object.entries(before).filter(([table]) => table !== 'meta')));
    again.close();
  });
});
