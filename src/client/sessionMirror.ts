import type { SessionId } from '../protocol/ids.ts';
import type { SessionEvent } from '../protocol/subscription/events.ts';
import { applySessionEvent } from '../protocol/subscription/reducer.ts';
import type { SessionSnapshot } from '../protocol/subscription/state.ts';
import type { GatewayCalls } from './gatewayClient.ts';
import { Mirror } from './mirror.ts';

/** A client's copy of one session. */
export type SessionMirror = Mirror<SessionSnapshot, SessionEvent>;

export function sessionMirror(calls: GatewayCalls, session: SessionId): SessionMirror {
  return new Mirror<SessionSnapshot, SessionEvent>(calls, {
    scope: { session },
    viewOf: (snapshot) => ('session' in snapshot ? snapshot.session : null),
    apply: applySessionEvent,
  });
}
