/** Something with an end of its own. Disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(action: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      action();
    },
  };
}

/** The one owner of a set of disposables: ends them in reverse order, also those added after its own end. */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of this.#items.splice(0).reverse()) item.dispose();
  }
}
