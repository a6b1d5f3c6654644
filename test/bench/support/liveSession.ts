import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnId } from '../../../src/protocol/ids.ts';
import { decide, delta, key, startCommand, startMessage, submit, type TestHost } from '../../support/testHost.ts';

const DELTA_CHARS = 200;
const REPORTS = 16;
/** Between two of them: what an agent says while somebody reads along. */
const PAUSE_MS = 200;

/** A turn with as many events as asked for, and some more, at once. */
export async function fastTurn(host: TestHost, events: number, text: (length: number) => string): Promise<void> {
  await submit(host.client, host.sessionId, 'work');
  await host.claim();
  // Two in turn: what is said in one piece is merged.
  await host.report(startMessage('a'), startMessage('b'), ...Array.from({ length: events }, (_, n) => delta(n % 2 === 0 ? 'a' : 'b', text(40))));
  await host.complete('done');
}

/** A turn at an agent's pace, with a request that is answered; gives back which it was. */
export async function liveTurn(host: TestHost, text: (length: number) => string): Promise<TurnId> {
  const { turn } = await submit(host.client, host.sessionId, text(400));
  await host.claim();
  await host.report(startMessage('m'));
  for (let n = 0; n < REPORTS; n++) {
    await host.report(delta('m', text(DELTA_CHARS)));
    await sleep(PAUSE_MS);
  }
  await host.report(startCommand('c', 'make', host.session.workspace));
  await decide(host.client, await host.ask('make'), 'yes');
  await host.report({ op: 'item.end', itemKey: key('c'), state: 'completed' });
  await host.complete('done');
  return turn.turnId;
}
