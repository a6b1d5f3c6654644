import type { Clock } from '../base/clock.ts';
import { SerialQueue } from '../base/serialQueue.ts';
import { putBlob } from '../client/blobs.ts';
import { digestOf } from '../execution/digest.ts';
import type { Digest } from '../protocol/ids.ts';
import { LIMITS } from '../protocol/limits.ts';
import { bytePieces } from './blobBytes.ts';
import type { HostConnection } from './hostConnection.ts';

const maxRemembered = 5_000;
/** Well within the hour for which a gateway keeps what was put, whether or not anything names it yet. */
const trustMs = 15 * 60_000;

export interface BlobsOptions {
  readonly connection: Pick<HostConnection, 'call' | 'onRegistered'>;
  readonly workspace: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

/**
 * Brings the full texts that items name into the gateway, each once. What was brought may be freed there, or be lost with a damaged store: after a
 * while, and after every new registration, the gateway is asked whether it still has it.
 */
export class Blobs {
  readonly #options: BlobsOptions;
  readonly #queue = new SerialQueue();
  /** When each was brought or asked for last, on the monotonic clock. */
  readonly #stored = new Map<Digest, number>();

  constructor(options: BlobsOptions) {
    this.#options = options;
    options.connection.onRegistered(() => this.#doubt());
  }

  /** Starts bringing it there and names it at once; `known`: its digest, where that is known. What is larger than a blob may be is named and not brought. */
  put(content: string | Uint8Array, known?: Digest): Digest {
    const digest = known ?? digestOf(content);
    const now = this.#options.clock.monotonic();
    const storedAt = this.#stored.get(digest);
    if (storedAt !== undefined && now - storedAt < trustMs) return digest;
    const bytes = Buffer.from(content);
    if (bytes.length > LIMITS.blobBytes) return digest;
    if (this.#stored.size >= maxRemembered) this.#stored.clear();
    this.#stored.set(digest, now);
    void this.#queue.run(() => this.#send(digest, bytes, storedAt !== undefined)).catch((error: unknown) => {
      this.#stored.delete(digest);
      this.#options.log(`text not stored: ${String(error)}`);
    });
    return digest;
  }

  /** Resolves when everything put so far is there, or could not be stored. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  #doubt(): void {
    for (const digest of this.#stored.keys()) this.#stored.set(digest, Number.NEGATIVE_INFINITY);
  }

  async #send(digest: Digest, bytes: Buffer, isKnown: boolean): Promise<void> {
    const { connection, workspace } = this.#options;
    await putBlob(connection, { workspace, digest, size: bytes.length, isKnown, piece: bytePieces(bytes) });
  }
}
