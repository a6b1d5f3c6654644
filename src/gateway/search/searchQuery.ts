import { Buffer } from 'node:buffer';
import { AttacheError } from '../../protocol/errors.ts';
import { requireGranted } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { SessionViews } from '../sessions/sessionView.ts';
import type { SearchPlace, TranscriptSearch } from './transcriptSearch.ts';
import { WordSearch } from './wordSearch.ts';

const LIMIT = 50;

export interface SearchQueryOptions {
  readonly transcriptSearch: TranscriptSearch;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
}

export function searchQuery({ transcriptSearch, sessions, views }: SearchQueryOptions): Handlers<'session/search'> {
  return {
    'session/search': async ({ principal, signal }, { workspace, text, limit = LIMIT, cursor }) => {
      requireGranted(principal, workspace);
      const words = new WordSearch(text);
      if (words.isEmpty) return { hits: [], sessions: [], next: null };
      const from: SearchPlace = cursor === undefined ? { in: 'titles', before: null } : parseCursor(cursor);
      const { hits, next } = await transcriptSearch.run({ workspace, words, limit, from, signal });
      const found = [...new Set(hits.map(({ sessionId }) => sessionId))].map((sessionId) => sessions.get(sessionId));
      return { hits, sessions: views.listed(workspace, found), next: next === null ? null : cursorOf(next) };
    },
  };
}

const cursorOf = (place: SearchPlace): string =>
  Buffer.from(place.in === 'items' ? `i:${place.before}` : `t:${place.before?.updatedAt ?? 0}:${place.before?.sessionId ?? ''}`).toString('base64url');

function parseCursor(cursor: string): SearchPlace {
  const [, item, updatedAt, sessionId] = /^(?:i:(\d{1,16})|t:(\d{1,16}):(.+))$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (item !== undefined) return { in: 'items', before: Number(item) };
  if (updatedAt === undefined || sessionId === undefined) throw new AttacheError('not_found');
  return { in: 'titles', before: { updatedAt: Number(updatedAt), sessionId } };
}
