import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakePeer, Reply } from './fakePeer.ts';
import type { PermissionStep, Step, TerminalStep, TextStep, Verbatim } from './fakeScript.ts';

export type StepContext = {
  readonly peer: FakePeer;
  readonly sessionId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Aborts when the agent obeys a cancel. */
  readonly signal: AbortSignal;
  log(event: string, details?: Verbatim): void;
};

/** Plays steps one after the other; ends early, without an error, when the signal aborts. */
export async function playSteps(steps: readonly Step[], context: StepContext): Promise<void> {
  for (const step of steps) {
    if (context.signal.aborted) return;
    await playStep(fill(step, context.variables), context);
  }
}

type AllKeys<T> = T extends unknown ? keyof T : never;
type Value<Key extends AllKeys<Step>> = Extract<Step, Record<Key, unknown>>[Key];
type Player<Key extends AllKeys<Step>> = (value: Value<Key>, context: StepContext) => Promise<void> | void;

const players: { readonly [Key in AllKeys<Step>]: Player<Key> } = {
  text: (value, context) => speak('agent_message_chunk', value, context),
  thought: (value, context) => speak('agent_thought_chunk', value, context),
  lines: async ({ count, delayMs = 0, size = 0, prefix = 'line ' }, context) => {
    const chunks = Array.from({ length: count }, (_, index) => `${`${prefix}${String(index + 1)}`.padEnd(size, '.')}\n`);
    await speak('agent_message_chunk', { chunks, delayMs }, context);
  },
  plan: (entries, context) => {
    const plan = entries.map(([content, status, priority = 'medium']) => ({ content, status, priority }));
    update(context, { sessionUpdate: 'plan', entries: plan });
  },
  toolCall: (value, context) => update(context, { sessionUpdate: 'tool_call', ...value }),
  toolUpdate: (value, context) => update(context, { sessionUpdate: 'tool_call_update', ...value }),
  update: (value, context) => update(context, value),
  permission: (value, context) => askPermission(value, '1', context),
  permissions: async ({ requests, gapMs = 0 }, context) => {
    const asked = requests.map(async (request, index) => {
      if (gapMs > 0) await delay(gapMs * index);
      await askPermission(request, String(index + 1), context);
    });
    await Promise.all(asked);
  },
  read: (params, context) => ask('read', 'fs/read_text_file', params, context),
  write: (params, context) => ask('write', 'fs/write_text_file', params, context),
  applyWrite: ({ path, content }, { log }) => {
    writeFileSync(path, content);
    log('applied', { path });
  },
  terminal: runTerminal,
  request: async ({ id, method, params, noWait }, context) => {
    const answer = request(context, id ?? method, method, params as Verbatim);
    if (noWait !== true) await answer;
  },
  notify: ({ method, params }, { peer }) => peer.notify(method, params),
  sleep: (ms, { signal }) => pause(ms, signal),
  hang: (_value, { signal }) => pause(2 ** 31 - 1, signal),
  crash: async ({ code, signal }) => {
    if (signal !== undefined) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
    await delay(60_000);
  },
  spawnChild: spawnChild,
  raw: (line, { peer }) => peer.raw(line),
  stderr: (text) => void process.stderr.write(`${text}\n`),
  hugeText: (size, context) => update(context, chunk('agent_message_chunk', 'x'.repeat(size))),
  repeat: async ({ times, steps }, context) => {
    for (let i = 1; i <= times; i += 1) {
      await playSteps(steps, { ...context, variables: { ...context.variables, i: String(i) } });
    }
  },
  parallel: async (branches, context) => {
    await Promise.all(branches.map((steps) => playSteps(steps, context)));
  },
};

async function playStep(step: Step, context: StepContext): Promise<void> {
  const [key] = Object.keys(step);
  if (key === undefined || !Object.hasOwn(players, key)) throw new Error(`unknown step ${JSON.stringify(step)}`);
  const player = players[key as AllKeys<Step>] as (value: unknown, context: StepContext) => Promise<void> | void;
  await player((step as Record<string, unknown>)[key], context);
}

