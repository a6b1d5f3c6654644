import type { Clock } from '../base/clock.ts';
import { Deferred } from '../base/deferred.ts';
import type { Disposable } from '../base/disposable.ts';
import { AttacheError, asAttacheError, type ErrorKind } from '../protocol/errors.ts';
import type { ReportOp } from '../protocol/host/commands.ts';
import type { ResultOf } from '../protocol/methods.ts';
import { LIMITS } from '../protocol/limits.ts';

export type ReportAnswer = ResultOf<'host/report'>;

export interface ReporterOptions {
  /** Sends one batch, again and again until an answer comes. Rejects with what the gateway refuses. */
  readonly send: (reportSeq: number, ops: ReportOp[]) => Promise<ReportAnswer>;
  readonly clock: Clock;
  /** The number of the first batch. */
  readonly nextSeq: number;
  readonly onAnswer: (answer: ReportAnswer) => void;
  /** The gateway takes no more reports of this claim. */
  readonly onDead: (error: AttacheError) => void;
  /** More is waiting than may be kept; what comes from now on is dropped. */
  readonly onOverflow: () => void;
  readonly log: (message: string) => void;
}

interface Entry {
  op: ReportOp;
  bytes: number;
  /** Set: goes out in a batch of its own, and somebody waits for its answer. */
  readonly alone: Deferred<ReportAnswer> | null;
}

const maxBatchOps = 1_000;
const maxBatchBytes = 1024 * 1024;
const maxQueuedBytes = 32 * 1024 * 1024;

/** Refusals that concern one report; after any other one the claim is lost. */
const passing: ReadonlySet<ErrorKind> = new Set(['approval_required', 'item_not_found', 'item_ended', 'item_key_used', 'too_large', 'approval_closed']);

/**
 * Sends what happens in a turn as numbered batches without a gap, one at a time and in order. Streamed text is merged:
 * it goes out at once on an idle link, else after 8 ms, 64 pieces or 16 KiB, and at once before anything that is not text.
 */
