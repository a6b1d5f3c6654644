import { randomBytes } from 'node:crypto';
import type { Disposable } from '../../base/disposable.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { subscriptionId } from '../../protocol/ids.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { resyncReason, SubscribeResult } from '../../protocol/subscription/commands.ts';
import type { ClientNotification } from '../../protocol/subscription/clientNotifications.ts';
import type { Scope } from '../../protocol/subscription/state.ts';
import type { Committed, GatewayCore } from '../core.ts';
import { whyNotFrom } from '../events/cursor.ts';
import { encodeEvents } from '../events/encodedEvents.ts';
import { scopeKey } from '../events/scopes.ts';
import type { ClientConnection } from './clientConnection.ts';
import { isUrgent, Subscription } from './subscription.ts';

type ResyncReason = (typeof resyncReason.options)[number];
type From = NonNullable<ParamsOf<'sub/subscribe'>['from']>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const mintId = () => subscriptionId.parse(`sub_${[...randomBytes(26)].map((byte) => ALPHABET[byte & 31]).join('')}`);

/** Every live subscription; the only way events reach clients. */
export class SubscriptionHub implements Disposable {
  readonly #core: GatewayCore;
  readonly #byScope = new Map<string, Set<Subscription>>();
  readonly #byConnection = new Map<string, Map<string, Subscription>>();
  readonly #committed: Disposable;

  constructor(core: GatewayCore) {
    this.#core = core;
    this.#committed = core.onCommitted((committed) => this.#publish(committed));
  }

  /** Reads and registers in one go: nothing can be committed in between. */
  subscribe(connection: ClientConnection, { scope, from }: ParamsOf<'sub/subscribe'>): SubscribeResult {
    const own = this.#ownOf(connection);
    if (own.size >= LIMITS.subscriptions) throw new AttacheError('overloaded', { message: 'This client follows as many things as it may.' });
    const reason = from === undefined ? null : this.#whyNotReplay(connection, scope, from);
    const replay = from !== undefined && reason === null;
    const snapshot = replay ? null : this.#core.snapshot(connection.principal, scope);
    const head = snapshot === null ? this.#core.logEnds(connection.principal, scope).head : 'session' in snapshot ? snapshot.session.head : snapshot.workspace.head;
    const subscription = this.#register(connection, scope, replay ? from.seq : head);
    const result: SubscribeResult = { subscriptionId: subscription.id, epoch: this.#core.epoch, head, reason, snapshot };
    connection.channel.afterReply(result, () => subscription.release(head));
    return result;
  }

  unsubscribe(connection: ClientConnection, id: string): void {
    const subscription = this.#ownOf(connection).get(id);
    if (subscription === undefined) throw new AttacheError('not_found');
    this.#forget(connection, subscription);
  }

  /** Says that a client has taken in what was delivered. */
  acknowledge(connection: ClientConnection, { subscriptionId: id, deliverySeq }: ClientNotification<'event/ack'>): void {
    this.#ownOf(connection).get(id)?.acknowledge(deliverySeq);
  }

  drop(connection: ClientConnection): void {
    for (const subscription of [...this.#ownOf(connection).values()]) this.#forget(connection, subscription);
    this.#byConnection.delete(connection.id);
  }

  heads(connection: ClientConnection): Record<string, number> {
    return Object.fromEntries([...this.#ownOf(connection).values()].map(({ id, sent }) => [id, sent]));
  }

  /** Also finds clients that stopped reading while nothing was published. */
  endSlow(connection: ClientConnection): void {
    for (const subscription of [...this.#ownOf(connection).values()]) subscription.endIfSlow();
  }

  dispose(): void {
    this.#committed.dispose();
  }

  #whyNotReplay(connection: ClientConnection, scope: Scope, from: From): ResyncReason | null {
    return whyNotFrom(from, { epoch: this.#core.epoch, ...this.#core.logEnds(connection.principal, scope) });
  }

  #register(connection: ClientConnection, scope: Scope, sent: number): Subscription {
    const subscription: Subscription = new Subscription({
      id: mintId(), scope, connection, core: this.#core, sent, onClosed: () => this.#forget(connection, subscription),
    });
    this.#ownOf(connection).set(subscription.id, subscription);
    const key = scopeKey(scope);
    this.#byScope.set(key, (this.#byScope.get(key) ?? new Set()).add(subscription));
    return subscription;
  }

  #ownOf(connection: ClientConnection): Map<string, Subscription> {
    const known = this.#byConnection.get(connection.id) ?? new Map<string, Subscription>();
    this.#byConnection.set(connection.id, known);
    return known;
  }

  #forget(connection: ClientConnection, subscription: Subscription): void {
    subscription.end();
    this.#ownOf(connection).delete(subscription.id);
    const key = scopeKey(subscription.scope);
    const others = this.#byScope.get(key);
    others?.delete(subscription);
    if (others?.size === 0) this.#byScope.delete(key);
  }

  #publish({ scope, events }: Committed): void {
    const subscribers = this.#byScope.get(scopeKey(scope));
    if (subscribers === undefined) return;
    const publication = { batches: encodeEvents(events), isUrgent: events.some(isUrgent) };
    for (const subscription of [...subscribers]) subscription.publish(publication);
  }
}
