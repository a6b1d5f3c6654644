import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backUp } from '../../../../src/gateway/store/backups.ts';
import { salvage } from '../../../../src/gateway/store/salvage.ts';
import { storeFiles } from '../../../../src/gateway/store/storeFiles.ts';
import { Store } from '../../../../src/gateway/store/store.ts';
import * as soak from '../../../soak/store.ts';
import { scratchFolder, scratchRoot, type ScratchFolder } from '../../../support/scratchFolder.ts';
import { rowsOf } from '../../../support/storeFixtures.ts';
import { CoreHarness, WORKSPACE } from '../support/coreHarness.ts';
import { fill, fillStore } from '../support/fillStore.ts';

const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
};

describe('a damaged store', () => {
  let folder: ScratchFolder;
  let file: string;
  const beside = (name: string): string => `${file}-${name}`;
  const damagedFolders = (): string[] => readdirSync(folder.path).filter((name) => name.startsWith('store-damaged-'));

  beforeEach(async () => {
    folder = await scratchFolder(scratchRoot());
    file = join(folder.path, 'store.db');
  });
  afterEach(() => folder.remove());

  function recovered(): Extract<Store['outcome'], { kind: 'recovered' }> {
    const store = new Store({ path: file });
    store.close();
    assert.ok(store.outcome.kind === 'recovered', store.outcome.kind);
    assert.deepEqual(damagedFolders(), [store.outcome.keptIn]);
    return store.outcome;
  }

  function refused(reason: RegExp): void {
    const before = Object.fromEntries(readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name)).toString('base64')]));
    assert.throws(() => new Store({ path: file }), { kind: 'store_unreadable', message: reason });
    assert.deepEqual(Object.fromEntries(readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name)).toString('base64')])), before, 'refused means untouched');
  }

  it('R3 whatever was torn, cut, turned or lost: what opens is what once was, and all else says so (npm run soak -- store)', async () => {
    const { images, opened, recovered: saved, store_unreadable } = await soak.run({ runs: 100, seed: 20_301, report: () => undefined });
    assert.equal(images, 100);
    assert.ok((opened ?? 0) > 20 && (saved ?? 0) > 10 && (store_unreadable ?? 0) > 5);
  }).timeout(120_000);

  it('what is not damaged is saved without a loss', async () => {
    await fillStore(file);
    const before = rowsOf(file);
    const target = join(folder.path, 'new.db');
    assert.deepEqual(salvage({ files: storeFiles(file), target, backup: null, now: 1 }), { source: 'salvage', lost: {}, incompleteSessions: 0 });
    const events = { events: [], eventSegments: [], scopes: [] };
    assert.deepEqual({ ...rowsOf(target), ...events }, { ...before, ...events });
  });

  it('one turned bit in a text is found, the file kept, the loss marked for as long as that file is there', async () => {
    await fillStore(file);
    const at = readFileSync(file).indexOf('x'.repeat(200));
    assert.ok(at > 0);
    flip(file, at + 100);
    const { reason, source, keptIn } = recovered();
    assert.match(reason, /^1 of the \d+ pages of its file are not what was written$/);
    assert.equal(source, 'salvage');
    const again = new Store({ path: file });
    assert.equal(again.outcome.kind, 'recovered');
    again.close();
    rmSync(join(folder.path, keptIn), { recursive: true });
    const later = new Store({ path: file });
    assert.equal(later.outcome.kind, 'opened');
    later.close();
  });

  it('a table of which a page is lost gives all other rows; the sessions that miss some say so at their end', async () => {
    await fillStore(file);
    const database = new DatabaseSync(file, { readOnly: true });
    const page = Number(database.prepare(`SELECT pageno FROM dbstat WHERE name = 'items' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1`).get()?.['pageno']);
    const count = (database.prepare('SELECT count(*) AS n FROM items').get() as { n: number }).n;
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    writeFileSync(file, bytes);
    const gw = new CoreHarness(file);
    const { outcome } = gw.store;
    assert.ok(outcome.kind === 'recovered' && outcome.incompleteSessions > 0);
    const left = gw.store.get<{ n: number }>('SELECT count(*) AS n FROM items')?.n ?? 0;
    assert.ok(left > 0 && left < count + outcome.incompleteSessions);
    const reader = gw.client('reader');
    const { sessions } = await reader.call('session/list', { workspace: WORKSPACE, includeClosed: true });
    const told = sessions.filter(({ sessionId }) => reader.snapshot(sessionId).items.some(({ data }) => data.kind === 'notice' && data.code === 'store_loss'));
    assert.ok(told.length > 0);
    gw.close();
  });

  it('what cannot be read at all comes from the newest backup, and says from when', async () => {
    await fillStore(file);
    const database = new DatabaseSync(file);
    backUp(database, join(folder.path, 'backups'), Date.UTC(2030, 0, 1));
    database.close();
    const before = rowsOf(file);
    writeFileSync(file, 'no database'.repeat(1000));
    const { reason, source } = recovered();
    assert.equal(source, 'backup');
    assert.equal(reason, 'its file is not a database; this is the copy of 2030-01-01T00:00:00.000Z');
    for (const table of ['goals', 'sessions', 'turns', 'items', 'approvals']) assert.deepEqual(rowsOf(file)[table], before[table], table);
  });

  it('without anything to save it is refused and left untouched: empty, missing, cut to nothing, no database', async () => {
    await fillStore(file);
    const whole = readFileSync(file);
    truncateSync(file, 0);
    refused(/its file is empty/);
    rmSync(file);
    refused(/its file is missing/);
    writeFileSync(file, whole.subarray(0, 50));
    refused(/its file is not a database/);
    writeFileSync(file, 'no database'.repeat(1000));
    refused(/its file is not a database/);
    writeFileSync(file, whole);
    new Store({ path: file }).close();
  });

  it('a log without its file, and an empty file beside a log, are no new store', () => {
    const store = new Store({ path: file });
    store.transaction('lifecycle', () => store.insert('meta', { name: 'a', value: 'b' }));
    const wal = readFileSync(beside('wal'));
    store.close();
    for (const name of [beside('marker'), beside('sums'), file]) rmSync(name, { force: true });
    writeFileSync(beside('wal'), wal);
    refused(/its file is missing and only its log is there/);
    writeFileSync(file, '');
    refused(/its file is empty/);
  });

  it('an epoch is never given out twice, whatever the store has lost', () => {
    const first = new CoreHarness(file);
    const early = readFileSync(file);
    const { epoch } = first.core;
    first.restart();
    first.restart();
    const last = first.core.epoch;
    assert.equal(last, epoch + 2);
    first.close();
    rmSync(beside('sums'));
    assert.ok(early.length > 0);
    const older = new DatabaseSync(file);
    older.exec(`UPDATE meta SET value = '1' WHERE name = 'epoch'`);
    older.close();
    const second = new CoreHarness(file);
    assert.ok(second.store.outcome.kind === 'recovered' && second.store.outcome.source === 'wal');
    assert.equal(second.core.epoch, last + 1);
    second.close();
  });

  it('damage that is met while it is in use fails that command by name, is told, and looked at as a whole at the next start', async () => {
    const gw = new CoreHarness(file);
    const { closed } = await fill(gw);
    gw.store.checkpoint('TRUNCATE');
    const page = gw.store.get<{ pageno: number }>(`SELECT pageno FROM dbstat WHERE name = 'turns' AND pagetype = 'leaf' LIMIT 1`)!.pageno;
    const bytes = readFileSync(file);
    bytes.fill(0xff, (page - 1) * 4096, page * 4096);
    writeFileSync(file, bytes);
    gw.store.get('PRAGMA shrink_memory');
    await assert.rejects(closed.host.call('turn/list', { sessionId: closed.sessionId }), { kind: 'store_unreadable' });
    assert.match(gw.core.counts().storeDamage ?? '', /malformed/);
    assert.ok(existsSync(beside('suspect')));
    gw.close();
    recovered();
    assert.ok(!existsSync(beside('suspect')));
  });

  it('a new store in the making that was whole is taken, one that was not is thrown away', async () => {
    await fillStore(file);
    const whole = readFileSync(file);
    writeFileSync(beside('salvaged'), 'half');
    new Store({ path: file }).close();
    writeFileSync(file, 'damaged');
    writeFileSync(beside('ready'), whole);
    const store = new Store({ path: file });
    assert.equal(store.outcome.kind, 'opened');
    store.close();
    assert.ok(!existsSync(beside('ready')));
  });

  it('a store or a folder that cannot be written is refused with that reason', function () {
    if (process.platform === 'win32') return;
    mkdirSync(join(folder.path, 'inner'));
    writeFileSync(join(folder.path, 'inner', 'store.db'), '');
    // Root may write anything: the kernel is asked as somebody else.
    const nobody = process.getuid?.() === 0 ? 65_534 : null;
    if (nobody !== null) process.seteuid?.(nobody);
    try {
      assert.throws(() => new Store({ path: nobody === null ? '/proc/store.db' : join(folder.path, 'inner', 'store.db') }), { kind: 'store_read_only', message: /permission denied|not permitted|EACCES|EROFS/i });
    } finally {
      if (nobody !== null) process.seteuid?.(0);
    }
  });
});
