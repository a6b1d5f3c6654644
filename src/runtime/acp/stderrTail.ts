import type { Readable } from 'node:stream';

const maxLines = 40;
const maxLineChars = 500;

/** The last lines of a process's stderr, redacted as they come. */
export class StderrTail {
  readonly #lines: string[] = [];
  #rest = '';

  constructor(stream: Readable | null, redact: (line: string) => string, log: (line: string) => void) {
    const decoder = new TextDecoder();
    stream?.on('error', () => undefined);
    stream?.on('data', (bytes: Uint8Array) => {
      const lines = (this.#rest + decoder.decode(bytes, { stream: true })).split('\n');
      this.#rest = (lines.pop() ?? '').slice(-8 * maxLineChars);
      for (const line of lines) this.#add(redact(line.trimEnd()), log);
    });
    stream?.once('close', () => {
      if (this.#rest !== '') this.#add(redact(this.#rest), log);
      this.#rest = '';
    });
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  #add(line: string, log: (line: string) => void): void {
    if (line === '') return;
    const shown = line.slice(0, maxLineChars);
    log(shown);
    this.#lines.push(shown);
    if (this.#lines.length > maxLines) this.#lines.shift();
  }
}
