import { gatewayCalls, isUnknownOutcome, type GatewayCalls } from '../../../src/client/gatewayClient.ts';
import type { Mirror } from '../../../src/client/mirror.ts';
import { sessionMirror, type SessionMirror } from '../../../src/client/sessionMirror.ts';
import { workspaceMirror, type WorkspaceMirror } from '../../../src/client/workspaceMirror.ts';
import type { GatewayCommand } from '../../../src/connector/spawnGateway.ts';
import { AttacheError, type ErrorKind } from '../../../src/protocol/errors.ts';
import type { ClientKind } from '../../../src/protocol/envelope.ts';
import { clientId, type SessionId } from '../../../src/protocol/ids.ts';
import type { MethodName, ParamsOf, ResultOf } from '../../../src/protocol/methods.ts';
import type { Notifications } from '../../../src/protocol/subscription/commands.ts';
import type { AnyEvent } from '../../../src/protocol/subscription/events.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { CuttingLink } from '../cuttingLink.ts';
import { Changed } from './changed.ts';

/** A command that was answered: what it promised must hold whatever happens afterwards. */
export interface Acknowledged {
  readonly method: MethodName;
  readonly params: unknown;
  readonly result: unknown;
}

/** Everything a client was shown of one scope. */
export interface Shown {
  readonly scope: 'session' | 'workspace';
  readonly event: AnyEvent;
}

/** Said only because a link is new or its gateway is going: the same call is made again. */
const AGAIN: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['attached_session_host_mismatch', 'claim_superseded', 'draining']);

/** A client as the product's are: outlives every link, repeats what was not answered with the same key, keeps mirrors. Writes down what it saw. */
export class StoryClient {
  readonly name: string;
  readonly calls: GatewayCalls;
  readonly shown: Shown[] = [];
  readonly acknowledged: Acknowledged[] = [];
  readonly epochs: number[] = [];
  /** What must never happen, as it happened. */
  readonly violations: string[] = [];
  readonly changed = new Changed();
  session!: SessionMirror;
  readonly workspace: WorkspaceMirror;
  /** Runs on each new link before the mirrors, as a host registers. */
  beforeMirrors: () => Promise<unknown> = () => Promise.resolve();
  readonly #link: CuttingLink;
  readonly #lastOf = new Map<string, { seq: number; delivery: number }>();
  #held: SessionSnapshot | null = null;
  #ended = false;

  constructor(dataRoot: string, folder: string, name: string, kind: ClientKind) {
    this.name = name;
    this.#link = new CuttingLink(dataRoot, { clientId: clientId.parse(name), kind, workspaces: [{ path: folder, trusted: true }] }, null);
    this.calls = gatewayCalls(this.#link);
    this.calls.on('event/batch', (batch) => this.#checkOrder(batch));
    this.workspace = this.#watch('workspace', workspaceMirror(this.calls, folder));
    this.#link.relinked = () => this.#relinked();
  }

  /** From now on it starts this where there is no gateway, as a window does. */
  starts(command: GatewayCommand): void {
    this.#link.starts = command;
  }

  get view(): SessionSnapshot | null {
    return this.session?.view ?? null;
  }

  open(): Promise<void> {
    return this.#link.open();
  }

  /** From now on it also follows this session. */
  async follow(sessionId: SessionId): Promise<void> {
    this.session = this.#watch('session', sessionMirror(this.calls, sessionId));
    this.session.onReplaced((view) => this.#checkReplaced(view));
    await this.session.connect();
  }

  /** Loses its link, and makes a new one. */
  cut(): void {
    this.#link.cut();
  }

  /** Leaves for good, without a word. */
  end(): void {
    this.#ended = true;
    this.#link.end();
    this.changed.fire();
  }

  /** Repeats the command until it is answered, and remembers the answer. */
  async do<M extends MethodName>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    for (;;) {
      if (this.#ended) throw new Left();
      try {
        const result = await this.calls.call(method, params);
        this.acknowledged.push({ method, params, result });
        return result;
      } catch (error) {
        if (!this.#isPassing(error)) throw error;
        await this.changed.next();
      }
    }
  }

  /** Waits until its view of the session is as wanted. */
  async until<T>(what: (view: SessionSnapshot) => T | null | undefined | false): Promise<T> {
    for (;;) {
      if (this.#ended) throw new Left();
      const found = this.view === null ? null : what(this.view);
      if (found !== null && found !== undefined && found !== false) return found;
      await this.changed.next();
    }
  }

  #isPassing(error: unknown): boolean {
    return isUnknownOutcome(error) || (error instanceof AttacheError && AGAIN.has(error.kind));
  }

  async #relinked(): Promise<void> {
    this.epochs.push(this.#link.epoch);
    this.#lastOf.clear();
    await this.beforeMirrors();
    await Promise.all([this.workspace.connect(), this.session?.connect()]);
    this.changed.fire();
  }

  /** One subscription is one unbroken row of numbers. */
  #checkOrder({ subscriptionId, events, deliverySeq }: Notifications['event/batch']): void {
    const last = this.#lastOf.get(subscriptionId);
    const first = events[0]?.seq ?? 0;
    const unbroken = events.every(({ seq }, at) => seq === first + at) && deliverySeq === (last?.delivery ?? 0) + 1 && (last === undefined || first === last.seq + 1);
    if (!unbroken) this.violations.push(`${this.name}: batch ${deliverySeq} with ${first}… follows batch ${last?.delivery} with …${last?.seq}`);
    this.#lastOf.set(subscriptionId, { seq: events.at(-1)?.seq ?? 0, delivery: deliverySeq });
  }

  /** What was shown may have grown when a whole new view comes; it has not shrunk. */
  #checkReplaced(next: SessionSnapshot): void {
    const before = this.#held;
    this.#held = next;
    if (before === null) return;
    if (next.head < before.head) this.violations.push(`${this.name}: was at ${before.head}, then at ${next.head}`);
    const now = new Map(next.items.map((item) => [item.itemId, item]));
    for (const { itemId, text, data } of before.items) {
      // Only a message that waits in the queue is edited.
      const kept = data.kind === 'user_message' ? now.has(itemId) : now.get(itemId)?.text.startsWith(text) === true;
      if (!kept) this.violations.push(`${this.name}: was shown “${text}” (${data.kind}), then “${now.get(itemId)?.text}”`);
    }
    for (const { turnId } of before.turns) if (!next.turns.some((turn) => turn.turnId === turnId)) this.violations.push(`${this.name}: was shown turn ${turnId}, then not any more`);
  }

  #watch<M extends Mirror<{ head: number }, AnyEvent>>(scope: Shown['scope'], mirror: unknown): M {
    const watched = mirror as M;
    watched.onReplaced(() => this.changed.fire());
    watched.onEvents((events) => {
      for (const event of events) this.shown.push({ scope, event: structuredClone(event) });
      this.changed.fire();
    });
    return watched;
  }
}

/** What still waited when its client left. */
export class Left extends Error {
  constructor() {
    super('the client has left');
    this.name = 'Left';
  }
}
