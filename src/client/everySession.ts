import type { ParamsOf } from '../protocol/methods.ts';
import type { Session } from '../protocol/session/state.ts';
import type { GatewayCalls } from './gatewayClient.ts';

const PAGE = 200;

/** All pages of `session/list`, newest activity first. */
export async function everySession(calls: Pick<GatewayCalls, 'call'>, which: Omit<ParamsOf<'session/list'>, 'cursor' | 'limit'>): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await calls.call('session/list', { ...which, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    sessions.push(...page.sessions);
    if (page.next === null) return sessions;
    cursor = page.next;
  }
}
