import net from 'node:net';
import { once } from 'node:events';
import fs from 'node:fs';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { encodeFrame, FrameDecoder } from '../../src/connector/frames.ts';
import { HELLO_METHOD } from '../../src/protocol/envelope.ts';
import { eventually } from './eventually.ts';
import type { GatewayHarness } from './gatewayHarness.ts';

export interface RawMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> | null;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** A socket to the gateway that says whatever a test wants, well formed or not. */
export class RawClient {
  readonly socket: net.Socket;
  readonly received: RawMessage[] = [];
  readonly closed: Promise<unknown>;
  isClosed = false;

  static async connect(endpoint: string): Promise<RawClient> {
    const socket = net.connect(endpoint);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  constructor(socket: net.Socket) {
    this.socket = socket;
    const decoder = new FrameDecoder(64 * 1024 * 1024);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      decoder.push(chunk);
      for (let body = decoder.next(); body !== null; body = decoder.next()) this.received.push(JSON.parse(body.toString()) as RawMessage);
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    void this.closed.then(() => {
      this.isClosed = true;
    });
  }

  send(message: unknown): void {
    this.socket.write(encodeFrame(message));
  }

  sendBytes(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  request(id: number, method: string, params: unknown = {}): Promise<RawMessage> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answer(id);
  }

  answer(id: number | string): Promise<RawMessage> {
    return eventually(`answer ${id}`, () => this.received.find((message) => message.id === id && message.method === undefined));
  }
}

export const tokenOf = (gateway: GatewayHarness): string => fs.readFileSync(dataRootPaths(gateway.dataRoot).token, 'utf8');

/** The params of a hello that is right but for what `change` changes. */
export const helloParams = (gateway: GatewayHarness, change: Record<string, unknown> = {}): Record<string, unknown> => ({
  token: tokenOf(gateway),
  clientId: 'raw',
  kind: 'cli',
  protocolVersions: [1],
  workspaces: [],
  ...change,
});

export const helloMessage = (gateway: GatewayHarness, change: Record<string, unknown> = {}): Record<string, unknown> =>
  ({ jsonrpc: '2.0', id: 'hello', method: HELLO_METHOD, params: helloParams(gateway, change) });

/** A raw client that has said hello. */
export async function greeted(gateway: GatewayHarness, change: Record<string, unknown> = {}): Promise<RawClient> {
  const client = await RawClient.connect(gateway.descriptor.endpoint);
  client.send(helloMessage(gateway, change));
  await client.answer('hello');
  return client;
}
