import type { Scope } from '../../protocol/subscription/state.ts';
import type { Store } from '../store/store.ts';

/** Events of a scope have the numbers from `scopeNo * SPAN`: one key, in order, without an index. */
const SPAN = 2 ** 32;

/** The key of an event. */
export const keyOf = (scopeNo: number, seq: number): number => scopeNo * SPAN + seq;

/** The number of an event within its scope, from its key. */
export const seqOf = (scopeNo: number, key: number): number => key - scopeNo * SPAN;

/** All keys of a scope lie between these two. */
export const keysOf = (scopeNo: number): readonly [number, number] => [keyOf(scopeNo, 0), keyOf(scopeNo + 1, 0)];

export const scopeKey = (scope: Scope): string => ('session' in scope ? `session:${scope.session}` : `workspace:${scope.workspace}`);

/** How far the log of a scope has come. */
export interface ScopeState {
  readonly scopeNo: number;
  /** The oldest number that can be read. */
  first: number;
  /** The newest number; 0 before the first event. */
  head: number;
  /** Events that are not packed yet, and their size. */
  rows: number;
  rowBytes: number;
  /** Packed events, and their size before they were packed. */
  packed: number;
  packedBytes: number;
}

/** A scope in numbers: what has to be known of it again and again, kept at hand. */
export class Scopes {
  readonly #store: Store;
  readonly #load: (scopeNo: number) => ScopeState;
  readonly #known = new Map<string, ScopeState>();

  constructor(store: Store, load: (scopeNo: number) => ScopeState) {
    this.#store = store;
    this.#load = load;
  }

  find(scope: Scope): ScopeState | undefined {
    const key = scopeKey(scope);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const scopeNo = this.#store.get<{ scopeNo: number }>('SELECT scopeNo FROM scopes WHERE scope = ?', key)?.scopeNo;
    return scopeNo === undefined ? undefined : this.#keep(key, scopeNo);
  }

  findOrAdd(scope: Scope): ScopeState {
    const key = scopeKey(scope);
    return this.find(scope) ?? this.#keep(key, this.#store.insert('scopes', { scope: key }));
  }

  remove(scope: Scope): void {
    const key = scopeKey(scope);
    this.#store.run('DELETE FROM scopes WHERE scope = ?', key);
    this.#known.delete(key);
  }

  /** A transaction was taken back: what is known may never have happened. */
  forget(): void {
    this.#known.clear();
  }

  #keep(key: string, scopeNo: number): ScopeState {
    const state = this.#load(scopeNo);
    this.#known.set(key, state);
    return state;
  }
}