export class Reporter implements Disposable {
  readonly #options: ReporterOptions;
  #queue: Entry[] = [];
  #bytes = 0;
  #deltas = 0;
  #seq: number;
  #sending = false;
  #urgent = false;
  #timer: Disposable | null = null;
  #lastSent = Number.NEGATIVE_INFINITY;
  #waitingSince = 0;
  #dead: AttacheError | null = null;
  #overflowed = false;
  #idle = new Deferred<void>();

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#seq = options.nextSeq;
    this.#idle.resolve();
  }

  /** The number of the last batch that was answered. */
  get lastSeq(): number {
    return this.#seq - 1;
  }

  get dead(): AttacheError | null {
    return this.#dead;
  }

  report(ops: readonly ReportOp[]): void {
    for (const op of ops) this.#add(op, null);
    this.#flushWhenDue();
  }

  /** Sends one report by itself. Rejects when the gateway refuses it; then nothing of it was stored. */
  confirmed(op: ReportOp): Promise<ReportAnswer> {
    const answer = new Deferred<ReportAnswer>();
    answer.promise.catch(() => undefined);
    if (this.#dead !== null) answer.reject(this.#dead);
    else {
      this.#add(op, answer);
      this.#urgent = true;
      this.#flushWhenDue();
    }
    return answer.promise;
  }

  /** Resolves when everything reported so far has been answered, or never will be. */
  async settled(): Promise<void> {
    if (this.#queue.length === 0 && !this.#sending) return;
    this.#urgent = true;
    this.#flushWhenDue();
    await this.#idle.promise;
  }

  /** Nothing more is sent. */
  dispose(): void {
    if (this.#dead === null) this.#die(new AttacheError('turn_not_active'), false);
  }

  #add(op: ReportOp, alone: Deferred<ReportAnswer> | null): void {
    if (this.#dead !== null || this.#overflows()) return;
    if (this.#queue.length === 0 && !this.#sending) this.#idle = new Deferred();
    if (this.#queue.length === 0) this.#waitingSince = this.#options.clock.monotonic();
    const bytes = op.op === 'item.delta' ? op.text.length : JSON.stringify(op).length;
    this.#bytes += bytes;
    if (op.op === 'item.delta') this.#deltas += 1;
    else this.#urgent = true;
    if (!this.#merge(op, bytes)) this.#queue.push({ op, bytes, alone });
  }

  #overflows(): boolean {
    if (this.#bytes <= maxQueuedBytes) return false;
    if (!this.#overflowed) this.#options.onOverflow();
    this.#overflowed = true;
    return true;
  }

  #merge(op: ReportOp, bytes: number): boolean {
    const last = this.#queue.at(-1);
    if (op.op !== 'item.delta' || last?.op.op !== 'item.delta' || last.op.itemKey !== op.itemKey || last.bytes + bytes > maxBatchBytes) return false;
    last.op = { ...last.op, text: last.op.text + op.text };
    last.bytes += bytes;
    return true;
  }

  #flushWhenDue(): void {
    if (this.#sending || this.#queue.length === 0 || this.#dead !== null) return;
    const now = this.#options.clock.monotonic();
    const isIdle = now - this.#lastSent >= LIMITS.deltaFlushMs;
    const due = this.#urgent || isIdle || this.#deltas >= LIMITS.deltaFlushCount || this.#bytes >= LIMITS.deltaFlushBytes;
    if (due) void this.#flush();
    else this.#timer ??= this.#options.clock.setTimeout(() => void this.#flush(), this.#waitingSince + LIMITS.deltaFlushMs - now);
  }

  async #flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = null;
    if (this.#sending || this.#queue.length === 0 || this.#dead !== null) return;
    this.#sending = true;
    const batch = this.#takeBatch();
    this.#lastSent = this.#options.clock.monotonic();
    try {
      const answer = await this.#options.send(this.#seq, batch.map(({ op }) => op));
      this.#seq += 1;
      batch[0]?.alone?.resolve(answer);
      this.#options.onAnswer(answer);
    } catch (error) {
      this.#refused(batch, error);
    }
    this.#sending = false;
    if (this.#queue.length === 0) this.#idle.resolve();
    else this.#flushWhenDue();
  }

  #takeBatch(): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#queue) {
      const full = batch.length >= maxBatchOps || (batch.length > 0 && bytes + entry.bytes > maxBatchBytes);
      if (full || (entry.alone !== null && batch.length > 0) || batch[0]?.alone) break;
      batch.push(entry);
      bytes += entry.bytes;
    }
    this.#queue.splice(0, batch.length);
    this.#bytes -= bytes;
    this.#deltas = this.#queue.filter(({ op }) => op.op === 'item.delta').length;
    this.#urgent = this.#queue.some(({ op, alone }) => op.op !== 'item.delta' || alone !== null);
    return batch;
  }

  /** A batch is stored whole or not at all, so that its number is still free. */
  #refused(batch: readonly Entry[], error: unknown): void {
    const known = asAttacheError(error);
    // A refusal of parameters has no entry in the catalogue.
    if (known !== null && !passing.has(known.kind)) return this.#die(known, true, batch);
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) {
      this.#options.log(`report refused: ${first.op.op}: ${error instanceof Error ? error.message : String(error)}`);
      first.alone?.reject(error);
      return;
    }
    // One of them is at fault; the others count.
    this.#queue.unshift(...batch.map((entry) => ({ ...entry, alone: new Deferred<ReportAnswer>() })));
    for (const { alone } of this.#queue) alone?.promise.catch(() => undefined);
    this.#bytes += batch.reduce((sum, entry) => sum + entry.bytes, 0);
    this.#urgent = true;
  }

  #die(error: AttacheError, tell: boolean, batch: readonly Entry[] = []): void {
    this.#dead = error;
    this.#timer?.dispose();
    for (const { alone } of [...batch, ...this.#queue.splice(0)]) alone?.reject(error);
    this.#bytes = 0;
    this.#idle.resolve();
    if (tell) this.#options.onDead(error);
  }
}
