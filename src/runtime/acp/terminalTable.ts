import type { GuardedTerminal } from '../../execution/plane.ts';
import { AttacheError } from '../../protocol/errors.ts';

/** So many ended ones are kept for an agent that never lets go of them: each holds its output. */
const maxEnded = 50;

/** The terminals of one agent, by the ids that were given to it. */
export class TerminalTable {
  readonly #terminals = new Map<string, GuardedTerminal>();
  #count = 0;

  add(terminal: GuardedTerminal): string {
    this.#count += 1;
    const id = `terminal-${String(this.#count)}`;
    this.#forgetOldest();
    this.#terminals.set(id, terminal);
    return id;
  }

  get(id: unknown): GuardedTerminal {
    const terminal = typeof id === 'string' ? this.#terminals.get(id) : undefined;
    if (terminal === undefined) throw new AttacheError('not_found', { message: 'There is no such terminal; it may have been released.' });
    return terminal;
  }

  async release(id: unknown): Promise<void> {
    const terminal = this.get(id);
    this.#terminals.delete(String(id));
    await terminal.release();
  }

  #forgetOldest(): void {
    const ended = [...this.#terminals].filter(([, terminal]) => !terminal.isRunning);
    for (const [id] of ended.slice(0, Math.max(0, ended.length - maxEnded + 1))) this.#terminals.delete(id);
  }
}
