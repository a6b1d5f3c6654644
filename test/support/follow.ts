import assert from 'node:assert/strict';
import type { SessionId } from '../../src/protocol/ids.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { applySessionEvent } from '../../src/protocol/subscription/reducer.ts';
import type { SessionSnapshot } from '../../src/protocol/subscription/state.ts';
import type { TestClient } from './testClient.ts';

/** A subscription to one session and the snapshot it began with. */
export interface Following {
  readonly id: string;
  readonly view: SessionSnapshot;
  readonly client: TestClient;
}

export async function follow(client: TestClient, sessionId: SessionId): Promise<Following> {
  const { subscriptionId, snapshot } = await client.call('sub/subscribe', { scope: { session: sessionId } });
  assert.ok(snapshot !== null && 'session' in snapshot);
  return { id: subscriptionId, view: snapshot.session, client };
}

/** The snapshot with all events so far; fails when one does not follow its predecessor. */
export function current({ id, view, client }: Following): SessionSnapshot {
  const copy = structuredClone(view);
  for (const event of client.events(id) as SessionEvent[]) assert.equal(applySessionEvent(copy, event).kind, 'applied', `event ${event.seq} follows ${copy.head}`);
  return copy;
}

/** The text of the last item of a kind. */
export const lastText = (view: SessionSnapshot, kind: string): string | undefined => view.items.findLast(({ data }) => data.kind === kind)?.text;
