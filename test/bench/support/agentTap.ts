import type { ChildProcess } from 'node:child_process';

/** Notes on an agent's pipes when a prompt goes in and when the first of its answer comes out: the time between the two is the agent's own. */
export class AgentTap {
  #promptAt = Number.NaN;
  #firstAt = Number.NaN;

  /** Of the last turn. */
  get agentMs(): number {
    return this.#firstAt - this.#promptAt;
  }

  watch({ stdin, stdout }: Pick<ChildProcess, 'stdin' | 'stdout'>): void {
    if (stdin === null || stdout === null) throw new Error('the agent process has no pipes');
    const write = stdin.write.bind(stdin) as (...args: unknown[]) => boolean;
    stdin.write = (...args: unknown[]): boolean => {
      if (Buffer.from(args[0] as string | Uint8Array).includes('"session/prompt"')) [this.#promptAt, this.#firstAt] = [performance.now(), Number.NaN];
      return write(...args);
    };
    // In front of whoever reads, and without making it flow.
    stdout.prependListener('data', (chunk: Buffer) => {
      if (Number.isNaN(this.#firstAt) && chunk.includes('"agent_message_chunk"')) this.#firstAt = performance.now();
    });
  }
}
