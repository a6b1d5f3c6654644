import { randomUUID } from 'node:crypto';
import { Deferred } from '../base/deferred.ts';
import { DisposableStore } from '../base/disposable.ts';
import { digestOf } from '../execution/digest.ts';
import type { Approval, ApprovalKind, ApprovalOption, ApprovalSubject } from '../protocol/approval/state.ts';
import type { ClaimId, CommandId, ItemKey, SessionId } from '../protocol/ids.ts';
import type { HostConnection } from './hostConnection.ts';
import type { ApprovalPolicy } from './hostOptions.ts';
import type { SessionWatch } from './sessionWatch.ts';

export interface ApprovalDeskOptions {
  readonly connection: HostConnection;
  readonly watch: SessionWatch;
  readonly sessionId: SessionId;
  readonly claimId: ClaimId;
  readonly policy: () => ApprovalPolicy;
  /** Aborts when the turn is to end: every open request is then withdrawn. */
  readonly signal: AbortSignal;
}

export interface ApprovalQuestion {
  readonly itemKey: ItemKey;
  readonly title: string;
  readonly subject: ApprovalSubject;
  readonly options: readonly ApprovalOption[];
  /** A rule may not answer this one. */
  readonly mustAsk: boolean;
  /** Aborts when the agent takes the request back. */
  readonly withdrawn?: AbortSignal | null;
}

/** Asks for consent and waits for the recorded answer. Without one, whatever the reason, the answer is no. */
export class ApprovalDesk {
  readonly #options: ApprovalDeskOptions;

  constructor(options: ApprovalDeskOptions) {
    this.#options = options;
  }

  /** The request in its final state, or null when the turn ended before there was one. */
  async ask(question: ApprovalQuestion): Promise<Approval | null> {
    const { connection, sessionId, claimId, signal, policy } = this.#options;
    if (signal.aborted) return null;
    const { itemKey, title, subject, options } = question;
    const auto = question.mustAsk ? null : autoAnswer(policy(), subject.kind, options);
    const { approval } = await connection.call('approval/request', {
      commandId: randomUUID() as CommandId,
      sessionId,
      claimId,
      itemKey,
      title: title.slice(0, 10_000),
      subject,
      options: [...options],
      actionDigest: digestOf(JSON.stringify(subject)),
      ...(auto === null ? {} : { auto }),
      ...(question.mustAsk ? {} : { byRule: true }),
    });
    return approval.status === 'pending' ? this.#decision(approval, question.withdrawn ?? null) : approval;
  }

  async #decision(asked: Approval, withdrawn: AbortSignal | null): Promise<Approval | null> {
    const { watch } = this.#options;
    const signal = withdrawn === null ? this.#options.signal : AbortSignal.any([this.#options.signal, withdrawn]);
    const decided = new Deferred<Approval | null>();
    const take = (approval: Approval | undefined): void => {
      if (approval?.approvalId === asked.approvalId && approval.status !== 'pending') decided.resolve(approval);
    };
    const listening = new DisposableStore();
    listening.add(watch.onApproval(take));
    listening.add(watch.onReplaced(() => void this.#lookUp(asked).then(take)));
    const onAbort = (): void => decided.resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    // Both may have happened before the answer to the request came.
    take(watch.approval(asked.approvalId));
    if (signal.aborted) onAbort();
    const approval = await decided.promise;
    listening.dispose();
    signal.removeEventListener('abort', onAbort);
    if (approval === null) this.#withdraw(asked);
    return approval;
  }

  async #lookUp({ approvalId }: Approval): Promise<Approval | undefined> {
    const answer = await this.#options.connection.call('approval/get', { approvalId }).catch(() => undefined);
    return answer?.approval;
  }

  /** Not waited for: a cancelled turn has closed it already, and nothing depends on it. */
  #withdraw({ approvalId }: Approval): void {
    const { connection, sessionId, claimId } = this.#options;
    connection.call('approval/withdraw', { commandId: randomUUID() as CommandId, sessionId, claimId, approvalId }).catch(() => undefined);
  }
}

/** The answer a setting gives by itself; null when a person is to be asked. */
export function autoAnswer(policy: ApprovalPolicy, kind: ApprovalKind, options: readonly ApprovalOption[]): { optionId: string; rule: string } | null {
  const wish = policy[kind] ?? 'ask';
  // A plan or a question is about what the person wants, which no rule knows.
  if (wish === 'ask' || kind === 'plan' || kind === 'question') return null;
  const kinds = wish === 'allow' ? (['allow_once', 'allow_always'] as const) : (['reject_once', 'reject_always'] as const);
  const chosen = kinds.flatMap((wanted) => options.filter((option) => option.kind === wanted))[0];
  return chosen === undefined ? null : { optionId: chosen.optionId, rule: `policy:attache.approvals.${kind}` };
}
