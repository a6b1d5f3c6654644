import type { AbortSignalLike } from '../base/abort.ts';
import type { Disposable } from '../base/disposable.ts';

/**
 * One live link to the gateway, whatever carries it. A request on a link that is closed, or that closes before the answer,
 * rejects with connection_closed: its outcome is unknown and it is to be sent again with the same key.
 */
export interface RpcPeer {
  request(method: string, params: unknown, signal?: AbortSignalLike): Promise<unknown>;
  /** Says something that has no answer. Without a live link it is lost, and nobody is told. */
  notify(method: string, params: unknown): void;
  onNotification(method: string, listener: (params: unknown) => void): Disposable;
}
