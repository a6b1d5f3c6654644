import { AttacheError } from '../protocol/errors.ts';

/** file_deleted or edit_conflict unless the file still has the text that was shown. */
export function requireUnmoved(path: string, shown: string | null, present: string | null): void {
  if (shown === present) return;
  if (present === null) throw new AttacheError('file_deleted', { message: `${path} was deleted or renamed after the edit was proposed. Nothing was written.` });
  throw new AttacheError('edit_conflict', { message: shown === null ? `${path} was created after the edit was proposed. Nothing was written.` : `${path} was changed after the edit was proposed. Nothing was written.` });
}
