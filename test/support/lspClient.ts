import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, NullLogger, ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import { encodeFrame, FrameDecoder } from '../../src/connector/frames.ts';
import { eventually } from './eventually.ts';
import type { RawMessage } from './rawClient.ts';

export const GATEWAY_MAIN = path.join(import.meta.dirname, '../../src/gateway/main.ts');

/** `attache-gateway --stdio` as an editor starts it. */
export class Pump {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<number | null>;
  stderr = '';

  constructor(dataRoot: string, args: readonly string[]) {
    this.process = spawn(process.execPath, [GATEWAY_MAIN, '--stdio', '--data-root', dataRoot, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.process.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve) => this.process.once('exit', resolve));
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }
}

export interface Lens {
  readonly range: { readonly start: { readonly line: number; readonly character: number }; readonly end: { readonly line: number; readonly character: number } };
  readonly command: Command;
}

export interface Command {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly Record<string, unknown>[];
}

/** A plain LSP client: it knows nothing of Attaché. */
export class LspClient {
  readonly rpc: MessageConnection;
  /** Every message of the server that was no answer. */
  readonly heard: { readonly method: string; readonly params: unknown }[] = [];

  constructor(pump: Pump, { answersRefresh = true }: { readonly answersRefresh?: boolean } = {}) {
    this.rpc = createMessageConnection(pump.process.stdout, pump.process.stdin, NullLogger);
    this.rpc.onNotification((method, params) => void this.heard.push({ method, params }));
    this.rpc.onRequest((method, params) => {
      this.heard.push({ method, params });
      return answersRefresh ? null : new Promise(() => undefined);
    });
    this.rpc.listen();
  }

  async initialize(capabilities: object = {}): Promise<{ readonly capabilities: Record<string, unknown>; readonly serverInfo: { readonly name: string } }> {
    const result = await this.rpc.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities, workspaceFolders: null });
    await this.rpc.sendNotification('initialized', {});
    return result as Awaited<ReturnType<LspClient['initialize']>>;
  }

  lenses(file: string): Promise<Lens[]> {
    return this.lensesOf(pathToFileURL(file).href);
  }

  lensesOf(uri: string): Promise<Lens[]> {
    return this.rpc.sendRequest('textDocument/codeLens', { textDocument: { uri } });
  }

  execute({ command, arguments: args }: Pick<Command, 'command' | 'arguments'>): Promise<Record<string, unknown>> {
    return this.rpc.sendRequest('workspace/executeCommand', { command, arguments: args });
  }

  /** How a request is refused: the number and our name of it. */
  async refusal(request: Promise<unknown>): Promise<{ readonly code: number; readonly kind: unknown; readonly message: string; readonly entity: unknown }> {
    const error: unknown = await request.then(() => undefined, (thrown: unknown) => thrown);
    if (!(error instanceof ResponseError)) throw new Error('the request was not refused');
    const { kind, entity } = error.data as { kind: unknown; entity: unknown };
    return { code: error.code, kind, message: error.message, entity };
  }
}

/** The same pump by its bytes. */
export class ByteClient {
  readonly received: RawMessage[] = [];
  readonly #pump: Pump;

  constructor(pump: Pump) {
    this.#pump = pump;
    const decoder = new FrameDecoder(64 * 1024 * 1024);
    pump.process.stdout.on('data', (chunk: Buffer) => {
      decoder.push(chunk);
      for (let body = decoder.next(); body !== null; body = decoder.next()) this.received.push(JSON.parse(body.toString()) as RawMessage);
    });
  }

  bytes(bytes: string | Buffer): void {
    this.#pump.process.stdin.write(bytes);
  }

  notify(method: string, params?: unknown): void {
    this.bytes(encodeFrame({ jsonrpc: '2.0', method, params }));
  }

  request(id: number | string, method: string, params?: unknown): Promise<RawMessage> {
    this.bytes(encodeFrame({ jsonrpc: '2.0', id, method, params }));
    return this.answer(id);
  }

  answer(id: number | string): Promise<RawMessage> {
    return eventually(`answer ${id}`, () => this.received.find((message) => message.id === id && message.method === undefined));
  }
}
