import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerMessages } from './modelAnthropic.ts';
import { answerChat } from './modelChat.ts';
import { answerResponses } from './modelResponses.ts';
import type { JsonObject } from './modelWire.ts';

export type ModelLogEntry = Readonly<Record<string, unknown>>;
export type ModelServer = { readonly port: number; close(): Promise<void> };
export type ModelServerOptions = {
  /** Called once per request, before it is answered. */
  readonly log?: (entry: ModelLogEntry) => void;
};

type Log = (entry: ModelLogEntry) => void;

/** A scripted model on loopback with the wire formats of OpenAI (two) and Anthropic. It knows no secret and reaches no network. */
export async function startModelServer({ log = () => undefined }: ModelServerOptions = {}): Promise<ModelServer> {
  const server = createServer((request, response) => {
    handle(request, response, log).catch((error: unknown) => {
      log({ api: 'failed', error: String(error) });
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Answers that hang on purpose would keep it open for ever.
  server.closeAllConnections();
  await closed;
}

async function handle(request: IncomingMessage, response: ServerResponse, log: Log): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const text = await bodyOf(request);
  if (request.method === 'POST' && path.endsWith('/chat/completions')) {
    return answerChat(JSON.parse(text) as JsonObject, response, log);
  }
  if (request.method === 'POST' && path.endsWith('/responses')) {
    return answerResponses(JSON.parse(text) as JsonObject, response, log);
  }
  if (request.method === 'POST' && path.endsWith('/messages')) {
    return answerMessages(JSON.parse(text) as JsonObject, response, log);
  }
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 10 });
  if (path.endsWith('/models')) {
    const model = { id: 'fake-model', object: 'model', owned_by: 'fake', created: 1 };
    return sendJson(response, 200, { object: 'list', data: [model], models: [] });
  }
  log({ api: 'unknown', method: request.method, path });
  sendJson(response, 404, { error: { message: 'not found', type: 'not_found_error' } });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
