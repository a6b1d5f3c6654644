import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createMessageConnection, NullLogger } from 'vscode-jsonrpc/node';
import type { AbortSignalLike } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AbortSource } from '../../client/abortSource.ts';
import { gatewayCalls, type GatewayCalls } from '../../client/gatewayClient.ts';
import { patientCalls } from '../../client/patientCalls.ts';
import { ResilientLink, type Link } from '../../client/resilientLink.ts';
import { connectOnly, connectOrStart, type GatewayConnection, type Identity } from '../../connector/connect.ts';
import { jsonRpcPeer } from '../../connector/jsonRpcPeer.ts';
import type { GrantedFolder } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { clientId, type ClientId } from '../../protocol/ids.ts';
import { gatewayCommand } from './gatewayCommand.ts';

export interface AttachOptions {
  readonly dataRoot: string;
  readonly cwd: string;
  /** The folder a person named; absent: the nearest known one at or above `cwd`. */
  readonly workspace?: string;
  /** Whether the folder is stated as trusted: without it nothing can be changed. */
  readonly trusted: boolean;
  readonly start: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** A link to the gateway that comes back by itself, and the one folder it may see. */
export interface Attached {
  /** Their canonical name, as in every entity. */
  readonly workspace: string;
  readonly link: ResilientLink;
  /** Calls that wait for a link without end, and repeat themselves with the same keys. */
  readonly calls: GatewayCalls;
  dispose(): void;
}

/** The hello takes 50 folders. */
const SEARCHED = 50;

/** Connects, starting the gateway if that is wanted and needed. The first failure is final; later ones are not. */
export async function attach(options: AttachOptions): Promise<Attached> {
  const id = newClientId();
  const workspace = options.workspace === undefined ? await nearestKnown(options, id) : path.resolve(options.cwd, options.workspace);
  const folders = [{ path: workspace, trusted: options.trusted }];
  let canonical = workspace;
  const link = new ResilientLink({
    clock: options.clock,
    open: async (signal) => {
      const connection = await dial(options, identity(id, folders), signal);
      canonical = connection.hello.workspaces[0]?.path ?? workspace;
      return linkOver(connection);
    },
  });
  await firstUp(link);
  const returning = { isUp: () => link.state.state === 'connected', onOpened: link.onOpened };
  const patient = patientCalls(returning, gatewayCalls(link), { clock: options.clock, patienceMs: null });
  // Where no attempt can help any more, nobody is to go on waiting.
  const over = new AbortSource();
  link.onStateChanged(({ state }) => {
    if (state === 'failed') over.abort();
  });
  const calls: GatewayCalls = { ...patient, call: (method, params, signal) => patient.call(method, params, signal ?? over) };
  return { workspace: canonical, link, calls, dispose: () => link.dispose() };
}

/** One plain connection that sees no folder, to a gateway that runs. */
export async function openLink(dataRoot: string): Promise<{ readonly link: Link; readonly hello: GatewayConnection['hello'] }> {
  const connection = await connectOnly({ dataRoot, hello: identity(newClientId(), []) });
  return { link: linkOver(connection), hello: connection.hello };
}

const newClientId = (): ClientId => clientId.parse(`cli-${randomBytes(6).toString('hex')}`);
const identity = (id: ClientId, workspaces: GrantedFolder[]): Identity => ({ clientId: id, kind: 'cli', workspaces });

/** Only when nobody answers, or somebody of an older version, is starting one looked into: that takes longer. */
async function dial(options: AttachOptions, hello: Identity, signal?: AbortSignalLike): Promise<GatewayConnection> {
  const { dataRoot, start, env } = options;
  const connect = { dataRoot, hello, ...(signal === undefined ? {} : { signal }) };
  try {
    return await connectOnly(connect);
  } catch (error) {
    const mayHelp = error instanceof AttacheError && (error.kind === 'gateway_unavailable' || error.kind === 'unsupported_version');
    if (!mayHelp || !start) throw error;
    return connectOrStart({ ...connect, spawn: gatewayCommand(dataRoot, env) });
  }
}

function linkOver(connection: GatewayConnection): Link {
  const rpc = createMessageConnection(connection.reader, connection.writer, NullLogger);
  const peer = jsonRpcPeer(rpc);
  rpc.listen();
  return {
    request: (method, params, signal) => peer.request(method, params, signal),
    notify: (method, params) => peer.notify(method, params),
    onNotification: (method, listener) => peer.onNotification(method, listener),
    closed: peer.closed,
    close: () => {
      connection.dispose();
      rpc.dispose();
    },
  };
}

async function firstUp(link: ResilientLink): Promise<void> {
  const settled = new Promise<void>((resolve, reject) => {
    const listening = link.onStateChanged((state) => {
      if (state.state === 'connecting') return;
      listening.dispose();
      if (state.state === 'connected') resolve();
      else reject(state.failure ?? new AttacheError('connection_closed'));
    });
  });
  link.start();
  try {
    await settled;
  } catch (error) {
    link.dispose();
    throw error;
  }
}

/** The nearest folder at or above this one in which there is a goal or a session; this one where there is none. Looks without any trust. */
async function nearestKnown(options: AttachOptions, id: ClientId): Promise<string> {
  const cwd = realPath(options.cwd);
  const named = options.env['ATTACHE_WORKSPACE'];
  if (named !== undefined && named !== '' && ancestors(cwd).includes(realPath(named))) return realPath(named);
  const folders = ancestors(cwd).slice(0, SEARCHED);
  const connection = await dial(options, identity(id, folders.map((folder) => ({ path: folder, trusted: false }))));
  const link = linkOver(connection);
  try {
    const calls = gatewayCalls(link);
    for (const { path: workspace } of connection.hello.workspaces) {
      const [{ goals }, { sessions }] = await Promise.all([calls.call('goal/list', { workspace }), calls.call('session/list', { workspace, includeClosed: true, limit: 1 })]);
      if (goals.length > 0 || sessions.length > 0) return workspace;
    }
    return cwd;
  } finally {
    link.close();
  }
}

/** A folder and all above it, the nearest first. */
export function ancestors(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

function realPath(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
