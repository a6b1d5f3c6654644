import { createInterface } from 'node:readline';

type Message = {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
};

export type Reply = { readonly result: unknown } | { readonly error: unknown };
export type Handlers = {
  request(method: string, params: Record<string, unknown>, id: number | string): Promise<Reply | 'silent'>;
  notification(method: string, params: Record<string, unknown>): void;
  malformed(line: string): void;
  closed(): void;
};

/**
 * JSON-RPC over stdio, by hand and without any check: a fake agent has to be able to say what a proper
 * library would refuse.
 */
export class FakePeer {
  readonly #waiting = new Map<number | string, (reply: Reply) => void>();
  readonly #handlers: Handlers;
  #nextId = 1;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  listen(): void {
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => this.#receive(line));
    lines.on('close', () => this.#handlers.closed());
    // The client may be gone first; what is lost then is what the test is about.
    process.stdout.on('error', () => undefined);
  }

  raw(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: '2.0', method, params });
  }

  request(method: string, params: unknown): Promise<Reply> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  #send(message: unknown): void {
    this.raw(JSON.stringify(message));
  }

  #receive(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      this.#handlers.malformed(line);
      return;
    }
    const { id, method, params = {} } = message;
    if (method === undefined) this.#settle(message);
    else if (id === undefined || id === null) this.#handlers.notification(method, params);
    else void this.#answer(id, method, params);
  }

  #settle({ id, result, error }: Message): void {
    if (id === undefined || id === null) return;
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(error === undefined ? { result } : { error });
  }

  async #answer(id: number | string, method: string, params: Record<string, unknown>): Promise<void> {
    const reply = await this.#handlers.request(method, params, id);
    if (reply !== 'silent') this.#send({ jsonrpc: '2.0', id, ...reply });
  }
}
