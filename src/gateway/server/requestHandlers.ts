import type { AbortSignalLike } from '../../base/abort.ts';
import { isMethod, methods, type MethodName, type ParamsOf, type ResultOf } from '../../protocol/methods.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { HELLO_METHOD } from '../../protocol/envelope.ts';
import type { ClientNotification } from '../../protocol/subscription/clientNotifications.ts';
import type { CoreMethod, GatewayCore } from '../core.ts';
import { methodNotFound } from '../transport/rpcErrors.ts';
import type { ClientConnection, Hear, Serve } from './clientConnection.ts';
import { parseParams } from './parseParams.ts';
import type { SubscriptionHub } from './subscriptionHub.ts';

/** What the server answers itself, without the core. */
export type ServerMethod = Exclude<MethodName, CoreMethod>;
export type ServerHandlers = { readonly [M in ServerMethod]: (connection: ClientConnection, params: ParamsOf<M>) => ResultOf<M> };
/** Requests beside the protocol: LSP's own, and those of a composition root for tests. */
export type ExtraHandlers = Readonly<Record<string, (connection: ClientConnection, params: unknown) => unknown>>;

export interface RequestHandlersOptions {
  readonly core: GatewayCore;
  readonly server: ServerHandlers;
  readonly extra: ExtraHandlers;
}

/** All that a client without a common protocol version may still ask. */
const UNRESTRICTED: ReadonlySet<string> = new Set(['gateway/status', 'gateway/drain', 'shutdown']);

/** Checks the parameters of a request once, then hands it to the one handler of its method. */
export function requestHandlers({ core, server, extra }: RequestHandlersOptions): Serve {
  return async (connection, method, params, signal) => {
    if (method === HELLO_METHOD) throw new AttacheError('already_initialized');
    if (connection.restricted && !UNRESTRICTED.has(method)) throw new AttacheError('unsupported_version');
    if (Object.hasOwn(extra, method)) return extra[method]?.(connection, params);
    if (!isMethod(method)) throw methodNotFound(method);
    const checked = parseParams<unknown>(method, methods[method].params, params ?? {});
    if (isServerMethod(method, server)) return (server[method] as ServerHandler)(connection, checked);
    return handleInCore(core, connection, { method, params: checked, signal });
  };
}

type ServerHandler = (connection: ClientConnection, params: unknown) => unknown;

const isServerMethod = (method: MethodName, server: ServerHandlers): method is ServerMethod => Object.hasOwn(server, method);

interface CoreRequest {
  readonly method: CoreMethod;
  readonly params: unknown;
  readonly signal: AbortSignalLike;
}

const handleInCore = (core: GatewayCore, connection: ClientConnection, { method, params, signal }: CoreRequest): Promise<unknown> =>
  core.handle(connection.principal, method, params as ParamsOf<typeof method>, signal);

export function subscriptionHandlers(hub: SubscriptionHub): Pick<ServerHandlers, `sub/${string}` & ServerMethod> {
  return {
    'sub/subscribe': (connection, params) => hub.subscribe(connection, params),
    'sub/unsubscribe': (connection, { subscriptionId }) => {
      hub.unsubscribe(connection, subscriptionId);
      return {};
    },
  };
}

/** What clients say without waiting for an answer. What is not as expected is passed over: nobody could be told. */
export function hearNotifications(hub: SubscriptionHub): Hear {
  return (connection, method, params) => {
    if (method !== 'event/ack') return false;
    if (isAck(params)) hub.acknowledge(connection, params);
    return true;
  };
}

/** What the schema says, without asking it: one comes with every batch of every client. */
export function isAck(params: unknown): params is ClientNotification<'event/ack'> {
  if (typeof params !== 'object' || params === null || !('subscriptionId' in params && 'deliverySeq' in params)) return false;
  const { subscriptionId, deliverySeq, ...more } = params;
  return typeof subscriptionId === 'string' && Number.isSafeInteger(deliverySeq) && (deliverySeq as number) > 0 && Object.keys(more).length === 0;
}
