import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '../../../src/base/logger.ts';
import { createCore, STORE_FILE } from '../../../src/gateway/createCore.ts';
import { SCHEMA_VERSION } from '../../../src/gateway/store/migrations.ts';
import { SCHEMA_1 } from '../../../src/gateway/store/schema1.ts';
import { Store, type StoreStep } from '../../../src/gateway/store/store.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { scratchFolder, type ScratchFolder } from '../../support/scratchFolder.ts';
import { CoreHarness, WORKSPACE } from './support/coreHarness.ts';
import { Story } from './support/story.ts';

describe('store', () => {
  let folder: ScratchFolder;
  let path: string;

  beforeEach(async () => {
    folder = await scratchFolder();
    path = join(folder.path, STORE_FILE);
  });
  afterEach(() => folder.remove());

  it('is made with the newest schema, strict tables and a log of its own', () => {
    const store = new Store({ path });
    assert.equal(store.get<{ user_version: number }>('PRAGMA user_version')?.user_version, SCHEMA_VERSION);
    assert.equal(store.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode, 'wal');
    assert.equal(store.get<{ wal_autocheckpoint: number }>('PRAGMA wal_autocheckpoint')?.wal_autocheckpoint, 0);
    const tables = store.all<{ name: string; strict: number }>(`SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`);
    assert.ok(tables.length > 10 && tables.every(({ strict }) => strict === 1));
    store.close();
  });

  it('of an older version is brought to the newest one, with everything in it', async () => {
    const old = new DatabaseSync(path);
    old.exec(`${SCHEMA_1}; PRAGMA user_version = 1`);
    old.exec(`INSERT INTO goals VALUES ('${WORKSPACE}', 'goal', 1, 'legacy', NULL, 'live', 'An old goal', '', 1, 1, NULL)`);
    old.exec(`INSERT INTO sessions (sessionId, workspace, goalId, lifetime, agentId, sessionMode, executorEndpointId, hostSurface, attachedCapabilities, channelId, status,
      title, titleSource, queuePaused, agent, turnCount, createdAt, updatedAt)
      VALUES ('ses_${'0'.repeat(26)}', '${WORKSPACE}', 'goal', 1, 'a', 'attached_host', 'e', 'vscode', '[]', 'chn_${'0'.repeat(26)}', 'ready', 'Old', 'person', 0, '{}', 0, 1, 1)`);
    old.close();
    const gw = new CoreHarness(path);
    const { sessions } = await gw.client('window').call('session/list', { workspace: WORKSPACE });
    assert.deepEqual(sessions.map(({ title, bindingMatch }) => [title, bindingMatch]), [['Old', 'current']]);
    assert.equal(gw.store.get<{ user_version: number }>('PRAGMA user_version')?.user_version, SCHEMA_VERSION);
    gw.close();
  });

  it('opens again with everything in it', async () => {
    const first = new CoreHarness(path);
    const story = await Story.begin(first);
    await story.submit();
    const before = first.dump();
    first.close();
    const second = new Store({ path });
    assert.equal(second.all('SELECT * FROM turns').length, before['turns']?.length);
    second.close();
  });

  it('of a newer gateway is refused and left untouched', async () => {
    new Store({ path }).close();
    const newer = new DatabaseSync(path);
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    const before = await readFile(path);
    assert.throws(() => createCore({ dataRoot: folder.path, clock: new FakeClock(), logger: silentLogger }), { kind: 'gateway_outdated' });
    assert.deepEqual(await readFile(path), before);
  });

  it('that is damaged is refused with its name and left as it is', async () => {
    await writeFile(path, 'this is no database, however long the text may be'.repeat(100));
    const before = await readFile(path);
    assert.throws(() => new Store({ path }), { kind: 'store_unreadable' });
    assert.deepEqual(await readFile(path), before);
  });

  it('a transaction is all or nothing, and does not nest', () => {
    const store = new Store({ path: ':memory:' });
    const put = (name: string) => store.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, 'x');
    assert.throws(() => store.transaction('lifecycle', () => {
      put('a');
      throw new Error('no');
    }), /no/);
    assert.throws(() => store.transaction('lifecycle', () => store.transaction('stream', () => undefined)), /open already/);
    assert.equal(store.transaction('stream', () => put('b')), 1);
    assert.deepEqual(store.all<{ name: string }>('SELECT name FROM meta').map(({ name }) => name), ['b']);
    store.close();
  });

  it('counts and stops at every step', () => {
    const steps: StoreStep['kind'][] = [];
    const store = new Store({ path: ':memory:', observe: ({ kind }) => steps.push(kind) });
    store.transaction('lifecycle', () => {
      store.get('SELECT 1');
      store.insert('meta', { name: 'a', value: 'x' });
      store.patch('meta', { name: 'a' }, { value: 'y' });
    });
    assert.deepEqual(steps, ['read', 'write', 'write', 'commit', 'committed']);
    assert.equal(store.commits, 1);
    store.close();
  });

  it('R4 a full disk has its own code, loses nothing, and heals by itself', async () => {
    const gw = new CoreHarness(path);
    const story = await Story.begin(gw);
    await story.submit('small');
    const pages = gw.store.get<{ page_count: number }>('PRAGMA page_count')!.page_count;
    gw.store.get(`PRAGMA max_page_count = ${pages}`);
    await assert.rejects(story.submit('x'.repeat(500_000), 'large'), { kind: 'storage_full' });
    assert.equal(story.snapshot().turns.length, 1);
    gw.store.get(`PRAGMA max_page_count = ${pages + 10_000}`);
    assert.equal((await story.submit('x'.repeat(500_000), 'large')).created, true);
    gw.close();
  });

  it('the log is moved into the file when nobody writes, never inside a commit', async () => {
    const gw = new CoreHarness(path);
    const story = await Story.begin(gw);
    for (let at = 0; at < 10; at++) await story.submit('x'.repeat(10_000));
    const sizeBefore = (await readFile(path)).length;
    await gw.clock.advance(1000);
    assert.ok((await readFile(path)).length > sizeBefore);
    gw.close();
  });
});
