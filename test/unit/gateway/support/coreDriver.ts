import assert from 'node:assert/strict';
import type { CoreMethod } from '../../../../src/gateway/core.ts';
import { methods, type ParamsOf, type ResultOf } from '../../../../src/protocol/methods.ts';
import { WINDOWS } from '../../../support/model/acts.ts';
import type { ModelDriver } from '../../../support/model/perform.ts';
import { CoreHarness, WORKSPACE, type TestClient } from './coreHarness.ts';

/** Tables that hold what belongs to one session. */
const OWN = ['turns', 'items', 'approvals', 'sessions'] as const;

/** Plays runs on a real core over a real store, and looks into the store around every act. */
export class CoreDriver implements ModelDriver {
  readonly workspace = WORKSPACE;
  readonly gw = new CoreHarness();
  readonly #windows: TestClient[] = [];
  #onlooker = this.gw.client('onlooker', 'cli');

  constructor() {
    this.#connect();
  }

  async call<M extends CoreMethod>(window: number, method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    const client = window < 0 ? this.#onlooker : this.#windows[window];
    assert.ok(client !== undefined);
    const parsed = methods[method].params.parse(params) as ParamsOf<M>;
    return this.gw.core.handle(client.principal, method, parsed, new AbortController().signal);
  }

  async cut(window: number): Promise<void> {
    this.#windows[window]?.disconnect();
    this.#windows[window] = this.gw.client(`window ${window}`);
    await Promise.resolve();
  }

  advance(ms: number): Promise<void> {
    return this.gw.clock.advance(ms);
  }

  async restart(): Promise<void> {
    this.gw.restart();
    this.#connect();
    await Promise.resolve();
  }

  async ends(): Promise<ReadonlyMap<string, number>> {
    const ends = new Map<string, number>();
    for (const { scope, events } of this.gw.published) {
      if (!('session' in scope)) continue;
      for (const event of events) if (event.type === 'turn.ended') ends.set(event.turn.turnId, (ends.get(event.turn.turnId) ?? 0) + 1);
    }
    return Promise.resolve(ends);
  }

  watch(sessionId: string | null): (outcome: string) => void {
    const [changes, published] = [this.#changes(), this.gw.published.length];
    const rows = this.gw.dump();
    const others = sessionId === null ? '' : this.#others(sessionId);
    return (outcome) => {
      if (sessionId !== null) assert.equal(this.#others(sessionId), others, 'other sessions are as they were');
      // The one refusal that may keep something is that of a late result.
      if (outcome.startsWith('ok') || outcome === 'turn_not_active') return;
      assert.equal(this.gw.published.length, published, 'a refusal or a repeat tells nothing');
      if (this.#changes() !== changes) assert.deepEqual(this.gw.dump(), rows, 'a refusal or a repeat leaves the store as it was');
    };
  }

  #connect(): void {
    for (let window = 0; window < WINDOWS; window++) this.#windows[window] = this.gw.client(`window ${window}`);
    this.#onlooker = this.gw.client('onlooker', 'cli');
  }

  #others(sessionId: string): string {
    return JSON.stringify(OWN.map((table) => this.gw.store.all(`SELECT * FROM ${table} WHERE sessionId <> ? ORDER BY 1`, sessionId)));
  }

  #changes(): number {
    return this.gw.store.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }
}
