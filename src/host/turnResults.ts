import type { TurnResult } from '../protocol/host/commands.ts';
import type { ItemKey } from '../protocol/ids.ts';
import { LIMITS } from '../protocol/limits.ts';
import type { TurnEnd } from '../runtime/agent.ts';
import type { StopReport } from './guardedPlane.ts';

/** The agent's last message, and whether the gateway has all of it. */
export interface LastMessage {
  readonly text: string;
  /** It has a picture, and may have no text. */
  readonly isPicture: boolean;
  readonly itemKey: ItemKey | null;
}

const silent: Readonly<Record<string, string>> = {
  cancelled: 'The agent ended the turn by itself, without a reply.',
  refusal: 'The agent refused to go on.',
  max_tokens: 'The agent stopped at its limit of tokens without a reply.',
  max_turn_requests: 'The agent stopped at its limit of requests without a reply.',
};

/** A completed turn always has a message, and one that the gateway takes. */
export function completedResult(end: Extract<TurnEnd, { outcome: 'completed' }>, last: LastMessage): TurnResult {
  return { outcome: 'completed', stopReason: end.stopReason.slice(0, 200), message: messageOf(end.stopReason, last) };
}

function messageOf(stopReason: string, { text, isPicture, itemKey }: LastMessage): { text: string } | { itemKey: ItemKey } {
  if (text.trim() === '' && isPicture) return { text: 'The agent answered with a picture, which is shown above.' };
  if (text.trim() === '') return { text: silent[stopReason] ?? 'The agent finished without a reply.' };
  if (text.length > LIMITS.responseChars) return { text: 'The agent’s answer is longer than 200,000 characters. All of it is shown above.' };
  return itemKey === null ? { text } : { itemKey };
}

export function failedResult(failure: { readonly code: string; readonly message: string; readonly next: string }): TurnResult {
  return { outcome: 'failed', code: failure.code.slice(0, 200), message: failure.message.slice(0, 20_000), next: failure.next.slice(0, 2_000) };
}

export interface Cancelled {
  readonly agent: string;
  /** The agent was at work. */
  readonly hadBegun: boolean;
  readonly forced: boolean;
  /** What the agent was running itself and would have left running. */
  readonly strays: readonly string[];
  readonly commands: StopReport;
}

/** Says what was stopped and what was not. */
export function cancelledResult({ agent, hadBegun, forced, strays, commands }: Cancelled): TurnResult {
  const first = !hadBegun ? 'Nothing had begun yet.' : forced ? `${agent} did not stop by itself and was ended with everything it had started.` : `${agent} stopped.`;
  const all = [...commands.stopped, ...strays];
  const stopped = all.length === 0 ? [] : [`Stopped as well: ${names(all)}.`];
  const left = commands.leftRunning.length === 0 ? [] : [`Not stopped: what ${names(commands.leftRunning)} left running in the background.`];
  return { outcome: 'cancelled', detail: [first, ...stopped, ...left].join(' ') };
}

function names(commands: readonly string[]): string {
  const shown = commands.slice(0, 5).map((command) => `“${command.length > 200 ? `${command.slice(0, 200)}…` : command}”`);
  return commands.length > 5 ? `${shown.join(', ')} and ${String(commands.length - 5)} more` : shown.join(', ');
}
