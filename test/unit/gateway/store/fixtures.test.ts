import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backUp, listBackups } from '../../../../src/gateway/store/backups.ts';
import { migrate, SCHEMA_VERSION, STEPS } from '../../../../src/gateway/store/migrations.ts';
import { Store } from '../../../../src/gateway/store/store.ts';
import { scratchFolder, type ScratchFolder } from '../../../support/scratchFolder.ts';
import { fixtureVersions, loadFixture, rowsOf, type Rows } from '../../../support/storeFixtures.ts';
import { CoreHarness, WORKSPACE } from '../support/coreHarness.ts';
import { ODD_TEXTS } from '../support/fillStore.ts';

/** The rows as the older version had room for them. */
function inColumnsOf(old: Rows, rows: Rows): Rows {
  return Object.fromEntries(Object.entries(old).map(([table, before]) => {
    const names = Object.keys(before[0] ?? {});
    return [table, (rows[table] ?? []).map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))];
  }));
}

describe('stores of every earlier version', () => {
  let folder: ScratchFolder;
  let file: string;

  beforeEach(async () => {
    folder = await scratchFolder();
    file = join(folder.path, 'store.db');
  });
  afterEach(() => folder.remove());

  it('each have their fixture (node test/support/storeFixtures.ts makes the missing one)', () => {
    assert.deepEqual(fixtureVersions(), STEPS.map((_, at) => at + 1));
  });

  for (const version of fixtureVersions()) {
    it(`version ${version} migrates with every row intact`, () => {
      loadFixture(version, file);
      const before = rowsOf(file);
      assert.ok(['goals', 'sessions', 'turns', 'items', 'itemChunks', 'approvals', 'effects', 'blobs', 'blobChunks', 'receipts', 'events', ...(version === SCHEMA_VERSION ? ['grants', 'blobRefs'] : [])].every((table) => (before[table]?.length ?? 0) > 0));
      new Store({ path: file }).close();
      assert.deepEqual(inColumnsOf(before, rowsOf(file)), before);
      const backups = listBackups(join(folder.path, 'backups'));
      assert.equal(backups.length, version < SCHEMA_VERSION ? 1 : 0);
      for (const backup of backups) {
        assert.deepEqual(rowsOf(backup), before);
        if (process.platform !== 'win32') assert.equal((statSync(backup).mode & 0o777).toString(8), '600');
      }
    });

    it(`version ${version} is read through the protocol`, async () => {
      loadFixture(version, file);
      const { items = [], turns = [], blobs = [] } = rowsOf(file);
      const gw = new CoreHarness(file);
      const client = gw.client('reader');
      const { goals } = await client.call('goal/list', { workspace: WORKSPACE });
      assert.ok(goals.some(({ state }) => state === 'retired') && goals.some(({ lifetime }) => lifetime === 2));
      const { sessions } = await client.call('session/list', { workspace: WORKSPACE, includeClosed: true });
      for (const { sessionId } of sessions) {
        client.snapshot(sessionId);
        await client.call('session/history', { sessionId });
        for (const { turnId } of (await client.call('turn/list', { sessionId })).turns) await client.call('turn/replay', { turnId });
        gw.core.events(client.principal, { session: sessionId }, 0, 500);
      }
      const visible = new Set<unknown>(sessions.map(({ sessionId }) => sessionId));
      const texts: string[] = [];
      for (const { itemId, sessionId } of items) if (visible.has(sessionId)) texts.push((await client.call('item/get', { itemId: String(itemId) })).item.text);
      for (const odd of [ODD_TEXTS[0], ODD_TEXTS.join('')]) assert.ok(texts.includes(odd ?? ''), 'a text of many kinds of characters');
      assert.ok(turns.length >= 9);
      for (const { digest } of blobs) await client.call('blob/get', { workspace: WORKSPACE, digest: String(digest) });
      const { approvals } = await client.call('approval/list', { workspace: WORKSPACE, status: 'pending' });
      assert.equal(approvals.length, 1);
      const { session } = client.snapshot(approvals[0]?.sessionId ?? '');
      assert.equal(session.status, 'busy');
      gw.close();
    });
  }

  it('a step that fails leaves the store as it was, at its old version', () => {
    loadFixture(1, file);
    const before = rowsOf(file);
    const database = new DatabaseSync(file);
    const steps = [...STEPS.slice(0, 2), 'CREATE TABLE half (a); INSERT INTO nowhere VALUES (1)'];
    assert.throws(() => migrate(database, 3, steps), { kind: 'store_migration_failed', message: /from version 1 to 3 \(no such table: nowhere\)/ });
    database.close();
    assert.deepEqual(rowsOf(file), before);
    const after = new DatabaseSync(file, { readOnly: true });
    assert.equal(after.prepare('PRAGMA user_version').get()?.['user_version'], 1);
    after.close();
    new Store({ path: file }).close();
  });

  it('a store that cannot be backed up is not changed', () => {
    loadFixture(1, file);
    writeFileSync(join(folder.path, 'backups'), 'in the way');
    const before = readFileSync(file);
    assert.throws(() => new Store({ path: file }));
    assert.deepEqual(readFileSync(file), before);
  });

  it('the newest two backups are kept', () => {
    loadFixture(1, file);
    const database = new DatabaseSync(file);
    const backups = join(folder.path, 'backups');
    mkdirSync(backups);
    const made = [1000, 2000, 3000].map((now) => backUp(database, backups, now));
    database.close();
    assert.deepEqual(listBackups(backups), [made[2], made[1]]);
    assert.equal(readdirSync(backups).length, 2);
  });

  it('a newer store is refused untouched, with its log, to the last byte', () => {
    new Store({ path: file }).close();
    const newer = new DatabaseSync(file);
    newer.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = ${SCHEMA_VERSION + 1}; INSERT INTO meta VALUES ('x', 'y')`);
    const bytes = (): Record<string, string> => Object.fromEntries(readdirSync(folder.path).filter((name) => !name.endsWith('-shm')).map((name) => [name, readFileSync(join(folder.path, name)).toString('hex')]));
    const before = bytes();
    assert.ok((before['store.db-wal']?.length ?? 0) > 0, 'its version stands in the log only');
    assert.throws(() => new Store({ path: file }), { kind: 'gateway_outdated' });
    assert.deepEqual(bytes(), before);
    newer.close();
  });
});
