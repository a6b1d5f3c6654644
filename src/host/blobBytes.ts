import { blobPieces, type BlobName, type BlobToPut } from '../client/blobs.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';

/** A blob, byte for byte. Rejects with not_found, or with gone when its bytes were freed. */
export async function blobBytes(calls: Pick<GatewayCalls, 'call'>, name: BlobName): Promise<Buffer> {
  return Buffer.concat((await blobPieces(calls, name)).map((piece) => Buffer.from(piece, 'base64')));
}

/** These bytes as they are put. */
export const bytePieces = (bytes: Buffer): BlobToPut['piece'] => (offset, length) => bytes.subarray(offset, offset + length).toString('base64');
