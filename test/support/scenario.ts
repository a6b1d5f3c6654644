import { eventually } from './eventually.ts';
import { current, follow } from './follow.ts';
import type { TestClient } from './testClient.ts';
import { attachParams, delta, key, newCommand, newHostSession, newMessage, startCommand, startMessage, TestHost } from './testHost.ts';
import type { GatewayCalls } from '../../src/client/gatewayClient.ts';
import type { Approval } from '../../src/protocol/approval/state.ts';
import { goalId, type ClientTurnId, type SessionId } from '../../src/protocol/ids.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';

/**
 * What a person does through some client. Each answers with what the gateway said, as that client passes it on: a turn, an
 * approval, a session, a goal, or the kind of a refusal.
 */
export interface ScenarioClient {
  createGoal(workspace: string, goal: string, title: string): Promise<unknown>;
  send(sessionId: SessionId, text: string, clientTurnId: ClientTurnId): Promise<unknown>;
  decide(approval: Approval, answer: 'yes' | 'no', comment: string | null): Promise<unknown>;
  stop(sessionId: SessionId): Promise<unknown>;
  rename(sessionId: SessionId, title: string): Promise<unknown>;
  close(sessionId: SessionId): Promise<unknown>;
  retireGoal(workspace: string, goal: string): Promise<unknown>;
}

/** The client that speaks the protocol as it is: any transport, any kind. */
export function plainScenarioClient(calls: Pick<GatewayCalls, 'call'>): ScenarioClient {
  const refused = (error: unknown): unknown => {
    const { kind } = error as { kind?: string };
    if (kind === undefined) throw error;
    return { refused: kind };
  };
  return {
    createGoal: (workspace, goal, title) => calls.call('goal/create', { commandId: newCommand(), workspace, goalId: goalId.parse(goal), title }).catch(refused),
    send: (sessionId, text, clientTurnId) => calls.call('turn/submit', { sessionId, clientTurnId, text }).catch(refused),
    decide: (approval, optionId, comment) => calls.call('approval/decide', {
      commandId: newCommand(), approvalId: approval.approvalId, optionId, actionDigest: approval.actionDigest, ...(comment === null ? {} : { comment }),
    }).catch(refused),
    stop: async (sessionId) => {
      const { snapshot } = await calls.call('session/get', { sessionId });
      const turnId = snapshot.session.activeTurnId;
      return turnId === null ? { refused: 'turn_not_active' } : calls.call('turn/cancel', { commandId: newCommand(), turnId }).catch(refused);
    },
    rename: (sessionId, title) => calls.call('session/rename', { commandId: newCommand(), sessionId, title }).catch(refused),
    close: (sessionId) => calls.call('session/close', { commandId: newCommand(), sessionId }).catch(refused),
    retireGoal: async (workspace, goal) => {
      const { goal: found } = await calls.call('goal/get', { workspace, goalId: goalId.parse(goal) });
      return calls.call('goal/retire', { commandId: newCommand(), workspace, goalId: found.goalId, expectedLifetime: found.lifetime }).catch(refused);
    },
  };
}

export interface ScenarioRecord {
  /** What the client was answered, step by step. */
  readonly results: readonly unknown[];
  /** Every event of the session, as a third client saw it. */
  readonly events: readonly unknown[];
}

export interface ScenarioOptions {
  readonly client: ScenarioClient;
  /** The window that runs the session, and a witness. Both may see the folder. */
  readonly editor: TestClient;
  readonly witness: TestClient;
  /** A folder that nobody has used. */
  readonly workspace: string;
}

/**
 * B17: one story through one client: a goal, messages, a repeated and a changed key, an allowed and a rejected request, a stop, a
 * name, a close, refusals. What differs by nature (ids, times, who) is replaced by names, so that two records can be compared.
 */
export async function playScenario({ client, editor, witness, workspace }: ScenarioOptions): Promise<ScenarioRecord> {
  const results: unknown[] = [];
  const step = async (answer: Promise<unknown>): Promise<void> => void results.push(await answer);
  await step(client.createGoal(workspace, 'goal', 'The goal'));
  await step(client.createGoal(workspace, 'goal', 'The same key again'));
  const hostSessionId = newHostSession();
  const { session } = await editor.call('session/attach', attachParams({ workspace, hostSessionId }));
  const host = new TestHost(editor, session!, hostSessionId);
  await host.register();
  const { sessionId } = host;
  const seen = await follow(witness, sessionId);

  const first = newMessage();
  await step(client.send(sessionId, 'first', first));
  await step(client.send(sessionId, 'first', first));
  await step(client.send(sessionId, 'changed', first));
  await host.claim();
  await host.report(startMessage('m'), delta('m', 'working '), startCommand('c', 'make', workspace));
  const asked = await host.ask('make', key('c'));
  await step(client.decide(asked, 'yes', null));
  await step(client.decide(asked, 'yes', null));
  await step(client.decide(asked, 'no', null));
  const again = await host.ask('make install');
  await step(client.decide(again, 'no', 'not that'));
  await host.report({ op: 'item.end', itemKey: key('c'), state: 'completed' });
  await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });

  await step(client.send(sessionId, 'second', newMessage()));
  await host.claim();
  const stopped = client.stop(sessionId);
  await eventually('the host is told', () => current(seen).turns.some(({ state }) => state === 'cancelling'));
  await host.complete({ outcome: 'cancelled', detail: 'nothing was running' });
  // When it answers is the client's own choice: at once, or when the turn has ended.
  await stopped;
  await step(client.stop(sessionId));
  await step(client.rename(sessionId, 'another name'));
  await step(client.retireGoal(workspace, 'goal'));
  await step(client.send(sessionId, 'too late', newMessage()));
  await step(client.close(sessionId));
  await step(client.send(sessionId, 'closed', newMessage()));
  await eventually('the witness has seen the close', () => current(seen).session.status === 'closed');
  return normalised({ results, events: witness.events(seen.id) as SessionEvent[] }, workspace);
}

// Digests hold the folder's name.
const ID = /\b(?:(?:ses|trn|itm|apr|chn|sub)_[0-9a-z]{26}|[0-9a-f]{64})\b/g;
/** Times, and what says who acted. */
const VOLATILE = /^(?:at|.*At|clientId|commandId|clientTurnId|clientKind|windowId|origin|executorEndpointId|nodeVersion)$/;

function normalised(record: ScenarioRecord, workspace: string): ScenarioRecord {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const known = names.get(id) ?? `${id.length === 64 ? 'digest' : id.slice(0, 3)}#${names.size + 1}`;
    names.set(id, known);
    return known;
  };
  // The events first: they name the ids in one order, whatever a client answers with.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (field, entry: unknown) => {
    if (VOLATILE.test(field) && entry !== null && typeof entry !== 'object') return `<${field}>`;
    return typeof entry === 'string' ? entry.replaceAll(workspace, '<workspace>').replace(ID, nameOf) : entry;
  }));
  const events = plain(record.events) as unknown[];
  return { events, results: plain(record.results) as unknown[] };
}
