import { AttacheError } from '../protocol/errors.ts';
import type { Digest } from '../protocol/ids.ts';
import type { GatewayCalls } from './gatewayClient.ts';

export interface BlobName {
  readonly workspace: string;
  readonly digest: Digest;
}

type Calls = Pick<GatewayCalls, 'call'>;

// In base64, with all that stands around it, well within a frame.
const pieceBytes = 768 * 1024;

/** The bytes of a blob in their order, as base64. Rejects with not_found, or with gone when they were freed. */
export async function blobPieces(calls: Calls, { workspace, digest }: BlobName): Promise<string[]> {
  const pieces: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const piece: { base64: string; nextOffset: number | null } = await calls.call('blob/get', { workspace, digest, offset });
    pieces.push(piece.base64);
    offset = piece.nextOffset;
  }
  return pieces;
}

export interface BlobToPut extends BlobName {
  /** Bytes. */
  readonly size: number;
  /** Base64 of at most so many bytes from a place on. */
  readonly piece: (offset: number, length: number) => string;
  /** It may be there already: then nothing is sent before that was asked. */
  readonly isKnown: boolean;
}

/** Brings a blob into the gateway; what of it is there is not sent again. Rejects with digest_mismatch when it does not become whole. */
export async function putBlob(calls: Calls, { workspace, digest, size, piece, isKnown }: BlobToPut): Promise<void> {
  // An empty piece only asks how much of it is there.
  let [offset, length] = [0, isKnown ? 0 : pieceBytes];
  for (let left = Math.ceil(size / pieceBytes) + 3; left > 0; left--) {
    const { complete, nextOffset } = await calls.call('blob/put', { workspace, digest, size, offset, base64: piece(offset, length) });
    if (complete) return;
    [offset, length] = [nextOffset, pieceBytes];
  }
  throw new AttacheError('digest_mismatch');
}
