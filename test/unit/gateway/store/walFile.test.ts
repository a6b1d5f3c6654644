import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pagesInWal, readWal } from '../../../../src/gateway/store/walFile.ts';

describe('pages named by the log', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attwal-'));
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('are those of the current lap, whether it is longer or shorter than the one before and than what is read at once', () => {
    const file = path.join(folder, 'store.db');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0; CREATE TABLE texts (text TEXT)');
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    for (const rows of [150, 20, 200]) {
      for (let n = 0; n < rows; n++) insert.run('x'.repeat(3000));
      const named = pagesInWal(`${file}-wal`);
      assert.ok(named.size >= rows);
      assert.deepEqual(named, new Set([...readWal(`${file}-wal`).pages.keys()]));
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    }
    database.close();
  });

  it('are none where there is no log, or none with a header', () => {
    assert.equal(pagesInWal(path.join(folder, 'none')).size, 0);
    const short = path.join(folder, 'short');
    fs.writeFileSync(short, 'no log');
    assert.equal(pagesInWal(short).size, 0);
  });
});
