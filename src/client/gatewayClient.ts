import type { AbortSignalLike } from '../base/abort.ts';
import type { Disposable } from '../base/disposable.ts';
import { AttacheError, asAttacheError } from '../protocol/errors.ts';
import type { MethodName, ParamsOf, ResultOf } from '../protocol/methods.ts';
import type { ClientNotification, ClientNotificationName } from '../protocol/subscription/clientNotifications.ts';
import type { NotificationName, Notifications } from '../protocol/subscription/commands.ts';
import { fitsFrame } from './frameSize.ts';
import type { RpcPeer } from './rpcPeer.ts';

/** Typed calls over a link. The gateway's answers are trusted: it is our own process behind a secret. */
export interface GatewayCalls {
  call<M extends MethodName>(method: M, params: ParamsOf<M>, signal?: AbortSignalLike): Promise<ResultOf<M>>;
  /** Says something that has no answer; it is lost without a link. */
  notify<N extends ClientNotificationName>(name: N, params: ClientNotification<N>): void;
  on<N extends NotificationName>(name: N, listener: (params: Notifications[N]) => void): Disposable;
}

export function gatewayCalls(peer: RpcPeer): GatewayCalls {
  return {
    async call(method, params, signal) {
      if (!fitsFrame(params)) throw new AttacheError('too_large');
      try {
        return (await peer.request(method, params, signal)) as ResultOf<typeof method>;
      } catch (error) {
        throw asAttacheError(error) ?? error;
      }
    },
    notify: (name, params) => peer.notify(name, params),
    on: (name, listener) => peer.onNotification(name, (params) => listener(params as Notifications[typeof name])),
  };
}

/** True when the answer never came, so that the same command is to be sent again with the same key. */
export const isUnknownOutcome = (error: unknown): boolean => error instanceof AttacheError && error.kind === 'connection_closed';

/** True when the gateway could not carry a request out and says no reason: a fault of the moment, or one of ours. */
export function isGatewayFault(error: unknown): boolean {
  const data: unknown = typeof error === 'object' && error !== null && 'data' in error ? error.data : null;
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'internal_error';
}
