import { createHash } from 'node:crypto';
import type { Digest } from '../protocol/ids.ts';

/** SHA-256 in hex over the UTF-8 bytes. */
export const digestOf = (text: string | Uint8Array): Digest => createHash('sha256').update(text).digest('hex') as Digest;
