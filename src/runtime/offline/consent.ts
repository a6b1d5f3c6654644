import { methods, type PermissionOption, type RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { Problem, TurnCancelled } from './problem.ts';
import type { ToolCard } from './toolCard.ts';
import type { Turn } from './turn.ts';

const options: PermissionOption[] = [
  { optionId: 'allow_once', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
];

/**
 * Asks the person and returns only on a yes. It offers no "always": it keeps no rules, and an answer that changes
 * nothing must not be offered.
 */
export async function askConsent(turn: Turn, card: ToolCard, whenRejected: string): Promise<void> {
  const request: RequestPermissionRequest = { sessionId: turn.sessionId, toolCall: card.describe(), options };
  const asking = turn.client.request(methods.client.session.requestPermission, request);
  const { outcome } = await turn.race(asking);
  turn.throwIfCancelled();
  if (outcome.outcome === 'cancelled') throw new TurnCancelled();
  const chosen = options.find((option) => option.optionId === outcome.optionId);
  if (chosen === undefined || !chosen.kind.startsWith('allow')) {
    const comment: unknown = outcome._meta?.['attache/comment'];
    throw new Problem(typeof comment === 'string' ? `You rejected it: “${comment}”` : 'You rejected it.', whenRejected);
  }
}
