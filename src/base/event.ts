import { toDisposable, type Disposable } from './disposable.ts';

export type Listener<T> = (value: T) => void;
export type Event<T> = (listener: Listener<T>) => Disposable;

/** A synchronous event. A listener that throws does not keep the others from being called; the first error is rethrown at the end. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<Listener<T>>();

  readonly event: Event<T> = (listener) => {
    const own: Listener<T> = (value) => listener(value);
    this.#listeners.add(own);
    return toDisposable(() => this.#listeners.delete(own));
  };

  fire(value: T): void {
    const errors: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
