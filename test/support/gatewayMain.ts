// The gateway as in src/gateway/main.ts, with time and failures in the hands of a test that speaks to it over its own socket.
//   node test/support/gatewayMain.ts --data-root DIR [--clock driven|system] [--kill-at STEP]
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/connector/systemClock.ts';
import { runGateway } from '../../src/gateway/process/runGateway.ts';
import type { ClientConnection } from '../../src/gateway/server/clientConnection.ts';
import type { ExtraHandlers } from '../../src/gateway/server/requestHandlers.ts';
import { FailingCore, type Fault } from './failingCore.ts';
import { FakeClock } from './fakeClock.ts';

const { values } = parseArgs({ options: { 'data-root': { type: 'string' }, 'clock': { type: 'string', default: 'driven' }, 'kill-at': { type: 'string' } } });
const driven = values.clock === 'driven' ? new FakeClock(Date.now()) : null;
// Steps of the start are counted from here.
const core = new FailingCore(values['kill-at'] === undefined ? null : { at: 'any', after: Number(values['kill-at']), how: 'kill' });

interface Advance {
  readonly ms: number;
  /** Moves time only once the connection that asked is gone, so that nobody is there; leaves this file when it has. */
  readonly whenAlone?: string;
}

async function advance(connection: ClientConnection, { ms, whenAlone }: Advance): Promise<{ now: number }> {
  if (driven === null) throw new Error('the clock of this gateway is not driven');
  if (whenAlone === undefined) await driven.advance(ms);
  else void afterClose(connection).then(() => driven.advance(ms)).then(() => fs.writeFileSync(whenAlone, ''));
  return { now: driven.now() };
}

async function afterClose(connection: ClientConnection): Promise<void> {
  while (!connection.isClosed) await sleep(5);
}

const extra: ExtraHandlers = {
  'test/clock.advance': (connection, params) => advance(connection, params as Advance),
  'test/clock.now': () => ({ now: (driven ?? systemClock).now() }),
  // Whether a request has reached the prototype of all objects.
  'test/polluted': () => ({ polluted: ({} as Record<string, unknown>)['polluted'] ?? null }),
  'test/steps': () => ({ ...core.steps }),
  'test/fail': (_connection, params) => {
    core.plan(params as Fault);
    return {};
  },
};

process.exitCode = await runGateway({ dataRoot: values['data-root']!, clock: driven ?? systemClock, openCore: core.open, extra, onSocket: core.watch });
setTimeout(() => process.exit(), 1000).unref();
