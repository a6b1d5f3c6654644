/** Runs async tasks strictly one after the other, in the order they were added. A failed task does not stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T> | T): Promise<T> {
    const result = this.#tail.then(task, task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when everything added so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
