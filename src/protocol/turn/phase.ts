/** The states in which nothing about a turn changes any more. Free of zod, so that the chat page can use it. */
export type EndedTurnState = 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'expired';

const ENDED: ReadonlySet<string> = new Set<EndedTurnState>(['completed', 'failed', 'cancelled', 'interrupted', 'expired']);

/** True once nothing about the turn changes any more. */
export const hasEnded = (state: string): state is EndedTurnState => ENDED.has(state);

/** True while an executor holds the turn. */
export const isActive = (state: string): boolean => state !== 'queued' && !hasEnded(state);
