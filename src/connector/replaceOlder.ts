import { randomUUID } from 'node:crypto';
import type net from 'node:net';
import type { AbortSignalLike } from '../base/abort.ts';
import { Deferred } from '../base/deferred.ts';
import type { HelloParams } from '../protocol/envelope.ts';
import { AttacheError } from '../protocol/errors.ts';
import { LIMITS } from '../protocol/limits.ts';
import { connectSocket } from './connectSocket.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';
import { sayHello } from './handshake.ts';

/** A draining gateway allows its running turns a minute. */
const DRAIN_MS = 70_000;
/** A gateway with nothing to do ends at once, or says that it has something to do. */
const END_MS = 5000;

/** The gateway that is to make room, and who asks it to. */
export interface Older {
  readonly endpoint: string;
  readonly hello: HelloParams;
  readonly signal: AbortSignalLike | undefined;
}

/** True for the refusal of a gateway that speaks only versions below this client's newest: it is to make room. */
export function speaksOlder(error: unknown, versions: readonly number[]): boolean {
  if (!(error instanceof AttacheError) || error.kind !== 'unsupported_version') return false;
  const range = (error.data.entity as { protocolRange?: unknown } | undefined)?.protocolRange;
  return Array.isArray(range) && typeof range[1] === 'number' && range[1] < Math.max(...versions);
}

/** Asks a gateway of an older protocol to end politely, and waits until it has, at the longest as long as it may take. */
export async function drainOlder(older: Older): Promise<void> {
  await askToEnd(older, 'gateway/drain', { commandId: `drain-${randomUUID()}` }, DRAIN_MS);
}

/** Asks a gateway of an older build to end if nothing runs in it. False when it goes on. */
export function endIdle(older: Older): Promise<boolean> {
  return askToEnd(older, 'gateway/shutdown', { commandId: `end-${randomUUID()}`, ifIdle: true }, END_MS);
}

/** True when it has ended; false when it refused, did not in time, or the wait was given up. */
async function askToEnd({ endpoint, hello, signal }: Older, method: string, params: unknown, patienceMs: number): Promise<boolean> {
  const socket = await connectSocket(endpoint, signal);
  if (socket === null) return true;
  // A gateway without a common version refuses this; what it still takes on this connection is the request to drain.
  await sayHello(socket, hello).catch(() => undefined);
  const ended = new Deferred<boolean>();
  const giveUp = (): void => ended.resolve(false);
  const timer = setTimeout(giveUp, patienceMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  socket.once('close', () => ended.resolve(true));
  onRefusal(socket, method, giveUp);
  socket.write(encodeFrame({ jsonrpc: '2.0', id: method, method, params }));
  const result = await ended.promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', giveUp);
  socket.destroy();
  return result;
}

function onRefusal(socket: net.Socket, id: string, refused: () => void): void {
  const decoder = new FrameDecoder(LIMITS.frameBytes);
  socket.on('data', (chunk: Buffer) => {
    try {
      decoder.push(chunk);
      for (let body = decoder.next(); body !== null; body = decoder.next()) {
        const message = JSON.parse(body.toString('utf8')) as { id?: unknown; error?: unknown };
        if (message.id === id && message.error !== undefined) refused();
      }
    } catch {
      // Whatever that is, it is no gateway that ends.
      refused();
    }
  });
  socket.resume();
}
