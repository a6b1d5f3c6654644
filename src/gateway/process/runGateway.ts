import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type net from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Deferred } from '../../base/deferred.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { dataRootPaths, ensurePrivateFolder, type DataRootPaths } from '../../connector/dataRoot.ts';
import { GATEWAY_EXIT } from '../../connector/exitCodes.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { PRODUCT_VERSION, PROTOCOL_VERSIONS } from '../../protocol/version.ts';
import type { GatewayCore } from '../core.ts';
import { gatewayRequests } from '../server/gatewayRequests.ts';
import { GatewayServer } from '../server/gatewayServer.ts';
import { lspSide } from '../server/lspRequests.ts';
import { requestHandlers, subscriptionHandlers, type ExtraHandlers } from '../server/requestHandlers.ts';
import { SubscriptionHub } from '../server/subscriptionHub.ts';
import { Drain } from './drain.ts';
import { chooseEndpoint, listen } from './endpoint.ts';
import { IdleExit } from './idleExit.ts';
import { IdleMemory, type Collect } from './idleMemory.ts';
import { acquireInstanceLock } from './instanceLock.ts';
import { logFile, logLevel } from './logFile.ts';
import { readFloor, removeDescriptor, writeDescriptor, writeFloor, writeToken } from './privateFiles.ts';

/** What a core is opened with; it raises the durable epoch before anybody can connect. */
export interface CoreEnvironment {
  readonly dataRoot: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface GatewayProcessOptions {
  readonly dataRoot: string;
  readonly clock: Clock;
  readonly openCore: (environment: CoreEnvironment) => GatewayCore;
  /** Requests that only a composition root for tests offers. */
  readonly extra?: ExtraHandlers;
  /** Gets each new socket before anything is read from it: where a test watches, delays or breaks links. */
  readonly onSocket?: (socket: net.Socket) => void;
}

/** Is the one gateway of a data root until it is told to stop or idles out. Resolves with the exit code of the process. */
export async function runGateway(options: GatewayProcessOptions): Promise<number> {
  process.umask(0o077);
  const paths = dataRootPaths(options.dataRoot);
  let lock: Disposable | null;
  try {
    ensurePrivateFolder(paths.root);
    lock = acquireInstanceLock(paths.lock);
  } catch (error) {
    return failed(error);
  }
  if (lock === null) return GATEWAY_EXIT.lostRace;
  const owned = new DisposableStore();
  owned.add(lock);
  const logger = logFile(paths.log, logLevel(process.env['ATTACHE_LOG']));
  owned.add(onCrash((error) => logger.error(`the gateway crashed: ${error.stack ?? error.message}`)));
  try {
    if (readFloor(paths) > Math.max(...PROTOCOL_VERSIONS)) throw new AttacheError('gateway_outdated');
    const reason = await serve({ ...options, paths, logger }, owned);
    logger.info(`the gateway ends: ${reason}`);
    return GATEWAY_EXIT.done;
  } catch (error) {
    logger.error(`the gateway cannot run: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return failed(error);
  } finally {
    owned.dispose();
  }
}

/** Says it to whoever started the process. */
function failed(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return exitCodeOf(error);
}

interface Serving extends GatewayProcessOptions {
  readonly paths: DataRootPaths;
  readonly logger: Logger;
}

/** Opens the store, listens, says where, and waits for a reason to stop. What it opened is closed by `owned`, last first. */
async function serve({ dataRoot, clock, openCore, extra = {}, onSocket, paths, logger }: Serving, owned: DisposableStore): Promise<string> {
  const stopped = new Deferred<string>();
  const stop = (reason: string): void => stopped.resolve(reason);
  const core = owned.add(openCore({ dataRoot, clock, logger }));
  const hub = owned.add(new SubscriptionHub(core));
  const drain = owned.add(new Drain({ core, clock, onDone: () => stop('it was drained for a newer version') }));
  const handlers = gatewayRequests({
    core,
    startedAt: clock.now(),
    connections: () => server.connections,
    stop,
    drain: (floor) => {
      writeFloor(paths, floor);
      drain.start();
      server.broadcast('gateway/draining', { minGatewayVersion: floor });
    },
  });
  const token = randomBytes(32).toString('hex');
  const lsp = owned.add(lspSide(core));
  const memory = owned.add(new IdleMemory({ clock, collect: (globalThis as { gc?: Collect }).gc, isBusy: () => core.counts().liveTurns > 0 }));
  const requests = memory.watch(lsp.guard(requestHandlers({ core, server: { ...handlers, ...subscriptionHandlers(hub) }, extra: { ...lsp.requests, ...extra } })));
  const server: GatewayServer = owned.add(new GatewayServer({ core, hub, token, clock, logger, serve: requests, onClients: () => idle.restart() }));
  const idle: IdleExit = owned.add(new IdleExit({ core, clock, connections: () => server.connections, onIdle: () => stop('nobody uses it') }));
  const accept = (socket: net.Socket): void => {
    onSocket?.(socket);
    server.accept(socket);
  };
  await announce({ paths, core, token, accept, owned });
  logger.info(`the gateway listens: pid ${process.pid}, epoch ${core.epoch}, version ${PRODUCT_VERSION}, node ${process.versions.node}`);
  owned.add(onSignals(stop));
  const reason = await stopped.promise;
  // The command that led to it has been carried out: its answer still goes out.
  await new Promise((resolve) => setImmediate(resolve));
  return reason;
}

interface Announcing {
  readonly paths: DataRootPaths;
  readonly core: GatewayCore;
  readonly token: string;
  readonly accept: (socket: net.Socket) => void;
  readonly owned: DisposableStore;
}

async function announce({ paths, core, token, accept, owned }: Announcing): Promise<void> {
  writeToken(paths, token);
  const endpoint = chooseEndpoint(paths.root);
  const listener = await listen(endpoint, accept);
  owned.add({ dispose: () => closeListener(listener, endpoint) });
  writeDescriptor(paths, {
    gatewayId: core.gatewayId,
    epoch: core.epoch,
    pid: process.pid,
    processStart: Math.round(Date.now() - process.uptime() * 1000),
    endpoint,
    protocolRange: [Math.min(...PROTOCOL_VERSIONS), Math.max(...PROTOCOL_VERSIONS)],
    version: PRODUCT_VERSION,
  });
  owned.add({ dispose: () => removeDescriptor(paths) });
}

function closeListener(listener: net.Server, endpoint: string): void {
  listener.close();
  if (process.platform !== 'win32') fs.rmSync(endpoint, { force: true });
}

/** A window that closes its terminal or process group does not end the gateway; a polite request does. */
function onSignals(stop: (reason: string) => void): { dispose(): void } {
  const onTerm = (): void => stop('it was asked to by a signal');
  const onHangup = (): void => undefined;
  process.on('SIGTERM', onTerm).on('SIGINT', onTerm).on('SIGHUP', onHangup);
  return { dispose: () => void process.off('SIGTERM', onTerm).off('SIGINT', onTerm).off('SIGHUP', onHangup) };
}

/** Only writes it down: a gateway in an unknown state must end. */
function onCrash(report: (error: Error) => void): { dispose(): void } {
  process.on('uncaughtExceptionMonitor', report);
  return { dispose: () => void process.off('uncaughtExceptionMonitor', report) };
}

function exitCodeOf(error: unknown): number {
  if (!(error instanceof AttacheError)) return GATEWAY_EXIT.failed;
  if (error.kind === 'gateway_outdated') return GATEWAY_EXIT.outdated;
  return error.kind === 'store_unreadable' ? GATEWAY_EXIT.storeUnreadable : GATEWAY_EXIT.failed;
}
