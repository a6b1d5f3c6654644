import type { Disposable } from '../../base/disposable.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';
import { hasEnded } from '../../protocol/turn/phase.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { Context } from '../context.ts';
import type { Attached } from '../gateway/attached.ts';
import { shortId } from '../ids.ts';
import { FollowText } from '../render/followText.ts';
import type { Change } from './changes.ts';
import { Follower } from './follower.ts';

/** Tells a person, or a program on stderr, when the link goes and comes back. */
export function noteLink({ output }: Context, { link }: Attached): Disposable {
  let isDown = false;
  return link.onStateChanged(({ state }) => {
    if (state === 'connecting' || (state === 'connected') === !isDown) return;
    isDown = state !== 'connected';
    output.note(isDown ? 'The link to the gateway is lost; trying again until it is back.' : 'The link to the gateway is back.');
    output.sideJson({ type: 'link', state: isDown ? 'lost' : 'back' });
  });
}

/** Shows changes as lines for people, or as one JSON value each. */
export function teller({ output }: Context): (change: Change) => Promise<void> {
  if (output.isJson) return (change) => output.json(change);
  const text = new FollowText(output, (approvalId) => shortId(approvalId, []));
  return (change) => text.tell(change);
}

/** The first turn that has not ended, or the one behind the last. */
export function firstOpen({ turns }: Pick<SessionSnapshot, 'turns'>): number {
  const open = turns.filter(({ state }) => !hasEnded(state)).map(({ turnIdx }) => turnIdx);
  return open.length > 0 ? Math.min(...open) : Math.max(0, ...turns.map(({ turnIdx }) => turnIdx)) + 1;
}

export interface WaitedTurn {
  readonly sessionId: SessionId;
  readonly turn: Turn;
}

/** Follows one turn to its end and shows it meanwhile. Null when a person stopped waiting, which leaves the turn as it is. */
export async function waitForTurn(context: Context, attached: Attached, { sessionId, turn }: WaitedTurn, show: (change: Change) => Promise<void>): Promise<{ turn: Turn; answer: string } | null> {
  let ended: Turn | null = null;
  let answer = '';
  const spoken = new Map<string, string>();
  const follower = new Follower(attached, {
    sessionId,
    from: (view) => Math.min(firstOpen(view), view.turns.find(({ turnId }) => turnId === turn.turnId)?.turnIdx ?? turn.turnIdx),
    tell: async (change) => {
      if (turnOf(change) !== turn.turnId) return false;
      if (change.type === 'item' && change.item.data.kind === 'agent_message' && !spoken.has(change.item.itemId)) spoken.set(change.item.itemId, '');
      if (change.type === 'text' && spoken.has(change.itemId)) spoken.set(change.itemId, (change.replaces === true ? '' : spoken.get(change.itemId) ?? '') + change.text);
      await show(change);
      if (change.type !== 'turn.ended') return false;
      ended = change.turn;
      answer = [...spoken.values()].join('\n\n');
      return true;
    },
  });
  const noting = noteLink(context, attached);
  try {
    const isDone = await untilStopped(follower.run(), context.interrupt);
    return isDone && ended !== null ? { turn: ended, answer } : null;
  } finally {
    noting.dispose();
    follower.dispose();
  }
}

function turnOf(change: Change): string | null {
  switch (change.type) {
    case 'session':
      return null;
    case 'turn':
    case 'turn.ended':
      return change.turn.turnId;
    case 'item':
    case 'item.ended':
      return change.item.turnId;
    case 'text':
      return change.turnId;
    case 'approval':
      return change.approval.turnId;
  }
}

/** False when the person stopped it first. */
export function untilStopped(work: Promise<void>, interrupt: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(false);
    if (interrupt.aborted) stop();
    interrupt.addEventListener('abort', stop, { once: true });
    work.then(() => resolve(true), reject).finally(() => interrupt.removeEventListener('abort', stop)).catch(() => undefined);
  });
}
