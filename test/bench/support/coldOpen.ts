// Opens a store, lists its newest 1,000 sessions, and reads the last 200 events and the last page of one; prints what that took in ms.
//   node coldOpen.ts ours|bare STORE WORKSPACE SESSION
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '../../../src/base/logger.ts';
import { systemClock } from '../../../src/connector/systemClock.ts';
import type { CoreMethod, Principal } from '../../../src/gateway/core.ts';
import { createCore } from '../../../src/gateway/createCore.ts';
import { Store } from '../../../src/gateway/store/store.ts';
import type { ParamsOf, ResultOf } from '../../../src/protocol/methods.ts';
import { sessionId } from '../../../src/protocol/ids.ts';

const SESSIONS = 1000;
const EVENTS = 200;
const TURNS = 10;
const [kind, file = '', workspace = '', session = ''] = process.argv.slice(2);
const PER_SCOPE = 2 ** 32;

async function ours(): Promise<number> {
  const begun = performance.now();
  const store = new Store({ path: file });
  const core = createCore({ store, clock: systemClock, logger: silentLogger });
  const reader: Principal = { connectionId: 'c', clientId: 'reader', windowId: 'reader', kind: 'cli', workspaces: [{ path: workspace, trusted: true }] };
  const ask = async <M extends CoreMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> => core.handle(reader, method, params, new AbortController().signal);
  let sessions = 0;
  let chars = 0;
  for (let cursor: string | null | undefined; cursor !== null && sessions < SESSIONS;) {
    const page: ResultOf<'session/list'> = await ask('session/list', { workspace, limit: 200, ...(cursor === undefined ? {} : { cursor }) } as ParamsOf<'session/list'>);
    sessions += page.sessions.length;
    chars += JSON.stringify(page).length;
    cursor = page.next;
  }
  const id = sessionId.parse(session);
  const { snapshot } = await ask('session/get', { sessionId: id });
  chars += JSON.stringify(snapshot).length;
  const events = await ask('event/read', { scope: { session: id }, from: { epoch: core.epoch, seq: Math.max(0, snapshot.head - EVENTS) }, limit: EVENTS } as ParamsOf<'event/read'>);
  chars += JSON.stringify(events).length;
  const took = performance.now() - begun;
  if (sessions < SESSIONS || chars < SESSIONS * 100) throw new Error(`only ${sessions} sessions, ${chars} characters`);
  core.dispose();
  store.close();
  return took;
}

function bare(): number {
  const begun = performance.now();
  const database = new DatabaseSync(file);
  const sessions = database.prepare('SELECT * FROM sessions WHERE workspace = ? ORDER BY updatedAt DESC, sessionId DESC LIMIT ?').all(workspace, SESSIONS);
  const scopeNo = Number(database.prepare('SELECT scopeNo FROM scopes WHERE scope = ?').get(`session:${session}`)?.['scopeNo']);
  const turns = database.prepare('SELECT * FROM turns WHERE sessionId = ? ORDER BY turnIdx DESC LIMIT ?').all(session, TURNS);
  const items = database.prepare('SELECT * FROM items WHERE sessionId = ? ORDER BY turnIdx DESC, idx DESC LIMIT ?').all(session, EVENTS);
  const events = database.prepare('SELECT * FROM events WHERE eventNo > ? AND eventNo < ? ORDER BY eventNo DESC LIMIT ?').all(scopeNo * PER_SCOPE, (scopeNo + 1) * PER_SCOPE, EVENTS);
  const chars = JSON.stringify({ sessions, turns, items, events }).length;
  const took = performance.now() - begun;
  if (sessions.length < SESSIONS || events.length < EVENTS || chars < SESSIONS * 100) throw new Error(`only ${sessions.length} sessions, ${events.length} events`);
  database.close();
  return took;
}

process.stdout.write(String(kind === 'ours' ? await ours() : bare()));
process.exit();
