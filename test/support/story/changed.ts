import { Deferred } from '../../../src/base/deferred.ts';

const LOOK_AGAIN_MS = 50;

/** Wakes whoever waits for the next change; after a moment also without one, for what is changed elsewhere. */
export class Changed {
  #next = new Deferred<void>();

  fire(): void {
    this.#next.resolve();
    this.#next = new Deferred();
  }

  async next(): Promise<void> {
    const timer = setTimeout(() => this.fire(), LOOK_AGAIN_MS);
    await this.#next.promise;
    clearTimeout(timer);
  }
}
