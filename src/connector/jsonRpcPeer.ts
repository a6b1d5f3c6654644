import { CancellationTokenSource, ErrorCodes, ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import type { AbortSignalLike } from '../base/abort.ts';
import { Deferred } from '../base/deferred.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { AttacheError, asAttacheError } from '../protocol/errors.ts';

/** The client layer's RpcPeer over a listening MessageConnection. */
export interface JsonRpcPeer {
  request(method: string, params: unknown, signal?: AbortSignalLike): Promise<unknown>;
  /** Is lost without a word when the connection is closed. */
  notify(method: string, params: unknown): void;
  onNotification(method: string, listener: (params: unknown) => void): Disposable;
  readonly isClosed: boolean;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
}

/** On close every pending request rejects with connection_closed: its outcome is unknown. */
export function jsonRpcPeer(connection: MessageConnection): JsonRpcPeer {
  const pending = new Set<Deferred<unknown>>();
  const listeners = new Map<string, Set<(params: unknown) => void>>();
  const closed = new Deferred<void>();
  let isClosed = false;
  const end = (): void => {
    isClosed = true;
    for (const request of pending) request.reject(new AttacheError('connection_closed'));
    pending.clear();
    closed.resolve();
  };
  connection.onClose(end);
  connection.onDispose(end);
  connection.onNotification((method, params) => {
    for (const listener of [...(listeners.get(method) ?? [])]) listener(params);
  });

  return {
    get isClosed() {
      return isClosed;
    },
    closed: closed.promise,
    async request(method, params, signal) {
      if (isClosed) throw new AttacheError('connection_closed');
      const answer = new Deferred<unknown>();
      pending.add(answer);
      const cancel = new CancellationTokenSource();
      const onAbort = (): void => cancel.cancel();
      if (signal?.aborted === true) onAbort();
      signal?.addEventListener('abort', onAbort);
      try {
        connection.sendRequest(method, params, cancel.token).then(answer.resolve, (error: unknown) => {
          answer.reject(asFailure(error));
          if (isLost(error)) end();
        });
        return await answer.promise;
      } finally {
        pending.delete(answer);
        signal?.removeEventListener('abort', onAbort);
        cancel.dispose();
      }
    },
    notify(method, params) {
      if (!isClosed) connection.sendNotification(method, params).catch((error: unknown) => isLost(error) && end());
    },
    onNotification(method, listener) {
      const own = (params: unknown): void => listener(params);
      const known = listeners.get(method) ?? new Set();
      listeners.set(method, known.add(own));
      return toDisposable(() => known.delete(own));
    },
  };
}

function asFailure(error: unknown): unknown {
  const known = asAttacheError(error);
  if (known !== null) return known;
  return isLost(error) ? new AttacheError('connection_closed') : error;
}

/** What cannot be written will never be: the connection is gone even if its close has not been heard of yet. Who repeats at once would never let it be. */
const isLost = (error: unknown): boolean => error instanceof ResponseError && (error.code === ErrorCodes.MessageWriteError || error.code === ErrorCodes.PendingResponseRejected);
