import { t } from '../../base/l10n.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { HostSessionId, TurnId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import { newCommandId, randomHex } from '../randomId.ts';
import { CAPABILITIES, type Conversations } from './conversations.ts';

export interface Fork {
  readonly conversation: string;
  /** What was said up to the message, for the box of the new session. */
  readonly text: string;
}

export interface ForkPlace {
  readonly session: Session;
  readonly turn: Pick<Turn, 'turnId' | 'turnIdx'>;
}

/** The last message that was worked on: where a session is forked when no message is named. */
export function lastPlace({ session, turns }: SessionSnapshot): ForkPlace {
  const turn = turns.findLast(({ startedAt }) => startedAt !== null);
  if (turn === undefined) throw new AttacheError('not_found', { message: t('Nothing was said in this session yet.'), next: t('Start a new session instead.') });
  return { session, turn };
}

/**
 * A new session of the same goal and agent that begins where another one was. The agent is told nothing by itself: what was said is handed
 * back for the message box, where the person reads, changes or removes it.
 */
export async function forkSession(calls: GatewayCalls, conversations: Conversations, { session, turn }: ForkPlace): Promise<Fork> {
  const hostSessionId = randomHex();
  const { session: fork, context } = await calls.call('session/fork', {
    commandId: newCommandId(),
    turnId: turn.turnId as TurnId,
    hostSessionId: hostSessionId as HostSessionId,
    hostSurface: 'vscode',
    executorEndpointId: session.agentId,
    attachedCapabilities: CAPABILITIES,
    title: t('{0} (fork)', session.title).slice(0, 500).toWellFormed(),
  });
  const conversation = conversations.fresh();
  conversations.adopt({ conversation, sessionId: fork.sessionId, hostSessionId, agentId: fork.agentId, workspace: fork.workspace });
  return { conversation, text: forkText(session.title, turn.turnIdx, context) };
}

/** The caret stands above it: what the person wants comes first. */
function forkText(title: string, turnIdx: number, context: string): string {
  if (context === '') return '';
  const cut = context.length >= LIMITS.forkContextChars ? '… ' : '';
  return `\n\n${t('What was said in “{0}” up to message {1}:', title, turnIdx)}\n\n${cut}${context}`;
}
