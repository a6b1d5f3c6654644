import type { Disposable } from '../../base/disposable.ts';
import type { SocketChannel } from '../transport/socketChannel.ts';

/** Something that delivers events over a connection. */
export interface Deliverer {
  /** What waits should not wait behind the bulk of others: a request for consent, the end of a turn. */
  readonly isUrgent: boolean;
  /** Delivers one batch. True when there is more. */
  deliverNext(): boolean;
}

/**
 * The lane for events of one connection. It writes only while little waits to go out, one batch of one subscription at a time and each in its turn,
 * so that answers pass, no scope waits behind the bulk of another, and nothing is held in memory that the log has.
 */
export class EventLane implements Disposable {
  readonly #channel: SocketChannel;
  /** In the order of their turns. */
  readonly #waiting = new Set<Deliverer>();
  #isScheduled = false;
  #isClosed = false;

  constructor(channel: SocketChannel) {
    this.#channel = channel;
    channel.onRoom(() => this.#schedule());
  }

  /** False: what is to be delivered has to wait. */
  get hasRoom(): boolean {
    return this.#channel.hasRoom;
  }

  /** Takes it in at the end of the row. */
  add(deliverer: Deliverer): void {
    this.#waiting.add(deliverer);
    this.#schedule();
  }

  remove(deliverer: Deliverer): void {
    this.#waiting.delete(deliverer);
  }

  dispose(): void {
    this.#isClosed = true;
    this.#waiting.clear();
  }

  /** A batch for each round of the event loop: a long replay holds up nobody else. */
  #schedule(): void {
    if (this.#isScheduled || this.#isClosed || this.#waiting.size === 0 || !this.hasRoom) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#step();
    });
  }

  #step(): void {
    if (this.#isClosed || !this.hasRoom) return;
    const next = this.#next();
    if (next === undefined) return;
    this.#waiting.delete(next);
    if (next.deliverNext()) this.#waiting.add(next);
    this.#schedule();
  }

  #next(): Deliverer | undefined {
    let first: Deliverer | undefined;
    for (const deliverer of this.#waiting) {
      if (deliverer.isUrgent) return deliverer;
      first ??= deliverer;
    }
    return first;
  }
}
