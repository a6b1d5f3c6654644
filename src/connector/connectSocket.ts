import net from 'node:net';
import type { AbortSignalLike } from '../base/abort.ts';

/** A connected socket, or null when nobody listens there or the attempt was given up. */
export function connectSocket(endpoint: string, signal?: AbortSignalLike): Promise<net.Socket | null> {
  return new Promise((resolve) => {
    const socket = net.connect(endpoint);
    const settle = (result: net.Socket | null): void => {
      signal?.removeEventListener('abort', onFail);
      socket.off('connect', onConnect).off('error', onFail);
      // From here on an error only ever means that the link is gone, which 'close' says.
      socket.on('error', () => undefined);
      if (result === null) socket.destroy();
      resolve(result);
    };
    const onConnect = (): void => settle(socket);
    const onFail = (): void => settle(null);
    socket.on('connect', onConnect).on('error', onFail);
    signal?.addEventListener('abort', onFail);
  });
}
