import assert from 'node:assert/strict';
import type { Readable, Writable } from 'node:stream';
import { createMessageConnection, NullLogger, StreamMessageReader, StreamMessageWriter, type MessageConnection } from 'vscode-jsonrpc/node';
import { gatewayCalls, type GatewayCalls } from '../../src/client/gatewayClient.ts';
import { connectOnly, type GatewayConnection, type Identity } from '../../src/connector/connect.ts';
import { jsonRpcPeer, type JsonRpcPeer } from '../../src/connector/jsonRpcPeer.ts';
import type { ClientKind, HelloResult } from '../../src/protocol/envelope.ts';
import { clientId, type ClientId } from '../../src/protocol/ids.ts';
import { methods, type MethodName, type ParamsOf, type ResultOf } from '../../src/protocol/methods.ts';
import type { Notifications } from '../../src/protocol/subscription/commands.ts';
import { notifications } from '../../src/protocol/subscription/notifications.ts';
import { eventually } from './eventually.ts';

export interface TestClientOptions {
  readonly kind?: ClientKind;
  readonly folders?: readonly string[];
  readonly trusted?: boolean;
  readonly clientId?: string;
  readonly windowId?: string;
}

/** Everything a client got for one subscription, in the order it came. */
export type Batch = Notifications['event/batch'];

interface PumpLike {
  readonly process: { readonly stdout: Readable; readonly stdin: Writable };
  kill(): void;
}

/** What a client is made of; a pump has the socket and the answer to hello for itself. */
type Link = Pick<GatewayConnection, 'reader' | 'writer' | 'dispose'> & Partial<Pick<GatewayConnection, 'socket' | 'hello'>>;

let clients = 0;

/** A client over the gateway's real socket that checks every answer against the contract and for secrets. */
export class TestClient implements Pick<GatewayCalls, 'call'> {
  readonly clientId: ClientId;
  readonly peer: JsonRpcPeer;
  readonly rpc: MessageConnection;
  readonly batches: Batch[] = [];
  readonly #unexpected: string[] = [];
  readonly #hello: HelloResult | undefined;
  readonly #connection: Link;
  readonly #calls: GatewayCalls;

  static async connect(dataRoot: string, options: TestClientOptions = {}): Promise<TestClient> {
    const id = clientId.parse(options.clientId ?? `client-${++clients}`);
    const hello: Identity = {
      clientId: id,
      ...(options.windowId === undefined ? {} : { windowId: clientId.parse(options.windowId) }),
      kind: options.kind ?? 'editor',
      workspaces: (options.folders ?? []).map((path) => ({ path, trusted: options.trusted ?? true })),
    };
    const client = new TestClient(id, await connectOnly({ dataRoot, hello }));
    // As every LSP client does before anything else.
    if (options.kind === 'lsp') await client.raw('initialize', { processId: null, rootUri: null, capabilities: {} });
    return client;
  }

  /** Over the stdio of a pump, which says hello and names itself. */
  static async overPump(pump: PumpLike): Promise<TestClient> {
    const { stdout, stdin } = pump.process;
    const client = new TestClient(clientId.parse('pump'), { reader: new StreamMessageReader(stdout), writer: new StreamMessageWriter(stdin), dispose: () => pump.kill() });
    await client.raw('initialize', { processId: null, rootUri: null, capabilities: {} });
    return client;
  }

  constructor(id: ClientId, connection: Link) {
    this.clientId = id;
    this.#hello = connection.hello;
    this.#connection = connection;
    this.rpc = createMessageConnection(connection.reader, connection.writer, NullLogger);
    this.peer = jsonRpcPeer(this.rpc);
    this.#calls = gatewayCalls(this.peer);
    this.#calls.on('event/batch', (batch) => {
      this.batches.push(batch);
      // As a client must that wants more than a few thousand events.
      this.#calls.notify('event/ack', { subscriptionId: batch.subscriptionId, deliverySeq: batch.deliverySeq });
      const { error } = notifications['event/batch'].safeParse(batch);
      if (error !== undefined) this.#unexpected.push(error.message);
    });
    this.rpc.listen();
  }

  get hello(): HelloResult {
    if (this.#hello === undefined) throw new Error('the pump keeps the answer to hello to itself');
    return this.#hello;
  }

  get on(): GatewayCalls['on'] {
    return this.#calls.on;
  }

  get notify(): GatewayCalls['notify'] {
    return this.#calls.notify;
  }

  async call<M extends MethodName>(method: M, params: ParamsOf<M>, signal?: AbortSignal): Promise<ResultOf<M>> {
    const result = await this.#calls.call(method, params, signal);
    const parsed = methods[method].result.safeParse(result);
    assert.ok(parsed.success, `${method} answers as the contract says: ${parsed.error?.message}`);
    assert.doesNotMatch(JSON.stringify(result), /ginst_/, `${method} does not give away a goal instance`);
    return result;
  }

  /** A request beside the protocol. */
  raw(method: string, params: unknown): Promise<unknown> {
    return this.peer.request(method, params);
  }

  /** All events of one subscription so far. */
  events(subscriptionId: string): Batch['events'] {
    assert.deepEqual(this.#unexpected, [], 'events are as the contract says');
    return this.batches.filter((batch) => batch.subscriptionId === subscriptionId).flatMap(({ events }) => events);
  }

  /** Waits for an event of a subscription and gives it back. */
  async event<T extends Batch['events'][number]['type']>(subscriptionId: string, type: T, also: (event: Extract<Batch['events'][number], { type: T }>) => boolean = () => true): Promise<Extract<Batch['events'][number], { type: T }>> {
    type Wanted = Extract<Batch['events'][number], { type: T }>;
    return eventually(`event ${type}`, () => this.events(subscriptionId).find((event): event is Wanted => event.type === type && also(event as Wanted)));
  }

  /** Cuts the link without a word. */
  close(): void {
    this.#connection.dispose();
  }

  get socket(): GatewayConnection['socket'] {
    if (this.#connection.socket === undefined) throw new Error('the socket is the pump’s');
    return this.#connection.socket;
  }
}
