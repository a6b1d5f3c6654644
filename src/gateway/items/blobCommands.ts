import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import { accessTo, requireGranted } from '../admission/access.ts';
import type { Changes } from '../events/changes.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';

interface BlobRow {
  readonly size: number;
  readonly received: number;
  readonly complete: 0 | 1;
  /** When its content was freed; its name stays for those that refer to it. */
  readonly freedAt: number | null;
}

type Put = ParamsOf<'blob/put'>;
type PutResult = ResultOf<'blob/put'>;

/** Texts and files, named by their content and kept per folder: nobody reads one from a folder that was not granted. */
export function blobCommands({ store, changes, timeline }: { readonly store: Store; readonly changes: Changes; readonly timeline: Timeline }): Handlers<'blob/put' | 'blob/get'> {
  return {
    'blob/put': ({ principal }, params) => {
      const { workspace } = params;
      requireGranted(principal, workspace);
      if (accessTo(principal, workspace) !== 'full') throw new AttacheError('workspace_untrusted');
      const piece = Buffer.from(params.base64, 'base64');
      if (piece.length > LIMITS.blobChunkBytes) throw new AttacheError('too_large');
      const outcome = changes.commit({ clientId: principal.clientId }, 'lifecycle', () => put(store, params, piece, timeline.now()));
      if (outcome === 'mismatch') throw new AttacheError('digest_mismatch');
      return outcome;
    },

    'blob/get': ({ principal }, { workspace, digest, offset = 0 }) => {
      requireGranted(principal, workspace);
      const blob = find(store, { workspace, digest });
      if (blob !== undefined && blob.freedAt !== null) throw new AttacheError('gone', { message: 'The full text was removed to free up space.', next: 'Nothing: the transcript itself is complete.' });
      if (blob?.complete !== 1) throw new AttacheError('not_found');
      const bytes = pieceAt(store, { workspace, digest }, offset);
      const end = offset + bytes.length;
      return { size: blob.size, base64: bytes.toString('base64'), nextOffset: end < blob.size && bytes.length > 0 ? end : null };
    },
  };
}

/** A piece that does not follow what is there is not stored; the answer says where to go on. */
function put(store: Store, { workspace, digest, size, offset }: Put, piece: Buffer, now: number): PutResult | 'mismatch' {
  const blob = find(store, { workspace, digest }) ?? { size, received: 0, complete: 0 };
  if (blob.complete === 1) {
    store.run('UPDATE blobs SET addedAt = ? WHERE workspace = ? AND digest = ?', now, workspace, digest);
    return { complete: true, nextOffset: blob.size };
  }
  if (blob.size !== size || offset + piece.length > size) throw new AttacheError('digest_mismatch');
  if (offset !== blob.received || (piece.length === 0 && size > 0)) return { complete: false, nextOffset: blob.received };
  if (piece.length > 0) store.insert('blobChunks', { workspace, digest, offset, bytes: piece });
  const received = offset + piece.length;
  const complete = received === size;
  if (complete && contentDigest(store, { workspace, digest }) !== digest) {
    // Else a wrong piece would be in the way of the right one for ever.
    discard(store, { workspace, digest });
    return 'mismatch';
  }
  store.run('INSERT OR REPLACE INTO blobs (workspace, digest, size, received, complete, addedAt) VALUES (?, ?, ?, ?, ?, ?)', workspace, digest, size, received, complete ? 1 : 0, now);
  return { complete, nextOffset: received };
}

type Key = Pick<Put, 'workspace' | 'digest'>;

function find(store: Store, { workspace, digest }: Key): BlobRow | undefined {
  return store.get<BlobRow>('SELECT size, received, complete, freedAt FROM blobs WHERE workspace = ? AND digest = ?', workspace, digest);
}

function contentDigest(store: Store, { workspace, digest }: Key): string {
  const hash = createHash('sha256');
  const rows = store.all<{ bytes: Uint8Array }>('SELECT bytes FROM blobChunks WHERE workspace = ? AND digest = ? ORDER BY offset', workspace, digest);
  for (const { bytes } of rows) hash.update(bytes);
  return hash.digest('hex');
}

/** Removes a blob with its name. */
export function discard(store: Store, { workspace, digest }: Key): void {
  store.run('DELETE FROM blobChunks WHERE workspace = ? AND digest = ?', workspace, digest);
  store.run('DELETE FROM blobs WHERE workspace = ? AND digest = ?', workspace, digest);
}

/** The bytes from a place to the end of the piece they were put in. */
function pieceAt(store: Store, { workspace, digest }: Key, offset: number): Buffer {
  const row = store.get<{ offset: number; bytes: Uint8Array }>(
    'SELECT offset, bytes FROM blobChunks WHERE workspace = ? AND digest = ? AND offset <= ? ORDER BY offset DESC LIMIT 1', workspace, digest, offset);
  return row === undefined ? Buffer.alloc(0) : Buffer.from(row.bytes).subarray(offset - row.offset);
}
