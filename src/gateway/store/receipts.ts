import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { MethodName, ParamsOf, ResultOf } from '../../protocol/methods.ts';
import { accessTo } from '../admission/access.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import { hashParams } from '../mint.ts';
import type { Store } from './store.ts';
import type { Timeline } from './timeline.ts';

/** Methods whose idempotency key is `commandId`. */
export type ReceiptMethod = { [M in MethodName]: ParamsOf<M> extends { commandId: string } ? M : never }[MethodName];

/** What a command answers, and the folder it was about. */
export interface Answer<R> {
  readonly workspace: string;
  readonly result: R;
}

interface ReceiptRow {
  readonly method: string;
  readonly paramsHash: string;
  readonly workspace: string;
  /** JSON; empty once the answer was forgotten and only the key is known. */
  readonly result: string;
  /** On the gateway's timeline. */
  readonly at: number;
}

/** Commands that are carried out once per (client, commandId). The answer is stored in the transaction of its effect; a refusal never is. */
export class Receipts {
  readonly #store: Store;
  readonly #changes: Changes;
  readonly #timeline: Timeline;

  constructor(store: Store, changes: Changes, timeline: Timeline) {
    this.#store = store;
    this.#changes = changes;
    this.#timeline = timeline;
  }

  once<M extends ReceiptMethod>(principal: Principal, method: M, params: ParamsOf<M>, body: (change: Change) => Answer<ResultOf<M>>): ResultOf<M> {
    const { clientId } = principal;
    const { commandId } = params as { commandId: string };
    return this.#changes.commit({ clientId, commandId }, 'lifecycle', (change) => {
      const paramsHash = hashParams(params);
      const stored = this.#find(principal, commandId);
      if (stored !== undefined) {
        if (stored.method !== method || stored.paramsHash !== paramsHash) throw new AttacheError('idempotency_conflict');
        return resultOf(stored) as ResultOf<M>;
      }
      const { workspace, result } = body(change);
      this.#store.insert('receipts', { clientId, commandId, method, paramsHash, workspace, result: JSON.stringify(result), at: this.#timeline.now() });
      return result;
    });
  }

  /** The answer that a command of this client got. */
  get(principal: Principal, commandId: string): ResultOf<'command/get'> {
    const stored = this.#find(principal, commandId);
    if (stored === undefined) throw new AttacheError('not_found');
    return { state: 'done', method: stored.method, at: stored.at, result: resultOf(stored) };
  }

  /** Forgets answers that nobody can be waiting for any more; their keys stay known for longer, so that a late repeat is never carried out. */
  prune(): void {
    const now = this.#timeline.now();
    this.#store.run(`UPDATE receipts SET result = '' WHERE at < ? AND result <> ''`, now - LIMITS.receiptMs);
    this.#store.run('DELETE FROM receipts WHERE at < ?', now - LIMITS.receiptKeyMs);
  }

  #find(principal: Principal, commandId: string): ReceiptRow | undefined {
    const row = this.#store.get<ReceiptRow>(
      'SELECT method, paramsHash, workspace, result, at FROM receipts WHERE clientId = ? AND commandId = ?', principal.clientId, commandId);
    // The same client with other folders granted must not read an answer about one it no longer has.
    if (row !== undefined && accessTo(principal, row.workspace) === 'none') throw new AttacheError('not_found');
    return row;
  }
}

function resultOf({ result }: ReceiptRow): unknown {
  if (result === '') throw new AttacheError('command_expired');
  return JSON.parse(result);
}
