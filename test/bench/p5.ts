import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { delta, startMessage, submit, TestHost } from '../support/testHost.ts';
import { atMost, atMostTimes, type BenchRow } from './support/benchRow.ts';
import { textSource } from './support/corpus.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

const DELTA_CHARS = 20;
/** What a host sends at once while an agent streams fast. */
const MERGED = 64;
const TURNS = 8;
const REPORTS = 250;
const BASELINE_DELTAS = 3000;

async function streamTurn(host: TestHost, turn: number, text: (length: number) => string): Promise<void> {
  await submit(host.client, host.sessionId, 'work');
  await host.claim();
  await host.report(startMessage(`m${turn}`));
  for (let n = 0; n < REPORTS; n++) await host.report(delta(`m${turn}`, text(DELTA_CHARS * MERGED)));
  await host.complete('done');
}

const ownWritten = (): number => Number(/^wchar: (\d+)$/m.exec(fs.readFileSync('/proc/self/io', 'utf8'))?.[1]);

/** Bytes written per byte of text with a row and a transaction for each delta. */
function rowPerDelta(folder: string): number {
  const database = new DatabaseSync(path.join(folder, 'baseline.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE deltas (n INTEGER PRIMARY KEY, item INTEGER NOT NULL, offset INTEGER NOT NULL, text TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO deltas (item, offset, text) VALUES (1, ?, ?)');
  const text = textSource();
  const before = ownWritten();
  for (let n = 0; n < BASELINE_DELTAS; n++) insert.run(n * DELTA_CHARS, text(DELTA_CHARS));
  database.close();
  return (ownWritten() - before) / (BASELINE_DELTAS * DELTA_CHARS);
}

/** What streaming costs the disk: while it goes on, and when the turns have ended. */
export const row: BenchRow = {
  id: 'P5',
  about: `${TURNS} turns that stream ${TURNS * REPORTS * MERGED} deltas of ${DELTA_CHARS} characters`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const host = await TestHost.start(await gateway.client(), { workspace: gateway.folder });
      await gateway.settled();
      const size = (): number => fs.statSync(gateway.storeFile).size;
      const [written, received, before] = [gateway.writtenBytes(), host.client.socket.bytesRead, size()];
      const text = textSource();
      for (let turn = 0; turn < TURNS; turn++) await streamTurn(host, turn, text);
      await gateway.settled();
      const bytes = TURNS * REPORTS * MERGED * DELTA_CHARS;
      const ours = (gateway.writtenBytes() - written - (host.client.socket.bytesRead - received)) / bytes;
      const baseline = rowPerDelta(gateway.folder);
      return [
        atMost(12, { name: 'bytes written per byte of text', ours, unit: 'bytes' }),
        atMostTimes(0.1, { name: 'bytes written per byte of text', ours, baseline, unit: 'bytes', against: 'a row per delta' }),
        atMost(1.5, { name: 'growth of the file per byte of text', ours: (size() - before) / bytes, unit: 'bytes' }),
      ];
    } finally {
      await gateway.stop();
    }
  },
};
