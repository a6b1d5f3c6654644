import { putBlob } from '../../client/blobs.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { digestOf } from '../../execution/digest.ts';
import { blobBytes, bytePieces } from '../../host/blobBytes.ts';
import type { Digest } from '../../protocol/ids.ts';

const KEPT = 40;

/** Reads whole texts that the gateway keeps by their digest; what a digest names never changes. */
export class BlobTexts {
  readonly #calls: GatewayCalls;
  readonly #known = new Map<string, Promise<string>>();

  constructor(calls: GatewayCalls) {
    this.#calls = calls;
  }

  read(workspace: string, digest: string): Promise<string> {
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const text = this.#fetch(workspace, digest);
    this.#known.set(digest, text);
    text.catch(() => this.#known.delete(digest));
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
    return text;
  }

  async #fetch(workspace: string, digest: string): Promise<string> {
    return (await this.bytes(workspace, digest)).toString('utf8');
  }

  /** Has it kept. Rejects when it cannot be. */
  async put(workspace: string, content: string | Uint8Array): Promise<Digest> {
    const bytes = Buffer.from(content);
    const digest = digestOf(bytes);
    await putBlob(this.#calls, { workspace, digest, size: bytes.length, isKnown: false, piece: bytePieces(bytes) });
    return digest;
  }

  /** What is kept, byte for byte. */
  bytes(workspace: string, digest: string): Promise<Buffer> {
    return blobBytes(this.#calls, { workspace, digest: digest as Digest });
  }
}
