import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Store } from '../../../../src/gateway/store/store.ts';

const FILE = 'store.db';

describe('the sums of a store’s pages', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'attsums-'));
  after(() => fs.rmSync(root, { recursive: true, force: true }));
  const folder = (life: number): string => path.join(root, String(life));

  /** What a gateway leaves that is killed: nothing is closed. */
  function killed(life: number): void {
    fs.mkdirSync(folder(life + 1));
    for (const name of fs.readdirSync(folder(life))) {
      if (!name.endsWith('-shm')) fs.cpSync(path.join(folder(life), name), path.join(folder(life + 1), name), { recursive: true });
    }
  }

  function fill(store: Store, life: number): void {
    for (let at = 0; at < 200; at++) {
      const row = { clientId: 'c', commandId: `${life}-${at}`, method: 'm', paramsHash: '', workspace: '', result: 'x'.repeat(3000), at: 0 };
      store.transaction('stream', () => store.insert('receipts', row));
    }
  }

  it('stay true when a gateway is killed with a long log, and the next one has written little: SQLite moves nothing by itself', () => {
    fs.mkdirSync(folder(0));
    for (let life = 0; life < 4; life++) {
      const store = new Store({ path: path.join(folder(life), FILE) });
      assert.equal(store.outcome.kind, life === 0 ? 'created' : 'opened');
      if (life === 0) {
        fill(store, life);
        store.checkpoint('PASSIVE');
        // Pages that have sums are written again, more often than SQLite would leave in its log.
        for (const text of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) store.transaction('stream', () => store.run('UPDATE receipts SET result = ?', text.repeat(3000)));
        assert.ok(store.walBytes() > 1400 * 4096);
      } else {
        store.transaction('stream', () => store.run('UPDATE receipts SET at = ? WHERE commandId = ?', life, '0-7'));
      }
      killed(life);
      store.close();
    }
  });
});
