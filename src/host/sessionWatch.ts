import type { Disposable } from '../base/disposable.ts';
import { DisposableStore } from '../base/disposable.ts';
import { Emitter } from '../base/event.ts';
import { sessionMirror, type SessionMirror } from '../client/sessionMirror.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import type { Approval } from '../protocol/approval/state.ts';
import type { ApprovalId, SessionId } from '../protocol/ids.ts';
import { isHeld } from '../protocol/session/held.ts';
import type { Session } from '../protocol/session/state.ts';
import type { SessionEvent } from '../protocol/subscription/events.ts';
import type { Turn } from '../protocol/turn/state.ts';

/** What the gateway says of the session's turns and requests, whoever caused it. */
export class SessionWatch implements Disposable {
  readonly #mirror: SessionMirror;
  readonly #disposables = new DisposableStore();
  readonly #approvals = new Emitter<Approval>();
  readonly #turns = new Emitter<Turn>();
  readonly #sessions = new Emitter<Session>();
  readonly #replaced = new Emitter<void>();
  readonly #released = new Emitter<void>();
  #isHeld = false;

  readonly onApproval = this.#approvals.event;
  readonly onTurn = this.#turns.event;
  readonly onSession = this.#sessions.event;
  /** The whole was read anew; what has changed in between, and is too old to be shown, was not told. */
  readonly onReplaced = this.#replaced.event;

  constructor(calls: GatewayCalls, sessionId: SessionId) {
    this.#mirror = this.#disposables.add(sessionMirror(calls, sessionId));
    this.#disposables.add(this.onSession((session) => this.#noteHeld(session)));
    this.#disposables.add(this.#mirror.onReplaced(({ session, approvals, turns }) => {
      this.#sessions.fire(session);
      for (const approval of approvals) this.#approvals.fire(approval);
      for (const turn of turns) this.#turns.fire(turn);
      this.#replaced.fire();
    }));
    this.#disposables.add(this.#mirror.onEvents((events) => events.forEach((event) => this.#take(event))));
  }

  /** To be called for each new link. */
  async connect(): Promise<void> {
    await this.#mirror.connect();
  }

  /** Somebody tries again in a session that was held. */
  readonly onReleased = this.#released.event;

  /** As last heard; undefined before the first time. */
  get session(): Session | undefined {
    return this.#mirror.view?.session;
  }

  /** The last answer for good that was given to a request of this kind, in the agent's words. The agent keeps such a rule by itself. */
  standingAnswer(kind: Approval['subject']['kind']): string | null {
    const names = (this.#mirror.view?.approvals ?? []).flatMap(({ status, subject, optionId, options }) =>
      (status === 'approved' && subject.kind === kind ? options.filter((option) => option.optionId === optionId && option.kind === 'allow_always').map(({ name }) => name) : []));
    return names.at(-1) ?? null;
  }

  approval(approvalId: ApprovalId): Approval | undefined {
    return this.#mirror.view?.approvals.find((approval) => approval.approvalId === approvalId);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #noteHeld(session: Session): void {
    const now = isHeld(session);
    if (this.#isHeld && !now) this.#released.fire();
    this.#isHeld = now;
  }

  #take(event: SessionEvent): void {
    if (event.type === 'approval.requested' || event.type === 'approval.updated') this.#approvals.fire(event.approval);
    else if (event.type === 'turn.updated' || event.type === 'turn.ended') this.#turns.fire(event.turn);
    else if (event.type === 'session.updated') this.#sessions.fire(event.session);
  }
}
