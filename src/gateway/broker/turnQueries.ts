import { requireGranted, requireVisible } from '../admission/access.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import { newestWithin } from '../newestWithin.ts';
import { requireTurn } from './requireTurn.ts';
import { publicTurn, type TurnStore } from './turnStore.ts';

const LIST_LIMIT = 500;
const LIST_CHARS = 2 * 1024 * 1024;

export function turnQueries({ sessions, turns }: { readonly sessions: SessionStore; readonly turns: TurnStore }): Handlers<'turn/list' | 'turn/get'> {
  return {
    'turn/list': ({ principal }, params) => {
      if ('workspace' in params) requireGranted(principal, params.workspace);
      else requireVisible(principal, sessions.find(params.sessionId));
      const found = 'workspace' in params ? turns.listOf(params.workspace, params.states, LIST_LIMIT) : turns.list(params.sessionId, params.states, LIST_LIMIT);
      return { turns: newestWithin(found.map(publicTurn), LIST_CHARS) };
    },
    'turn/get': ({ principal }, { turnId }) => ({ turn: publicTurn(requireTurn({ sessions, turns }, principal, turnId).turn) }),
  };
}
