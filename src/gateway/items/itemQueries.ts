import { AttacheError } from '../../protocol/errors.ts';
import { requireVisible } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { ItemStore } from './itemStore.ts';

/** Fits into a frame however its characters are written there. */
const PIECE_BYTES = 512 * 1024;

export function itemQueries({ sessions, items }: { readonly sessions: SessionStore; readonly items: ItemStore }): Handlers<'item/get'> {
  return {
    'item/get': ({ principal }, { itemId, offset = 0 }) => {
      const row = items.find(itemId);
      requireVisible(principal, row && sessions.find(row.sessionId));
      if (row === undefined) throw new AttacheError('not_found');
      return { item: items.from(row, offset, PIECE_BYTES) };
    },
  };
}
