import { setTimeout as sleep } from 'node:timers/promises';
import { createMessageConnection, NullLogger, type DataCallback, type Disposable as RpcDisposable, type Message, type MessageReader, type MessageWriter } from 'vscode-jsonrpc/node';
import { toDisposable, type Disposable } from '../../src/base/disposable.ts';
import type { RpcPeer } from '../../src/client/rpcPeer.ts';
import { connectOnly, connectOrStart, type GatewayConnection, type Identity } from '../../src/connector/connect.ts';
import type { GatewayCommand } from '../../src/connector/spawnGateway.ts';
import { jsonRpcPeer, type JsonRpcPeer } from '../../src/connector/jsonRpcPeer.ts';
import { AttacheError, type ErrorKind } from '../../src/protocol/errors.ts';

const AGAIN_MS = 10;
/** A gateway that is not there, or only half: its files are those of two runs for a moment. */
const AWAY: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['gateway_unavailable', 'unauthenticated']);

/** Says after which frame a link is cut: counted over all links in one direction. */
export interface CutPlan {
  readonly direction: 'sent' | 'received';
  readonly frame: number;
  /** Also after every further so many frames. */
  readonly again: boolean;
}

/**
 * A peer that outlives its links and cuts them by a plan. As in the product, a request without a link fails as
 * connection_closed and is the caller's to repeat; `relinked` runs on each new link before anything else.
 */
export class CuttingLink implements RpcPeer {
  cuts = 0;
  relinked: () => Promise<unknown> = () => Promise.resolve();
  /** What it starts where there is no gateway; null: it waits for one. */
  starts: GatewayCommand | null = null;
  readonly #dataRoot: string;
  readonly #hello: Identity;
  readonly #plan: CutPlan | null;
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();
  #link: JsonRpcPeer | null = null;
  #cut: () => void = () => undefined;
  #frames = 0;
  #ended = false;
  #epoch = 0;

  constructor(dataRoot: string, hello: Identity, plan: CutPlan | null) {
    this.#dataRoot = dataRoot;
    this.#hello = hello;
    this.#plan = plan;
  }

  /** Connects, and again whenever the link is gone, as soon as there is a gateway. Resolves with the first link. */
  async open(): Promise<void> {
    const connection = await this.#connect();
    if (connection === null) return;
    if (this.#ended) return connection.dispose();
    const { reader, writer, socket } = connection;
    this.#cut = () => socket.destroy();
    const rpc = createMessageConnection(this.#counted(reader), this.#countedWriter(writer), NullLogger);
    const link = jsonRpcPeer(rpc);
    this.#link = link;
    for (const method of this.#listeners.keys()) this.#listenOn(link, method);
    rpc.listen();
    void link.closed.then(() => {
      this.#link = null;
      if (!this.#ended) void this.open();
    });
    // It may be cut right here: then the next link does it.
    await this.relinked().catch(() => undefined);
  }

  /** The epoch of the gateway that the last link was to. */
  get epoch(): number {
    return this.#epoch;
  }

  get isOpen(): boolean {
    return this.#link !== null;
  }

  /** Cuts the present link, by no plan. */
  cut(): void {
    this.#cut();
  }

  end(): void {
    this.#ended = true;
    this.#cut();
  }

  async request(method: string, params: unknown): Promise<unknown> {
    if (this.#link === null) throw new AttacheError('connection_closed');
    return this.#link.request(method, params);
  }

  notify(method: string, params: unknown): void {
    this.#link?.notify(method, params);
  }

  onNotification(method: string, listener: (params: unknown) => void): Disposable {
    const known = this.#listeners.get(method) ?? new Set();
    if (!this.#listeners.has(method) && this.#link !== null) this.#listenOn(this.#link, method);
    this.#listeners.set(method, known.add(listener));
    return toDisposable(() => known.delete(listener));
  }

  /** Null when it was ended meanwhile. */
  async #connect(): Promise<GatewayConnection | null> {
    while (!this.#ended) {
      try {
        const where = { dataRoot: this.#dataRoot, hello: this.#hello };
        const connection = await (this.starts === null ? connectOnly(where) : connectOrStart({ ...where, spawn: this.starts }));
        this.#epoch = connection.hello.epoch;
        return connection;
      } catch (error) {
        if (!(error instanceof AttacheError) || !AWAY.has(error.kind)) throw error;
        await sleep(AGAIN_MS);
      }
    }
    return null;
  }

  /** Whatever a lost link still had in its queue is not heard any more. */
  #listenOn(link: JsonRpcPeer, method: string): void {
    link.onNotification(method, (params) => {
      if (this.#link !== link) return;
      for (const listener of [...(this.#listeners.get(method) ?? [])]) listener(params);
    });
  }

  #count(direction: CutPlan['direction']): void {
    if (this.#plan?.direction !== direction) return;
    this.#frames += 1;
    if (this.#plan.again ? this.#frames % this.#plan.frame !== 0 : this.#frames !== this.#plan.frame) return;
    this.cuts += 1;
    this.#cut();
  }

  #counted(reader: MessageReader): MessageReader {
    return {
      onError: reader.onError,
      onClose: reader.onClose,
      onPartialMessage: reader.onPartialMessage,
      dispose: () => reader.dispose(),
      listen: (callback: DataCallback): RpcDisposable => reader.listen((message) => {
        callback(message);
        this.#count('received');
      }),
    };
  }

  #countedWriter(writer: MessageWriter): MessageWriter {
    return {
      onError: writer.onError,
      onClose: writer.onClose,
      dispose: () => writer.dispose(),
      end: () => writer.end(),
      write: async (message: Message): Promise<void> => {
        await writer.write(message);
        this.#count('sent');
      },
    };
  }
}
