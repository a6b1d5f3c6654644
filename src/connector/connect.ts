import type net from 'node:net';
import type { MessageReader, MessageWriter } from 'vscode-jsonrpc/node';
import type { AbortSignalLike } from '../base/abort.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { PRODUCT_VERSION, PROTOCOL_VERSIONS } from '../protocol/version.ts';
import type { HelloParams, HelloResult } from '../protocol/envelope.ts';
import { AttacheError } from '../protocol/errors.ts';
import { connectSocket } from './connectSocket.ts';
import { dataRootPaths, ensurePrivateFolder, type DataRootPaths } from './dataRoot.ts';
import { readDescriptor, readToken } from './descriptor.ts';
import { GATEWAY_EXIT } from './exitCodes.ts';
import { FrameReader, FrameWriter } from './frameTransport.ts';
import { sayHello } from './handshake.ts';
import { nextChange } from './nextChange.ts';
import { drainOlder, endIdle, speaksOlder, type Older } from './replaceOlder.ts';
import { spawnGateway, type GatewayCommand, type StartedGateway } from './spawnGateway.ts';
import { isOlderVersion } from './versions.ts';

/** Who connects; the token is read from the data root. */
export type Identity = Omit<HelloParams, 'token' | 'protocolVersions'> & { readonly protocolVersions?: readonly number[] };

export interface ConnectOptions {
  readonly dataRoot: string;
  readonly hello: Identity;
  readonly signal?: AbortSignalLike;
  readonly logger?: Logger;
}

export interface ConnectOrStartOptions extends ConnectOptions {
  readonly spawn: GatewayCommand;
  /** How long a start may take in all. */
  readonly startMs?: number;
  /** The version of the build that `spawn` starts. */
  readonly version?: string;
}

/** An authenticated link. `reader` and `writer` are what a LanguageClient or a MessageConnection takes. */
export interface GatewayConnection {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  readonly socket: net.Socket;
  readonly hello: HelloResult;
  dispose(): void;
}

const START_MS = 20_000;
/** After another starter won, so that losers do not start process after process while the winner gets ready. */
const RESPAWN_MS = 1000;
/** A gateway that has drained an older one starts at once. */
const NEWER_MS = 4000;

/** Connects to the gateway of this data root. Rejects with gateway_unavailable when none answers; starts nothing. */
export async function connectOnly(options: ConnectOptions): Promise<GatewayConnection> {
  const connection = await attempt(dataRootPaths(options.dataRoot), options);
  if (connection === null) throw new AttacheError('gateway_unavailable', { message: 'No gateway is running for this data folder.' });
  return connection;
}

/**
 * Connects to the running gateway, else starts one and connects; of many that start at once all connect to the one that won.
 * A gateway of an older protocol is asked to make room first. One of an older build that speaks the same is replaced if nothing
 * runs in it, and used as it is otherwise: the next window that connects asks again.
 */
export async function connectOrStart(options: ConnectOrStartOptions): Promise<GatewayConnection> {
  try {
    const connection = await startUntilConnected(options);
    return await replaced(connection, options);
  } catch (error) {
    const versions = options.hello.protocolVersions ?? PROTOCOL_VERSIONS;
    if (!speaksOlder(error, versions)) throw named(error);
    options.logger?.info('a gateway of an older protocol is asked to make room');
    await drainOlder(running(options));
    return startUntilConnected(options);
  }
}

/** The given connection, or one to a gateway of this build, which has taken the place of an idle older one. */
async function replaced(connection: GatewayConnection, options: ConnectOrStartOptions): Promise<GatewayConnection> {
  const { version = PRODUCT_VERSION, logger = silentLogger } = options;
  const found = readDescriptor(dataRootPaths(options.dataRoot))?.version ?? version;
  if (!isOlderVersion(found, version)) return connection;
  if (!(await endIdle(running(options)))) {
    logger.warn(`the gateway is of version ${found}, this is ${version}: it is used as long as something runs in it`);
    return connection;
  }
  logger.info(`the gateway of version ${found} has made room for ${version}`);
  connection.dispose();
  return startUntilConnected(options);
}

