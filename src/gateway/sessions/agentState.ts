import type { AgentChoice, AgentState } from '../../protocol/session/state.ts';
import { requireBounded } from '../bounded.ts';
import { agentOf, wantedOf, type SessionRow } from './sessionStore.ts';

export interface AgentReport {
  readonly agent?: { readonly [K in keyof AgentState]?: AgentState[K] | undefined } | undefined;
  readonly agentSessionId?: string | undefined;
  readonly title?: string | undefined;
  /** Choices that the agent did not take. */
  readonly declined?: readonly AgentChoice[] | undefined;
}

/** What a report of the agent about itself changes in its session. A title that a person gave stays. */
export function mergeAgent(session: SessionRow, { agent, agentSessionId, title, declined = [] }: AgentReport): Partial<SessionRow> {
  return {
    ...stillWanted(session, agent?.options, declined),
    ...(agent === undefined ? {} : { agent: requireBounded({ ...agentOf(session), ...agent }) }),
    ...(agentSessionId === undefined ? {} : { agentSessionId }),
    ...(title === undefined || session.titleSource === 'person' ? {} : { title, titleSource: 'agent' as const }),
  };
}

/** A choice is done with once the agent has reported it, has said no to it, or does not offer it any more. */
function stillWanted(session: SessionRow, options: AgentState['options'] | undefined, declined: readonly AgentChoice[]): Partial<SessionRow> {
  const before = wantedOf(session);
  if (before.length === 0) return {};
  const wanted = before.filter(({ id, value }) => {
    const option = options?.find((offered) => offered.id === id);
    const isDone = options !== undefined && (option === undefined || option.value === value);
    return !isDone && !declined.some((choice) => choice.id === id && choice.value === value);
  });
  return wanted.length === before.length ? {} : { wanted: JSON.stringify(wanted) };
}
