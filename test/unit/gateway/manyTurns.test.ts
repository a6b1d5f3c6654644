import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createCore } from '../../../src/gateway/createCore.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Store } from '../../../src/gateway/store/store.ts';
import { ManyTurns } from '../../soak/space.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { scratchFolder, scratchRoot, type ScratchFolder } from '../../support/scratchFolder.ts';

/** A look through all of a table that grows with the turns. An index of what is open only is short. */
const SCAN = /\bSCAN (turns|turnProgress|items|itemChunks|events|eventSegments|approvals|effects|receipts|blobs|blobChunks)\b(?! USING INDEX (turnsHeld|approvalsPending))/;

/** A store that counts what is read from it. */
class CountingStore extends Store {
  rows = 0;
  reads = 0;
  readonly sql = new Set<string>();

  override get<R>(sql: string, ...values: Parameters<Store['get']>[1][]): R | undefined {
    this.#note(sql);
    const row = super.get<R>(sql, ...values);
    this.rows += row === undefined ? 0 : 1;
    return row;
  }

  override all<R>(sql: string, ...values: Parameters<Store['all']>[1][]): R[] {
    this.#note(sql);
    const rows = super.all<R>(sql, ...values);
    this.rows += rows.length;
    return rows;
  }

  #note(sql: string): void {
    this.reads += 1;
    this.sql.add(sql);
  }
}

/** What a start reads, and every look that goes through all of a table. */
function startOf(file: string): { reads: number; rows: number; scans: string[] } {
  const store = new CountingStore({ path: file });
  const core = createCore({ store, clock: new FakeClock(Date.now()), logger: silentLogger });
  const { reads, rows } = store;
  const plans = [...store.sql].flatMap((sql) => store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...Array.from(sql.matchAll(/\?/g), () => 0)));
  core.dispose();
  store.close();
  assert.ok(plans.length > 0 && SCAN.test('SCAN turns'), 'plans were looked at');
  return { reads, rows, scans: plans.map(({ detail }) => detail).filter((detail) => SCAN.test(detail)) };
}

describe('B15 many turns', () => {
  let folder: ScratchFolder;
  beforeEach(async () => {
    folder = await scratchFolder(scratchRoot());
  });
  afterEach(() => folder.remove());

  async function filled(name: string, turns: number): Promise<{ file: string; bytes: number; usedBytes: number; capBytes: number; kept: number; told: number }> {
    const file = join(folder.path, name);
    const many = new ManyTurns(file, turns, 1);
    await many.run(turns);
    const figures = many.figures();
    const { kept, told } = many.log();
    many.gw.close();
    return { file, ...figures, kept, told };
  }

  it('stay under the cap, and of their events only as many are kept as may be', async () => {
    const { usedBytes, capBytes, kept, told } = await filled('store.db', 60);
    assert.ok(usedBytes <= capBytes, `${usedBytes} bytes are more than the cap of ${capBytes}`);
    assert.ok(told > kept, 'some were dropped');
  }).timeout(60_000);

  it('are not looked at when a gateway starts: it reads as much with a hundred as with ten', async () => {
    const [few, many] = [startOf((await filled('few.db', 10)).file), startOf((await filled('many.db', 100)).file)];
    assert.deepEqual({ reads: many.reads, rows: many.rows }, { reads: few.reads, rows: few.rows });
    assert.deepEqual(many.scans, []);
  }).timeout(60_000);
});
