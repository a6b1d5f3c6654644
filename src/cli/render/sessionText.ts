import { isHeld } from '../../protocol/session/held.ts';
import type { Session } from '../../protocol/session/state.ts';
import { accent, attention, bad, dim, good, type Span } from '../output/spans.ts';

/** What the session's state is to a person: the same words as in the panel's header. */
export function stateOf(session: Session): Span {
  if (session.status === 'closed') return dim('closed');
  if (session.archivedAt !== null) return dim('archived');
  if (session.bindingMatch !== 'current') return dim('stale goal');
  if (session.pendingApprovals > 0) return attention(`needs you (${session.pendingApprovals})`);
  if (isHeld(session)) return bad('held');
  if (session.status === 'busy') return accent('working');
  if (session.status === 'resume_failed') return bad('resume failed');
  if (session.executor.state !== 'connected') return dim('disconnected');
  return session.status === 'ready' ? good('ready') : dim(session.status);
}
