import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pageHtml } from './pageHtml.ts';

const dist = path.resolve(import.meta.dirname, '../../../dist');
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
const FILES: ReadonlySet<string> = new Set(['chat.js', 'highlight.js', 'later.js', 'chat.css', 'codicon.css', 'codicon.ttf']);

export interface PanelServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the built page on loopback, the way the extension serves it to its webview. */
export async function startPanelServer(folder = dist): Promise<PanelServer> {
  const server = http.createServer((request, response) => {
    void answer(request.url ?? '/', folder).then(({ type, body, headers }) => {
      response.writeHead(body === null ? 404 : 200, { 'content-type': type, ...headers }).end(body ?? '');
    });
  });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => {
      server.close(() => { resolve(); });
      server.closeAllConnections();
    }),
  };
}

interface Answer {
  readonly type: string;
  readonly body: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

async function answer(url: string, folder: string): Promise<Answer> {
  const { pathname, searchParams, origin } = new URL(url, 'http://127.0.0.1');
  if (pathname === '/') {
    const { html, policy } = await pageHtml(searchParams.get('theme') ?? 'dark', origin, searchParams.get('language') ?? 'en');
    return { type: 'text/html; charset=utf-8', body: html, headers: { 'content-security-policy': policy } };
  }
  const name = pathname.slice(1);
  const body = FILES.has(name) ? await fs.readFile(path.join(folder, name)) : null;
  return { type: TYPES[path.extname(name)] ?? 'text/plain', body, headers: {} };
}