function running({ dataRoot, hello, signal }: ConnectOptions): Older {
  const paths = dataRootPaths(dataRoot);
  return {
    endpoint: readDescriptor(paths)?.endpoint ?? '',
    hello: { ...hello, protocolVersions: [...(hello.protocolVersions ?? PROTOCOL_VERSIONS)], token: readToken(paths) ?? '' },
    signal,
  };
}

async function startUntilConnected(options: ConnectOrStartOptions): Promise<GatewayConnection> {
  const paths = dataRootPaths(options.dataRoot);
  ensurePrivateFolder(paths.root);
  let deadline = performance.now() + (options.startMs ?? START_MS);
  let failure = unavailable('It did not get ready in time.');
  let started: StartedGateway | null = null;
  let spawnAfter = 0;
  for (;;) {
    const connection = await attempt(paths, options);
    if (connection !== null) return connection;
    const exit = started?.exit() ?? null;
    if (exit !== null) {
      started = null;
      spawnAfter = performance.now() + RESPAWN_MS;
      if (exit.code === GATEWAY_EXIT.outdated) {
        // The newer one whose place this would have been may be on its way, and may speak our version, too.
        [failure, deadline, spawnAfter] = [startFailure(exit), Math.min(deadline, performance.now() + NEWER_MS), Infinity];
      } else if (exit.code !== GATEWAY_EXIT.lostRace && exit.code !== GATEWAY_EXIT.done) throw startFailure(exit);
    }
    if (performance.now() > deadline) throw failure;
    if (started === null && performance.now() >= spawnAfter) {
      options.logger?.info('starting the gateway');
      started = spawnGateway(paths, options.spawn);
    }
    await nextChange(paths.root, started, options.signal);
  }
}

/** Null when nobody listens, or somebody who does not know this token: then another look, or a start, is due. */
async function attempt(paths: DataRootPaths, { hello, signal, logger = silentLogger }: ConnectOptions): Promise<GatewayConnection | null> {
  if (signal?.aborted === true) throw unavailable('The attempt was given up.');
  const token = readToken(paths);
  const descriptor = readDescriptor(paths);
  if (descriptor === null || token === null) return null;
  const socket = await connectSocket(descriptor.endpoint, signal);
  if (socket === null) return null;
  try {
    const result = await sayHello(socket, { ...hello, protocolVersions: [...(hello.protocolVersions ?? PROTOCOL_VERSIONS)], token });
    if (result === null) return null;
    return { reader: new FrameReader(socket), writer: new FrameWriter(socket), socket, hello: result, dispose: () => socket.destroy() };
  } catch (error) {
    socket.destroy();
    // The token is new with every start: it and the descriptor may have been read on both sides of one.
    if (error instanceof AttacheError && error.kind === 'unauthenticated' && readToken(paths) !== token) return null;
    logger.warn(`the gateway refused the connection: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

function startFailure({ code, detail }: { code: number | null; detail: string }): AttacheError {
  if (code === GATEWAY_EXIT.outdated) return new AttacheError('gateway_outdated');
  if (code === GATEWAY_EXIT.storeUnreadable) return new AttacheError('store_unreadable');
  return unavailable(`It ended with code ${code ?? 'none'}${detail === '' ? '.' : `: ${detail}`}`);
}

/** The system's own refusals (a folder that cannot be made, a program that is not there) have no code of ours. */
const named = (error: unknown): AttacheError => (error instanceof AttacheError ? error : unavailable(error instanceof Error ? error.message : String(error)));

const unavailable = (reason: string): AttacheError => new AttacheError('gateway_unavailable', { message: `The gateway could not be started or reached. ${reason}` });
