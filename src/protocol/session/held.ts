import type { Session } from './state.ts';

/** Its turns went down one after the other: nothing is run in it until a person tries again. */
export const isHeld = ({ lastErrorCode, status }: Pick<Session, 'lastErrorCode' | 'status'>): boolean => lastErrorCode === 'session_quarantined' && status !== 'closed';
