// A scripted ACP agent: `node fakeAgentMain.ts <script.json> <log.jsonl>`. See fakeScript.ts for the script.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { FakePeer, type Reply } from './fakePeer.ts';
import type { FakePrompt, FakeScript, Verbatim } from './fakeScript.ts';
import { playSteps, type StepContext } from './fakeSteps.ts';

const [scriptFile, logFile] = process.argv.slice(2);
if (scriptFile === undefined || logFile === undefined) throw new Error('usage: fakeAgentMain.ts <script.json> <log.jsonl>');
const script = JSON.parse(readFileSync(scriptFile, 'utf8')) as FakeScript;

type Session = { readonly cwd: string; running: AbortController | null };
const sessions = new Map<string, Session>();
let prompts = 0;
let inOrder = 0;

function log(event: string, details: Verbatim = {}): void {
  // One write per line, at once: the log has to hold also what happened just before a crash.
  appendFileSync(logFile ?? '', `${JSON.stringify({ t: Date.now(), pid: process.pid, event, ...details })}\n`);
}

const peer = new FakePeer({
  request: async (method, params) => {
    log('request', { method, params });
    if (script.silent?.includes(method) === true) return 'silent';
    const ms = script.delays?.[method];
    if (ms !== undefined) await delay(ms);
    const error = script.errors?.[method];
    return error === undefined ? answer(method, params) : { error };
  },
  notification: (method, params) => {
    log('notification', { method, params });
    if (method === 'session/cancel') cancel(String(params['sessionId']));
  },
  malformed: (line) => log('malformed', { line: line.slice(0, 500) }),
  closed: () => {
    log('stdin closed');
    if (script.ignoreStdinClose === true) setInterval(() => undefined, 60_000);
    else process.exit(0);
  },
});

async function answer(method: string, params: Verbatim): Promise<Reply> {
  switch (method) {
    case 'initialize':
      return { result: initializeAnswer() };
    case 'session/new':
      return newSession(String(params['cwd']));
    case 'session/load':
    case 'session/resume':
      return restore(method, params);
    case 'session/prompt':
      return prompt(params);
    case 'authenticate':
    case 'session/set_mode':
    case 'session/close':
      return { result: {} };
    case 'session/set_config_option':
      return { result: { configOptions: script.session?.['configOptions'] ?? [] } };
    default:
      return { error: { code: -32601, message: `method not found: ${method}` } };
  }
}

function initializeAnswer(): Verbatim {
  return {
    protocolVersion: 1,
    agentInfo: { name: 'fake-agent', title: 'Fake Agent', version: '1.0.0' },
    agentCapabilities: { loadSession: true },
    authMethods: [],
    ...script.initialize,
  };
}

function newSession(cwd: string): Reply {
  const sessionId = randomUUID();
  sessions.set(sessionId, { cwd, running: null });
  log('session', { sessionId, cwd });
  setImmediate(() => void playSteps(script.afterNew ?? [], context(sessionId, cwd, '')));
  return { result: { sessionId, ...script.session } };
}

async function restore(method: string, params: Verbatim): Promise<Reply> {
  const sessionId = String(params['sessionId']);
  const cwd = String(params['cwd']);
  if (script.loadOnly === 'known' && !seenBefore(sessionId)) {
    return { error: { code: -32002, message: 'Resource not found', data: { sessionId } } };
  }
  sessions.set(sessionId, { cwd, running: null });
  if (method === 'session/load') await playSteps(script.replay ?? [], context(sessionId, cwd, ''));
  return { result: { ...script.session } };
}

/** Over restarts too: the log is the fake agent's only memory. */
function seenBefore(sessionId: string): boolean {
  return existsSync(logFile ?? '') && readFileSync(logFile ?? '', 'utf8').includes(`"event":"session","sessionId":"${sessionId}"`);
}

async function prompt(params: Verbatim): Promise<Reply> {
  const sessionId = String(params['sessionId']);
  const session = sessions.get(sessionId);
  if (session === undefined) return { error: { code: -32002, message: 'Resource not found', data: { sessionId } } };
  const text = promptText(params['prompt']);
  prompts += 1;
  log('prompt', { n: prompts, sessionId, text });
  const running = new AbortController();
  session.running = running;
  const entry = choosePrompt(text);
  const playing = { ...context(sessionId, session.cwd, text), signal: running.signal };
  await playSteps(entry.steps, playing);
  session.running = null;
  const stopReason = running.signal.aborted ? 'cancelled' : (entry.stopReason ?? 'end_turn');
  log('end', { sessionId, stopReason });
  // A real pause, so that the answer is on its way before what comes too late.
  if (entry.afterEnd !== undefined) setTimeout(() => void playSteps(entry.afterEnd ?? [], context(sessionId, session.cwd, text)), 20);
  if (entry.error !== undefined) return { error: entry.error };
  return { result: { stopReason, ...entry.result } };
}

function promptText(blocks: unknown): string {
  if (!Array.isArray(blocks)) return '';
  return blocks.map((block: { text?: unknown }) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

function choosePrompt(text: string): FakePrompt {
  const all = script.prompts ?? [];
  const matching = all.find(({ match }) => match !== undefined && new RegExp(match).test(text));
  if (matching !== undefined) return matching;
  const plain = all.filter(({ match }) => match === undefined);
  inOrder += 1;
  return plain[Math.min(inOrder, plain.length) - 1] ?? { steps: [{ text: 'You said: {{prompt}}' }] };
}

function context(sessionId: string, cwd: string, text: string): StepContext {
  const variables = { prompt: text, cwd, sessionId, n: String(prompts), pid: String(process.pid) };
  return { peer, sessionId, variables, log, signal: new AbortController().signal };
}

function cancel(sessionId: string): void {
  const running = sessions.get(sessionId)?.running;
  const { onCancel = 'obey' } = script;
  if (onCancel === 'obey') running?.abort();
  else if (onCancel !== 'ignore') setTimeout(() => running?.abort(), onCancel.ignoreForMs);
}

log('start', { argv: process.argv.slice(4), cwd: process.cwd() });
if (script.ignoreSigterm === true) process.on('SIGTERM', () => log('sigterm ignored'));
await playSteps(script.onStart ?? [], context('', process.cwd(), ''));
peer.listen();
