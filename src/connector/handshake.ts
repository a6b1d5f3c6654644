import type net from 'node:net';
import { HELLO_METHOD, type HelloParams, type HelloResult } from '../protocol/envelope.ts';
import { AttacheError, asAttacheError } from '../protocol/errors.ts';
import { LIMITS } from '../protocol/limits.ts';
import { encodeFrame, FrameDecoder } from './frames.ts';

const ANSWER_MS = 10_000;

/**
 * Says hello as the first frame of a connected socket. Afterwards the socket is paused and holds every byte that followed the
 * answer. Null when the other side closed without one, as a gateway does that is just ending. Rejects with the gateway's refusal,
 * or with gateway_unavailable when no sensible answer came.
 */
export function sayHello(socket: net.Socket, params: HelloParams, timeoutMs = ANSWER_MS): Promise<HelloResult | null> {
  return new Promise((resolve, reject) => {
    const decoder = new FrameDecoder(LIMITS.frameBytes);
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose).off('error', onClose);
      socket.pause();
      finish();
    };
    const fail = (error: AttacheError): void => settle(() => reject(error));
    const timer = setTimeout(() => fail(silent('did not answer')), timeoutMs);
    const onClose = (): void => settle(() => resolve(null));
    const onData = (chunk: Buffer): void => {
      const answer = nextAnswer(decoder, chunk);
      if (answer === null) return;
      settle(() => {
        const rest = decoder.rest();
        if (rest.length > 0) socket.unshift(rest);
        if (answer instanceof AttacheError) reject(answer);
        else resolve(answer);
      });
    };
    socket.on('data', onData).on('close', onClose).on('error', onClose);
    socket.write(encodeFrame({ jsonrpc: '2.0', id: 'hello', method: HELLO_METHOD, params }));
  });
}

function nextAnswer(decoder: FrameDecoder, chunk: Buffer): HelloResult | AttacheError | null {
  try {
    decoder.push(chunk);
    const body = decoder.next();
    if (body === null) return null;
    const answer = JSON.parse(body.toString('utf8')) as { result?: HelloResult; error?: unknown };
    return answer.result ?? asAttacheError(answer.error) ?? silent('gave an answer that is no hello');
  } catch {
    return silent('gave an answer that is no hello');
  }
}

const silent = (what: string): AttacheError => new AttacheError('gateway_unavailable', { message: `The gateway ${what}.`, retryAfterMs: 500 });