function update({ peer, sessionId }: StepContext, value: Verbatim): void {
  peer.notify('session/update', { sessionId, update: value });
}

function chunk(sessionUpdate: string, text: string, messageId?: string): Verbatim {
  return { sessionUpdate, content: { type: 'text', text }, ...(messageId === undefined ? {} : { messageId }) };
}

async function speak(kind: string, value: string | TextStep, context: StepContext): Promise<void> {
  const { chunks, delayMs = 0, messageId } = typeof value === 'string' ? { chunks: [value] } : value;
  for (const [index, text] of chunks.entries()) {
    if (delayMs > 0 && index > 0) await pause(delayMs, context.signal);
    if (context.signal.aborted) return;
    update(context, chunk(kind, text, messageId));
  }
}

async function request(context: StepContext, id: string, method: string, params: Verbatim): Promise<Reply> {
  const reply = await context.peer.request(method, { sessionId: context.sessionId, ...params });
  context.log('answer', { id, method, ...reply });
  return reply;
}

async function ask(id: string, method: string, params: Verbatim, context: StepContext): Promise<void> {
  await request(context, id, method, params);
}

const defaultOptions = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

async function askPermission(step: PermissionStep, number: string, context: StepContext): Promise<void> {
  const id = step.id ?? number;
  const params = { toolCall: step.toolCall ?? { toolCallId: id }, options: step.options ?? defaultOptions };
  context.log('asked', { id });
  const reply = await context.peer.request('session/request_permission', { sessionId: context.sessionId, ...params });
  const choice = choiceOf(reply);
  context.log('permission', { id, choice });
  await playSteps(step.then?.[choice] ?? step.then?.['else'] ?? [], context);
}

/** The optionId, `cancelled`, or `error`. */
function choiceOf(reply: Reply): string {
  if ('error' in reply) return 'error';
  const { outcome } = reply.result as { outcome?: { outcome?: string; optionId?: string } };
  return outcome?.outcome === 'selected' ? (outcome.optionId ?? 'error') : 'cancelled';
}

async function runTerminal(step: TerminalStep, context: StepContext): Promise<void> {
  const { id = 'terminal', toolCallId, killAfterMs, abandon, ...params } = step;
  const created = await request(context, `${id}:create`, 'terminal/create', params);
  if ('error' in created) return;
  const { terminalId } = created.result as { terminalId: string };
  if (toolCallId !== undefined) {
    const content = [{ type: 'terminal', terminalId }];
    update(context, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content });
  }
  if (abandon === true) return;
  if (killAfterMs !== undefined) {
    await pause(killAfterMs, context.signal);
    await request(context, `${id}:kill`, 'terminal/kill', { terminalId });
  }
  await request(context, `${id}:exit`, 'terminal/wait_for_exit', { terminalId });
  await request(context, `${id}:output`, 'terminal/output', { terminalId });
  await request(context, `${id}:release`, 'terminal/release', { terminalId });
}

/** Goes on once both processes are there and in the log. */
async function spawnChild(step: Value<'spawnChild'>, { log }: StepContext): Promise<void> {
  const code = `
    const child = require('node:child_process').spawn('sleep', ['${String(step.seconds ?? 600)}'], { stdio: 'ignore' });
    ${step.ignoreSigterm === true ? "process.on('SIGTERM', () => undefined);" : ''}
    setInterval(() => undefined, 60_000);
    console.log(child.pid);`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'], detached: step.detached === true });
  const [pid] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  log('child', { child: child.pid, grandchild: Number(pid) });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Replaces {{name}} in every text of a step. */
function fill<T>(value: T, variables: Readonly<Record<string, string>>): T {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' ? item.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => variables[name] ?? whole) : item,
  ) as T;
}
