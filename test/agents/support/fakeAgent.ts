import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeLogEntry, FakeScript } from './fakeScript.ts';

export type FakeAgent = {
  readonly command: string;
  readonly args: readonly string[];
  readonly scriptFile: string;
  readonly logFile: string;
  /** Everything the agent's processes saw so far; several processes may share one log. */
  log(): FakeLogEntry[];
  events(event: string): FakeLogEntry[];
  /** The texts of all prompts, in the order the agent got them. */
  prompts(): string[];
  /** `id=choice` for every permission that was answered, in order. */
  permissions(): string[];
  waitFor(what: string, condition: (log: readonly FakeLogEntry[]) => boolean, ms?: number): Promise<void>;
  /** Takes effect at the next start of the process. */
  rewrite(script: FakeScript): void;
};

/** The project's own Node, since the one that runs a test inside of an editor may be too old for .ts files. */
const node = resolve(import.meta.dirname, '../../../node_modules/.bin/node');
const main = resolve(import.meta.dirname, 'fakeAgentMain.ts');

/** Writes the script into the folder and says how to start the agent; it starts nothing itself. */
export function fakeAgent(script: FakeScript, folder: string, name = 'fake'): FakeAgent {
  const scriptFile = join(folder, `${name}-script.json`);
  const logFile = join(folder, `${name}-log.jsonl`);
  const rewrite = (next: FakeScript): void => writeFileSync(scriptFile, JSON.stringify(next));
  const log = (): FakeLogEntry[] => (existsSync(logFile) ? parseLines(readFileSync(logFile, 'utf8')) : []);
  const events = (event: string): FakeLogEntry[] => log().filter((entry) => entry.event === event);
  rewrite(script);
  return {
    command: node,
    args: [main, scriptFile, logFile],
    scriptFile,
    logFile,
    log,
    events,
    rewrite,
    prompts: () => events('prompt').map((entry) => String(entry['text'])),
    permissions: () => events('permission').map((entry) => `${String(entry['id'])}=${String(entry['choice'])}`),
    waitFor: async (what, condition, ms = 5_000) => {
      const end = Date.now() + ms;
      while (!condition(log())) {
        if (Date.now() > end) throw new Error(`waited ${String(ms)} ms in vain for ${what}; log: ${JSON.stringify(log()).slice(-1_000)}`);
        await delay(20);
      }
    },
  };
}

function parseLines(text: string): FakeLogEntry[] {
  // The last line may still be on its way.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as FakeLogEntry);
}
