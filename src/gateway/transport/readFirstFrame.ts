import type net from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { FrameDecoder, FrameError } from '../../connector/frames.ts';
import { LIMITS } from '../../protocol/limits.ts';

/** However slowly its bytes drip in, the first frame must be whole by then. */
const FIRST_FRAME_MS = 10_000;

export interface FirstFrame {
  readonly message: unknown;
  /** Ready for the frames that follow, with what has already come of them. */
  readonly decoder: FrameDecoder;
}

/** Reads the one frame that may come before a client is known; the socket is paused afterwards. Rejects on anything else, on close and on time-out. */
export function readFirstFrame(socket: net.Socket, clock: Clock): Promise<FirstFrame> {
  return new Promise((resolve, reject) => {
    const decoder = new FrameDecoder(LIMITS.firstFrameBytes);
    const settle = (finish: () => void): void => {
      timer.dispose();
      socket.off('data', onData).off('close', onClose);
      socket.pause();
      finish();
    };
    const timer = clock.setTimeout(() => settle(() => reject(new Error('no hello came in time'))), FIRST_FRAME_MS);
    const onClose = (): void => settle(() => reject(new Error('closed before hello')));
    const onData = (chunk: Buffer): void => {
      try {
        decoder.push(chunk);
        const body = decoder.next();
        if (body === null) return;
        const message: unknown = JSON.parse(body.toString('utf8'));
        decoder.maxBody = LIMITS.frameBytes;
        settle(() => resolve({ message, decoder }));
      } catch (error) {
        // The parser's own words quote what was sent, which may be the secret.
        settle(() => reject(error instanceof FrameError ? error : new Error('the hello holds no JSON')));
      }
    };
    socket.on('data', onData).on('close', onClose);
  });
}
