import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { everyApproval } from '../../client/everyApproval.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { Approval, ApprovedPart } from '../../protocol/approval/state.ts';
import type { ApprovalId } from '../../protocol/ids.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import { describeError } from '../log.ts';
import { newCommandId } from '../randomId.ts';
import type { Workspaces } from '../sessions/workspaces.ts';

export interface ApprovalCentreOptions {
  /** Patient ones. */
  readonly calls: GatewayCalls;
  readonly workspaces: Workspaces;
  readonly log: Logger;
}

export type Answer = 'decided' | 'already';

/** The rule that an answer makes, exactly as it is stored. */
export type RememberedRule = NonNullable<ParamsOf<'approval/decide'>['remember']>;

/** What goes with an answer. */
export interface AnswerExtras {
  readonly comment?: string | undefined;
  readonly remember?: RememberedRule | undefined;
  /** Only these hunks. */
  readonly part?: ApprovedPart | undefined;
}

/** What waits for an answer in this window's folders, and the one way to answer it. */
export class ApprovalCentre implements Disposable {
  readonly #options: ApprovalCentreOptions;
  readonly #disposables = new DisposableStore();
  readonly #changed = new Emitter<void>();
  readonly #asked = new Emitter<Approval>();
  readonly #settled = new Emitter<string>();
  readonly #known = new Map<string, Approval>();
  #pending: readonly Approval[] = [];
  #looking = false;
  #lookAgain = false;

  readonly onChanged = this.#changed.event;
  /** A request that was not there before. */
  readonly onAsked = this.#asked.event;
  /** A request that waited does so no longer. */
  readonly onSettled = this.#settled.event;

  constructor(options: ApprovalCentreOptions) {
    this.#options = options;
    this.#disposables.add(options.workspaces.onChanged(() => this.look()));
  }

  get pending(): readonly Approval[] {
    return this.#pending;
  }

  /** A request by its id, also one that is decided. */
  async get(approvalId: string): Promise<Approval> {
    const pending = this.#pending.find((approval) => approval.approvalId === approvalId);
    if (pending !== undefined) return pending;
    const { approval } = await this.#options.calls.call('approval/get', { approvalId: approvalId as ApprovalId });
    this.#known.set(approvalId, approval);
    return approval;
  }

  /** As last seen, without asking; undefined when it was never seen. */
  peek(approvalId: string): Approval | undefined {
    return this.#pending.find((approval) => approval.approvalId === approvalId) ?? this.#known.get(approvalId);
  }

  /** A later change that somebody else has heard of. */
  noteUpdate(approval: Approval): void {
    this.#known.set(approval.approvalId, approval);
    if (approval.status !== 'pending' && this.#pending.some(({ approvalId }) => approvalId === approval.approvalId)) {
      this.#setPending(this.#pending.filter(({ approvalId }) => approvalId !== approval.approvalId));
    } else this.#changed.fire();
  }

  /** Answers with one of the agent's own options. Refused when somebody else has answered in another way. */
  async decide(approval: Pick<Approval, 'approvalId' | 'actionDigest'>, optionId: string, { comment, remember, part }: AnswerExtras = {}): Promise<Answer> {
    const commandId = newCommandId();
    const { approvalId, actionDigest } = approval;
    const params = { commandId, approvalId, optionId, actionDigest, ...(comment === undefined ? {} : { comment }), ...(remember === undefined ? {} : { remember }), ...(part === undefined ? {} : { part }) };
    const { outcome, approval: decided } = await this.#options.calls.call('approval/decide', params);
    this.noteUpdate(decided);
    return outcome;
  }

  /** Reads the list anew. Many calls at once come to two readings at most. */
  look(): void {
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    void this.#read().finally(() => {
      this.#looking = false;
      if (!this.#lookAgain) return;
      this.#lookAgain = false;
      this.look();
    });
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#changed.dispose();
    this.#asked.dispose();
    this.#settled.dispose();
  }

  async #read(): Promise<void> {
    const waiting = this.#options.workspaces.sessions.filter((session) => session.pendingApprovals > 0 && !this.#options.workspaces.isRemoved(session.workspace));
    const folders = [...new Set(waiting.map((session) => session.workspace))];
    try {
      const lists = await Promise.all(folders.map((workspace) => everyApproval(this.#options.calls, { workspace, status: 'pending' })));
      this.#setPending(lists.flat());
    } catch (error) {
      this.#options.log.debug(`pending requests could not be read: ${describeError(error)}`);
    }
  }

  #setPending(next: readonly Approval[]): void {
    const before = new Set(this.#pending.map(({ approvalId }) => approvalId));
    const gone = this.#pending.filter(({ approvalId }) => !next.some((approval) => approval.approvalId === approvalId));
    const same = next.length === this.#pending.length && next.every(({ approvalId }) => before.has(approvalId));
    this.#pending = next;
    if (same) return;
    this.#changed.fire();
    for (const { approvalId } of gone) this.#settle(approvalId);
    for (const approval of next) if (!before.has(approval.approvalId)) this.#asked.fire(approval);
  }

  /** One that is not listed may only be out of reach. */
  #settle(approvalId: ApprovalId): void {
    const seen = this.#known.get(approvalId);
    if (seen !== undefined && seen.status !== 'pending') return this.#settled.fire(approvalId);
    this.#known.delete(approvalId);
    this.get(approvalId).then(({ status }) => {
      if (status !== 'pending') this.#settled.fire(approvalId);
    }, (error: unknown) => this.#options.log.debug(`request ${approvalId} could not be read: ${describeError(error)}`));
  }
}
