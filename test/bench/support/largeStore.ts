import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { PageSums } from '../../../src/gateway/store/pageSums.ts';

const PAGE = 4096;
const EVENT_CHARS = 900;

export interface LargeStore {
  readonly sessions: number;
  readonly events: number;
}

const NUMBERS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
const id = (prefix: string, at: string): string => `printf('${prefix}_%026d', ${at})`;

/** Makes many of the one session in a store that no gateway has open, with so many events among them, and the sums of its pages; gives the id of one of them. */
export function makeLarge(file: string, { sessions, events }: LargeStore): string {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const columns = database.prepare(`SELECT name FROM pragma_table_info('sessions')`).all().map(({ name }) => String(name));
  const made: Readonly<Record<string, string>> = { sessionId: id('ses', 'i'), channelId: id('chn', 'i'), hostSessionId: 'lower(hex(randomblob(16)))', turnCount: '0', updatedAt: 'updatedAt - i' };
  database.exec('BEGIN');
  database.prepare(`${NUMBERS} INSERT INTO sessions (${columns.join(', ')}) SELECT ${columns.map((name) => made[name] ?? name).join(', ')} FROM n, (SELECT * FROM sessions LIMIT 1)`).run(sessions);
  database.prepare(`${NUMBERS} INSERT INTO scopes (scope) SELECT 'session:' || ${id('ses', 'i')} FROM n`).run(sessions);
  const first = Number(database.prepare(`SELECT scopeNo FROM scopes WHERE scope = 'session:' || ${id('ses', '1')}`).get()?.['scopeNo']);
  const each = Math.ceil(events / sessions);
  const put = database.prepare(`${NUMBERS} INSERT INTO events (eventNo, event) SELECT ? * 4294967296 + i, '{"seq":' || i || ? FROM n`);
  const rest = `,"at":1893456000000,"causedBy":{},"type":"session.updated","session":{"title":"${'x'.repeat(EVENT_CHARS)}"}}`;
  for (let n = 0; n < sessions; n++) put.run(each, first + n, rest);
  database.exec('COMMIT; PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const sums = new PageSums(PAGE);
  sums.learn(file, []);
  sums.write(`${file}-sums`);
  return `ses_${String(Math.floor(sessions / 2)).padStart(26, '0')}`;
}

/** Lets the system forget what it holds of a file in memory, of this file only. */
export function forgetCached(file: string): void {
  const fd = fs.openSync(file, 'r+');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
}
