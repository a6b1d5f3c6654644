import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { ClientTerminals } from './clientTerminals.ts';

type Answer = RequestPermissionResponse | Promise<RequestPermissionResponse>;

export type AcpClientOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Default: reading, writing and terminals are all offered. */
  readonly capabilities?: ClientCapabilities;
  /** Default: the first option that allows. */
  readonly onPermission?: (request: RequestPermissionRequest) => Answer;
  /** Default: writes to the disk. */
  readonly onWrite?: (path: string, content: string) => Promise<void>;
  /** Called as each comes. */
  readonly onUpdate?: (update: SessionUpdate) => void;
};

export type Received = { readonly method: string; readonly params: unknown };

/**
 * A small recording ACP client: starts one agent process, serves it files and terminals from the disk,
 * and keeps all it was sent, in order. Whoever starts it closes it.
 */
export class AcpClient {
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  /** Every request of the agent. */
  readonly requests: Received[] = [];
  readonly terminals = new ClientTerminals();
  readonly process: ChildProcess;
  readonly connection: ClientConnection;
  readonly #options: AcpClientOptions;
  readonly #stderr: string[] = [];

  constructor(options: AcpClientOptions) {
    this.#options = options;
    this.process = spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.process;
    if (stdin === null || stdout === null || stderr === null) throw new Error('the agent process has no pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => this.#stderr.push(text));
    stdin.on('error', () => undefined);
    const stream = ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>);
    this.connection = this.#app().connect(stream);
  }

  get stderr(): string {
    return this.#stderr.join('');
  }

  async initialize(): Promise<InitializeResponse> {
    const clientCapabilities = this.#options.capabilities ?? {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
    };
    return this.connection.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
  }

  async newSession(): Promise<string> {
    const session = await this.connection.agent.request(methods.agent.session.new, { cwd: this.#options.cwd, mcpServers: [] });
    return session.sessionId;
  }

  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    const blocks: ContentBlock[] = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    return this.connection.agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  async load(sessionId: string): Promise<unknown> {
    return this.connection.agent.request(methods.agent.session.load, { sessionId, cwd: this.#options.cwd, mcpServers: [] });
  }

  /** All text of one kind so far, in order. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk'): string {
    return this.updates
      .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
      .join('');
  }

  updatesOf<Kind extends SessionUpdate['sessionUpdate']>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.updates.filter((update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind);
  }

  async waitFor(what: string, condition: () => boolean, ms = 5_000): Promise<void> {
    const end = Date.now() + ms;
    while (!condition()) {
      if (Date.now() > end) throw new Error(`waited ${String(ms)} ms in vain for ${what}; stderr: ${this.stderr.slice(-500)}`);
      await delay(10);
    }
  }

  /** Closes stdin and waits for the process to end by itself; returns its exit code, null after a kill. */
  async close(graceMs = 5_000): Promise<number | null> {
    this.process.stdin?.end();
    this.terminals.killAll();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const kill = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    await once(this.process, 'exit');
    clearTimeout(kill);
    return this.process.exitCode;
  }

  #app(): ClientApp {
    const { terminal, fs, session } = methods.client;
    return client({ name: 'recording-client' })
      .onNotification(session.update, ({ params: { update } }) => {
        this.updates.push(update);
        this.#options.onUpdate?.(update);
      })
      .onRequest(session.requestPermission, ({ params }) => this.#answer(params))
      .onRequest(fs.readTextFile, async ({ params, method }) => {
        this.requests.push({ method, params });
        return { content: await readOrFail(params.path) };
      })
      .onRequest(fs.writeTextFile, async ({ params, method }) => {
        this.requests.push({ method, params });
        await (this.#options.onWrite ?? writeFile)(params.path, params.content);
        return {};
      })
      .onRequest(terminal.create, ({ params, method }) => {
        this.requests.push({ method, params });
        return this.terminals.create(params);
      })
      .onRequest(terminal.output, ({ params }) => this.terminals.output(params.terminalId))
      .onRequest(terminal.waitForExit, ({ params }) => this.terminals.waitForExit(params.terminalId))
      .onRequest(terminal.kill, ({ params, method }) => {
        this.requests.push({ method, params });
        return this.terminals.kill(params.terminalId);
      })
      .onRequest(terminal.release, ({ params, method }) => {
        this.requests.push({ method, params });
        return this.terminals.kill(params.terminalId);
      });
  }

  #answer(request: RequestPermissionRequest): Answer {
    this.permissions.push(request);
    this.requests.push({ method: methods.client.session.requestPermission, params: request });
    return this.#options.onPermission === undefined ? allow(request) : this.#options.onPermission(request);
  }
}

export function allow(request: RequestPermissionRequest): RequestPermissionResponse {
  return choose(request, 'allow_once');
}

export function choose(request: RequestPermissionRequest, kind: string): RequestPermissionResponse {
  const option = request.options.find((candidate) => candidate.kind === kind);
  if (option === undefined) throw new Error(`no option of kind ${kind} among ${JSON.stringify(request.options)}`);
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

async function readOrFail(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RequestError(-32603, `cannot read ${path}`, String(error));
  }
}
