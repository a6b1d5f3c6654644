import { FrameDecoder } from '../../connector/frames.ts';
import { LIMITS } from '../../protocol/limits.ts';

/** `shutdown` and `exit` are never longer than this. */
const SHORT_BYTES = 500;

/** Looks on while a client's bytes pass by, to know what LSP wants of the exit code: only `exit` after `shutdown` is a clean end. */
export class ExitWatch {
  readonly #decoder = new FrameDecoder(LIMITS.frameBytes);
  #blind = false;
  shutdown = false;
  exit = false;

  see(chunk: Buffer): void {
    if (this.#blind) return;
    try {
      this.#decoder.push(chunk);
      for (let body = this.#decoder.next(); body !== null; body = this.#decoder.next()) this.#look(body);
    } catch {
      // The gateway closes the link on what it cannot read.
      this.#blind = true;
    }
  }

  #look(body: Buffer): void {
    if (body.length > SHORT_BYTES) return;
    const { method } = (JSON.parse(body.toString('utf8')) ?? {}) as { method?: unknown };
    if (method === 'shutdown') this.shutdown = true;
    if (method === 'exit') this.exit = true;
  }
}
