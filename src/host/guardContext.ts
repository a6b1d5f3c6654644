import type { Logger } from '../base/logger.ts';
import type { Clock } from '../base/clock.ts';
import type { ExecutionPlane } from '../execution/plane.ts';
import type { Approval } from '../protocol/approval/state.ts';
import { asAttacheError, AttacheError } from '../protocol/errors.ts';
import type { ReportOp } from '../protocol/host/commands.ts';
import type { ClientTurnId, ItemKey } from '../protocol/ids.ts';
import type { ItemState } from '../protocol/item/state.ts';
import { toolCallKey } from '../runtime/toolCallKey.ts';
import type { ApprovalDesk, ApprovalQuestion } from './approvalDesk.ts';
import { ApprovalLedger } from './approvalLedger.ts';
import type { Blobs } from './blobs.ts';
import { CallTree } from './callTree.ts';
import { Checkpoints } from './checkpoints.ts';
import type { LeaseWatch } from './leaseWatch.ts';
import type { Reporter } from './reporter.ts';
import type { SeenTexts } from './seenTexts.ts';
import type { ShownChanges } from './shownChanges.ts';
import type { ActKind } from './unaskedActs.ts';

export interface GuardParts {
  readonly plane: ExecutionPlane;
  readonly folder: string;
  readonly reporter: Reporter;
  readonly desk: ApprovalDesk;
  readonly blobs: Blobs;
  readonly changes: ShownChanges;
  readonly seen: SeenTexts;
  readonly lease: LeaseWatch;
  readonly clock: Clock;
  /** The gateway takes answers that approve a part of an edit. */
  readonly takesParts: boolean;
  /** The gateway takes what is marked on acts and requests: who asks, what was not asked about, what waits for input. */
  readonly takesMarks: boolean;
  readonly logger: Logger;
  /** Whether acts of this kind are to be asked about in this session. */
  readonly isAskedAbout: (kind: ActKind) => boolean;
  /** The last answer for good that the agent keeps by itself, in its words. */
  readonly standing: (kind: ActKind) => string | null;
  /** Queues a message of the person in this session; an equal key is the same message. */
  readonly queueMessage: (key: ClientTurnId, text: string) => Promise<void>;
  /** Aborts when the turn is to end. */
  readonly signal: AbortSignal;
}

type Refused = Exclude<ItemState, 'started' | 'completed'>;

/** What the guard's parts share in one turn. */
export class GuardContext {
  readonly parts: GuardParts;
  readonly ledger = new ApprovalLedger();
  readonly checkpoints: Checkpoints;
  readonly calls = new CallTree();
  #count = 0;
  #finished = false;
  readonly #begun = new Set<ItemKey>();

  constructor(parts: GuardParts) {
    this.parts = parts;
    this.checkpoints = new Checkpoints(parts.plane, parts.blobs);
  }

  newKey(kind: string): ItemKey {
    this.#count += 1;
    return `${kind}-${String(this.#count)}` as ItemKey;
  }

  finish(): void {
    this.#finished = true;
  }

  /** To be called right before anything is begun. */
  requireLive(): void {
    const { signal, lease } = this.parts;
    if (this.#finished) throw new AttacheError('turn_not_active', { message: 'The turn has ended, so nothing may be read or done.' });
    if (signal.aborted) throw new AttacheError('turn_not_active', { message: 'The turn is being stopped, so nothing more may be done.' });
    if (!lease.mayAct) throw new AttacheError('host_cut_off');
  }

  /** Asks for consent to an act of this tool call, null: of one that is not known. A sub-agent's request names it, and ends with it. */
  async ask(question: ApprovalQuestion, toolCallId: string | null): Promise<Approval | null> {
    const key = toolCallId === null ? null : toolCallKey(toolCallId);
    if (key === null) return this.parts.desk.ask(question);
    const from = this.parts.takesMarks ? this.calls.actor(key) : null;
    const withdrawn = AbortSignal.any([this.calls.orphaned(key), ...(question.withdrawn === null || question.withdrawn === undefined ? [] : [question.withdrawn])]);
    return this.parts.desk.ask({ ...question, withdrawn, subject: from === null ? question.subject : { ...question.subject, from } });
  }

  /** Consent to an act of this tool call is on record, or being asked for. */
  hasAsked(toolCallId: string | null, toolKind: string): void {
    this.calls.asked(toolCallId === null ? null : toolCallKey(toolCallId), toolKind);
  }

  /** The intent record. Refused unless the approval stands at this moment. */
  async beginEffect(itemKey: ItemKey, approval: Approval): Promise<void> {
    this.requireLive();
    // An agent may ask more than once on one tool call; that it acts is on record from the first time.
    if (this.#begun.has(itemKey)) return;
    await this.parts.reporter.confirmed({ op: 'effect.begin', itemKey, approvalId: approval.approvalId, actionDigest: approval.actionDigest });
    this.#begun.add(itemKey);
    this.requireLive();
  }

  /** The result record, where there is an intent record. */
  effectEnd(itemKey: ItemKey): ReportOp[] {
    return this.#begun.delete(itemKey) ? [{ op: 'effect.end', itemKey }] : [];
  }

  notice(text: string, code?: string): void {
    if (this.#finished) return;
    const data = { kind: 'notice', level: 'warning', ...(code === undefined ? {} : { code }) } as const;
    this.parts.reporter.report([{ op: 'item.start', itemKey: this.newKey('hostnotice'), data, text, state: 'completed' }]);
  }

  /** Waits until every item and text that a request names is in the gateway. */
  async settled(): Promise<void> {
    await Promise.all([this.parts.reporter.settled(), this.parts.blobs.settled()]);
  }
}

/** How an item ends whose act came to nothing, and what is noted on it. */
export function endOfFailure(context: GuardContext, error: unknown): { readonly state: Refused; readonly note: { note?: string } } {
  const known = asAttacheError(error);
  if (known?.kind === 'approval_rejected') return { state: 'declined', note: {} };
  if (known?.kind === 'approval_closed' || context.parts.signal.aborted) return { state: 'cancelled', note: {} };
  return { state: 'failed', note: { note: (known?.message ?? String(error)).slice(0, 2_000) } };
}

/** The approval when it is one; throws what the agent is told when it is not. */
export function allowed(approval: Approval | null): Approval {
  if (approval?.status === 'approved') return approval;
  if (approval?.status !== 'rejected') throw new AttacheError('approval_closed');
  const comment = approval.comment ?? '';
  throw new AttacheError('approval_rejected', comment === '' ? {} : { message: `The request was rejected: ${comment}` });
}
