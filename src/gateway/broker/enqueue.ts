import type { ClientTurnId, ItemId, TurnId } from '../../protocol/ids.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { Attachment } from '../../protocol/turn/attachment.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { Change } from '../events/change.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { mintId } from '../mint.ts';
import { requireAttachments, userMessage } from '../sessions/attachments.ts';
import type { SessionRow, SessionStore } from '../sessions/sessionStore.ts';
import type { Store } from '../store/store.ts';
import type { Timeline } from '../store/timeline.ts';
import type { EarlyCancels } from './earlyCancels.ts';
import { isQuarantined, lifted } from './quarantine.ts';
import type { TurnEnds } from './turnEnds.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';
import type { WaitingClaims } from './waitingClaims.ts';

export interface EnqueueOptions {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly sessions: SessionStore;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly turnEnds: TurnEnds;
  readonly earlyCancels: EarlyCancels;
  readonly waiting: WaitingClaims;
}

export interface Message {
  readonly clientTurnId: ClientTurnId;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly origin: Turn['origin'];
  readonly retryOf: TurnId | null;
  readonly submitHash: string;
  /** `reject`: only when nothing runs and nothing waits. */
  readonly mode: 'queue' | 'reject';
}

const TITLE_CHARS = 80;

/** Adds one message to the end of a session's queue. Admission has been decided; the limits of the queue are decided here. */
export class Enqueue {
  readonly #options: EnqueueOptions;

  constructor(options: EnqueueOptions) {
    this.#options = options;
  }

  apply(change: Change, session: SessionRow, message: Message): TurnRow {
    const { store, sessions, turns, turnEnds, earlyCancels, waiting } = this.#options;
    const { pending } = turns.queueFacts(session.sessionId);
    if (message.mode === 'reject' && (pending > 0 || session.activeTurnId !== null)) throw new AttacheError('turn_in_progress');
    if (message.mode === 'reject' && isQuarantined(session) && message.retryOf === null) throw new AttacheError('session_quarantined');
    if (pending >= LIMITS.queuePerSession) throw new AttacheError('session_queue_full');
    if (pending > 0) requireRoom(turns, session.sessionId, message.text.length);
    if (store.isFull()) throw new AttacheError('storage_full');

    requireAttachments(store, session.workspace, message.attachments);
    const turn = this.#row(change, session, message);
    const cancelled = earlyCancels.take(session.sessionId, message.clientTurnId);
    turns.insert(change, turn);
    this.#insertPrompt(change, turn, message.attachments);
    sessions.patch(change, session, { turnCount: turn.turnIdx, archivedAt: null, ...titleFrom(session, message.text), ...(cancelled ? {} : released(session, message)) });
    if (cancelled) return turnEnds.end(change, turn, { state: 'cancelled' });
    // A host that waits has it with this very commit.
    waiting.join(change, session.sessionId);
    return turn;
  }

  #row(change: Change, session: SessionRow, { clientTurnId, text, attachments, origin, retryOf, submitHash }: Message): TurnRow {
    return {
      turnId: mintId<TurnId>('trn', change.now), sessionId: session.sessionId, turnIdx: session.turnCount + 1, clientTurnId, submitHash,
      goalInstanceId: session.goalInstanceId, state: 'queued', origin, text, attachments: JSON.stringify(attachments), userItemId: mintId<ItemId>('itm', change.now), retryOf,
      claimId: null, admittedInstanceId: null, admittedAt: null, completionId: null, completion: null, lateResult: 0,
      stopReason: null, cause: null, detail: null, usage: null, rev: 1,
      queuedAt: change.now, expiresAt: this.#options.timeline.now() + LIMITS.queueTtlMs, startedAt: null, endedAt: null,
    };
  }

  #insertPrompt(change: Change, turn: TurnRow, attachments: readonly Attachment[]): void {
    this.#options.items.insertOwn(change, turn, { itemId: turn.userItemId, state: 'completed', data: userMessage(attachments), text: turn.text });
  }
}

/** A message lets a paused queue go on, but one that is held only where a person tries again what failed. */
const released = (session: SessionRow, { retryOf }: Message): Partial<SessionRow> => (isQuarantined(session) && retryOf === null ? {} : { queuePaused: 0, ...lifted(session) });

/** The messages that wait are together no longer than one may be: every snapshot holds them all. */
export function requireRoom(turns: TurnStore, sessionId: SessionRow['sessionId'], added: number): void {
  // Bytes are never fewer than characters: mostly that is answer enough.
  if (turns.queueBytes(sessionId) + added <= LIMITS.promptChars) return;
  const waiting = turns.queue(sessionId).reduce((sum, { text }) => sum + text.length, 0);
  if (waiting + added > LIMITS.promptChars) throw new AttacheError('session_queue_full', { message: 'The waiting messages are together as long as they may be.' });
}

/** A session without a title of its own is named after its first message. */
function titleFrom(session: SessionRow, text: string): Partial<SessionRow> {
  if (session.titleSource !== 'default') return {};
  const title = text.trim().split(/\r?\n/, 1)[0]?.trim().slice(0, TITLE_CHARS).toWellFormed() ?? '';
  return title === '' ? {} : { title, titleSource: 'message' };
}
