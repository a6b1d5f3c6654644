import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import { requireGranted, requireVisible } from '../admission/access.ts';
import type { LogEnds, Principal } from '../core.ts';
import { withJson } from '../encodedResult.ts';
import type { Handlers } from '../handlers.ts';
import type { SessionStore } from '../sessions/sessionStore.ts';
import type { Identity } from '../store/identity.ts';
import { whyNotFrom } from './cursor.ts';
import { decodeEvents, type EncodedEvents } from './encodedEvents.ts';
import type { EventLog } from './eventLog.ts';

export interface EventQueriesOptions {
  readonly sessions: SessionStore;
  readonly log: EventLog;
  readonly identity: Identity;
}

/** The log as whoever wants it piece by piece reads it. */
export function eventQueries({ sessions, log, identity }: EventQueriesOptions): Handlers<'event/read'> {
  return {
    'event/read': ({ principal }, { scope, from, limit = LIMITS.replayEvents }) => {
      requireReadable(principal, sessions, scope);
      const kept = log.kept(scope);
      return answerOf(identity.epoch, kept, log.read(scope, placeOf(from, { epoch: identity.epoch, ...kept }), limit));
    },
  };
}

/** Events of a folder that was granted, or of a session in one. */
export function requireReadable(principal: Principal, sessions: SessionStore, scope: Scope): void {
  if ('session' in scope) requireVisible(principal, sessions.folderOf(scope.session));
  else requireGranted(principal, scope.workspace);
}

function placeOf(from: ParamsOf<'event/read'>['from'], ends: LogEnds & { readonly epoch: number }): number {
  if (from === undefined) return ends.first - 1;
  const reason = whyNotFrom(from, ends);
  if (reason !== null) throw new AttacheError(reason, { entity: { ...ends } });
  return from.seq;
}

function answerOf(epoch: number, { first, head }: LogEnds, batch: EncodedEvents | null): ResultOf<'event/read'> {
  const answer = {
    epoch,
    get events() {
      return batch === null ? [] : decodeEvents(batch);
    },
    first,
    head,
  };
  return withJson(answer, [Buffer.from(`{"epoch":${epoch},"events":[`), ...(batch === null ? [] : [batch.json]), Buffer.from(`],"first":${first},"head":${head}}`)]);
}
