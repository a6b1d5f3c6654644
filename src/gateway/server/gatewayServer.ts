import type net from 'node:net';
import { ResponseError } from 'vscode-jsonrpc/node';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { encodeFrame } from '../../connector/frames.ts';
import type { HelloResult } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { NotificationName, Notifications } from '../../protocol/subscription/commands.ts';
import { FEATURES, negotiate, PROTOCOL_VERSIONS } from '../../protocol/version.ts';
import { authenticate, type Authenticated } from '../clients/authenticate.ts';
import type { GatewayCore } from '../core.ts';
import { readFirstFrame, type FirstFrame } from '../transport/readFirstFrame.ts';
import { errorAnswer, internalError, refusal } from '../transport/rpcErrors.ts';
import { endSocket, SocketChannel } from '../transport/socketChannel.ts';
import { ClientConnection, type Serve } from './clientConnection.ts';
import { hearNotifications } from './requestHandlers.ts';
import type { SubscriptionHub } from './subscriptionHub.ts';

export interface GatewayServerOptions {
  readonly core: GatewayCore;
  readonly hub: SubscriptionHub;
  readonly token: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly serve: Serve;
  /** Called whenever the number of clients has changed. */
  readonly onClients: () => void;
}

/** Takes sockets, lets in who proves to be this user, and keeps the list of who is there. */
export class GatewayServer implements Disposable {
  readonly #options: GatewayServerOptions;
  readonly #connections = new Map<string, ClientConnection>();
  readonly #strangers = new Set<net.Socket>();
  #heartbeat: Disposable;

  constructor(options: GatewayServerOptions) {
    this.#options = options;
    this.#heartbeat = this.#nextHeartbeat();
  }

  get connections(): number {
    return this.#connections.size;
  }

  accept(socket: net.Socket): void {
    socket.on('error', () => undefined);
    // The oldest one has had its time: silent strangers never keep a client out.
    const [oldest] = this.#strangers;
    if (this.#strangers.size >= LIMITS.connections) oldest?.destroy();
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
    readFirstFrame(socket, this.#options.clock).then(
      (first) => this.#greet(socket, first),
      (error: Error) => {
        if (!socket.destroyed) this.#options.logger.warn(`a connection was refused: ${error.message}`);
        socket.destroy();
      },
    );
  }

  broadcast<N extends NotificationName>(method: N, params: Notifications[N]): void {
    for (const connection of this.#connections.values()) connection.notify(method, params);
  }

  dispose(): void {
    this.#heartbeat.dispose();
    for (const socket of this.#strangers) socket.destroy();
    for (const connection of this.#connections.values()) {
      this.#options.hub.drop(connection);
      // Ends what waits while the core can still answer it.
      connection.dispose();
      connection.channel.end();
    }
    this.#connections.clear();
  }

  #greet(socket: net.Socket, first: FirstFrame): void {
    const id = (first.message as { id?: unknown } | null)?.id;
    this.#strangers.delete(socket);
    try {
      const client = authenticate(first.message, this.#options.token);
      if (this.#connections.size >= LIMITS.connections) throw new AttacheError('too_many_connections');
      this.#admit(socket, first, client);
    } catch (error) {
      const answer = error instanceof AttacheError ? refusal(error) : error instanceof ResponseError ? error : internalError();
      this.#options.logger.warn(`a connection was refused: ${answer.message}`);
      endSocket(socket, this.#options.clock, errorAnswer(id, answer));
    }
  }

  #admit(socket: net.Socket, first: FirstFrame, { principal, protocolVersions }: Authenticated): void {
    const { core, hub, clock, logger, serve } = this.#options;
    const version = negotiate(protocolVersions);
    const connection = new ClientConnection({
      channel: new SocketChannel({ socket, decoder: first.decoder, clock }),
      principal,
      newestVersion: Math.max(...protocolVersions),
      restricted: version === null,
      serve,
      hear: hearNotifications(hub),
      logger,
    });
    this.#connections.set(connection.id, connection);
    const id = (first.message as { id?: unknown }).id;
    socket.write(encodeFrame(version === null ? errorAnswer(id, refusal(unsupported())) : { jsonrpc: '2.0', id, result: helloResult(core, version, connection) }));
    connection.listen(() => this.#left(connection));
    this.#options.onClients();
  }

  #left(connection: ClientConnection): void {
    if (!this.#connections.delete(connection.id)) return;
    this.#options.hub.drop(connection);
    this.#options.core.connectionClosed(connection.id);
    this.#options.onClients();
  }

  #nextHeartbeat(): Disposable {
    return this.#options.clock.setTimeout(() => {
      this.#heartbeat = this.#nextHeartbeat();
      for (const connection of this.#connections.values()) {
        this.#options.hub.endSlow(connection);
        if (!connection.channel.isSlow) connection.notify('gateway/heartbeat', { epoch: this.#options.core.epoch, heads: this.#options.hub.heads(connection) });
      }
    }, LIMITS.heartbeatMs);
  }
}

const helloResult = (core: GatewayCore, protocolVersion: number, { principal }: ClientConnection): HelloResult => ({
  protocolVersion,
  gatewayId: core.gatewayId,
  epoch: core.epoch,
  limits: LIMITS,
  features: FEATURES,
  workspaces: principal.workspaces,
});

const unsupported = (): AttacheError =>
  new AttacheError('unsupported_version', { entity: { protocolRange: [Math.min(...PROTOCOL_VERSIONS), Math.max(...PROTOCOL_VERSIONS)] } });
