import assert from 'node:assert/strict';
import type { Operation } from '../../../../src/gateway/admission/facts.ts';
import { AttacheError } from '../../../../src/protocol/errors.ts';
import type { NamedFacts } from '../../../support/admissionTable.ts';
import { CoreHarness, TestClient, WORKSPACE } from './coreHarness.ts';
import { attachParams, command, digestOf, hex, Story } from './story.ts';

const NEW_HOST = { hostSessionId: hex('other window'), hostSurface: 'vscode' as const, executorEndpointId: 'offline', attachedCapabilities: [] };

type Values = Record<string, string | number | null>;

/** Who asks. `bound` speaks on the connection of the registered host. */
export interface Asker {
  readonly names: NamedFacts;
  readonly client: TestClient;
}

/**
 * One real store with a running turn, waiting turns, an ended one and an open request, whose rows are set to any state that admission
 * knows. Refusals change nothing, so that one scene serves thousands of cases.
 */
export class RefusalScene {
  readonly gw = new CoreHarness();
  readonly story: Story;
  readonly instances: readonly string[];
  readonly askers: readonly Asker[];
  readonly #turns: { readonly done: string; readonly running: string; readonly queued: readonly string[] };
  readonly #approval: { readonly approvalId: string; readonly actionDigest: string };
  readonly #grantId: string;
  #keys = 0;

  static async make(): Promise<RefusalScene> {
    const gw = new CoreHarness();
    const before = await Story.attached(gw, { hostSessionId: hex('history') });
    await before.recreate(1);
    await before.recreate(2);
    const story = await Story.begin(gw);
    const done = await story.run('claim-0');
    await story.complete(done, undefined, { claimId: 'claim-0', completionId: 'completion-0' });
    const running = await story.run();
    const queued = [(await story.submit('next')).turn.turnId, (await story.submit('last')).turn.turnId];
    const approval = await story.ask();
    const remembered = await story.ask();
    const { grant } = await story.host.call('approval/decide', {
      commandId: story.host.command(), approvalId: remembered.approvalId, actionDigest: remembered.actionDigest, optionId: 'allow',
      remember: { scope: 'workspace', pattern: { kind: 'command', match: 'exact', argv: ['touch', 'a.txt'], cwd: WORKSPACE } },
    });
    return new RefusalScene(gw, story, { done, running, queued, approval, grantId: grant?.grantId ?? '' });
  }

  private constructor(gw: CoreHarness, story: Story, made: { done: string; running: string; queued: readonly string[]; approval: { approvalId: string; actionDigest: string }; grantId: string }) {
    this.gw = gw;
    this.story = story;
    this.#turns = made;
    this.#approval = made.approval;
    this.#grantId = made.grantId;
    this.instances = gw.store.all<{ goalInstanceId: string }>('SELECT goalInstanceId FROM goals ORDER BY lifetime').map(({ goalInstanceId }) => goalInstanceId);
    const as = (trusted: boolean | null, host: 'bound' | 'other'): TestClient => {
      const workspaces = trusted === null ? [{ path: '/w/elsewhere', trusted: true }] : [{ path: WORKSPACE, trusted }];
      return host === 'bound' ? new TestClient(gw, { ...story.host.principal, workspaces }) : gw.client('another window', 'editor', workspaces);
    };
    this.askers = (['bound', 'other'] as const).flatMap((host) => [
      { names: { host, access: 'full' }, client: as(true, host) },
      { names: { host, access: 'read_only' }, client: as(false, host) },
      { names: { host, access: 'none' }, client: as(null, host) },
    ]);
  }

  setGoal(goal: string): void {
    const { store } = this.gw;
    const [, second = '', third = ''] = this.instances;
    store.run(`UPDATE goals SET goalId = 'goal', profile = 'source_session_v1', state = iif(lifetime = 3, 'live', 'retired')`);
    store.run('UPDATE goals SET goalInstanceId = CASE lifetime WHEN 2 THEN ? WHEN 3 THEN ? ELSE goalInstanceId END', second, third);
    store.run(`INSERT OR IGNORE INTO stampedHistory (workspace, goalId) VALUES (?, 'goal')`, WORKSPACE);
    this.gw.observe = goal === 'unreadable' ? refuseGoals : () => undefined;
    if (goal === 'absent') store.run(`UPDATE goals SET goalId = 'gone'`);
    if (goal === 'retired') store.run(`UPDATE goals SET state = 'retired'`);
    if (goal === 'duplicated') store.run(`UPDATE goals SET state = 'live' WHERE lifetime > 1`);
    if (goal === 'malformed') store.run(`UPDATE goals SET goalInstanceId = 'ginst_broken' WHERE lifetime = 3`);
    if (goal.startsWith('legacy')) store.run(`UPDATE goals SET profile = 'legacy', goalInstanceId = NULL WHERE lifetime = 3`);
    if (goal === 'legacy') store.run('DELETE FROM stampedHistory');
  }

  setSession(changes: Values): void {
    this.#set('sessions', changes, `sessionId = '${this.story.sessionId}'`);
  }

  /** The stamps of the running turn. */
  setTurn(stamp: string | null, handedOut: { readonly at: string | null } | null): void {
    this.#set('turns', { goalInstanceId: stamp, admittedAt: handedOut === null ? null : 1, admittedInstanceId: handedOut?.at ?? null }, `turnId = '${this.#turns.running}'`);
  }

  /** The stamp of what waits. */
  setQueue(stamp: string | null): void {
    this.#set('turns', { goalInstanceId: stamp }, `state = 'queued'`);
  }

  stampOf(name: string): string | null {
    const [first = '', second = '', third = ''] = this.instances;
    return { none: null, current: third, older: second, oldest: first, malformed: 'ginst_broken' }[name] ?? null;
  }

  /** The refusal must have this code and leave no trace. */
  async refuses(code: string, call: () => Promise<unknown>, what: string): Promise<void> {
    const { gw } = this;
    const before = gw.published.length;
    const [changes, rows] = [this.#changes(), this.#dumpOnce()];
    const outcome = await call().then(() => 'accepted', (error: unknown) => (error instanceof AttacheError ? error.kind : String(error)));
    assert.equal(outcome, code, what);
    assert.equal(gw.published.length, before, `${what} told something`);
    // What was never written needs no comparison of all rows.
    if (this.#changes() !== changes) assert.deepEqual(this.#dump(), rows, `${what} left a trace`);
  }

  /** One call for each operation on the session, as this client makes it. */
  callsOn(by: TestClient): Partial<Record<Operation, () => Promise<unknown>>> {
    return { ...this.#queueCalls(by), ...this.#sessionCalls(by), ...this.#hostCalls(by) };
  }

  #queueCalls(by: TestClient): Partial<Record<Operation, () => Promise<unknown>>> {
    const { sessionId } = this.story;
    const { done, queued } = this.#turns;
    const [next = ''] = queued;
    const key = () => `key-${(this.#keys += 1)}`;
    return {
      submit: () => by.call('turn/submit', { sessionId, clientTurnId: key(), text: 'x' }),
      retry: () => by.call('turn/retry', { commandId: key(), turnId: done, clientTurnId: key() }),
      fork: () => by.call('session/fork', { commandId: key(), turnId: done, ...NEW_HOST }),
      queue_edit: () => by.call('queue/edit', { commandId: key(), turnId: next, text: 'y', expectedRev: 1 }),
      queue_reorder: () => by.call('queue/reorder', { commandId: key(), sessionId, turnIds: [...queued].reverse() }),
      queue_remove: () => by.call('queue/remove', { commandId: key(), turnId: next }),
      cancel: () => by.call('turn/cancel', { commandId: key(), turnId: next }),
      steer: () => by.call('turn/steer', { commandId: key(), sessionId, turnId: this.#turns.running, text: 'x' }),
    };
  }

  #sessionCalls(by: TestClient): Partial<Record<Operation, () => Promise<unknown>>> {
    const { sessionId } = this.story;
    const key = () => `key-${(this.#keys += 1)}`;
    const decide = (optionId: string) => by.call('approval/decide', { commandId: key(), approvalId: this.#approval.approvalId, actionDigest: this.#approval.actionDigest, optionId });
    return {
      resume: () => by.call('session/resume', { commandId: key(), sessionId }),
      close: () => by.call('session/close', { commandId: key(), sessionId }),
      delete: () => by.call('session/delete', { commandId: key(), sessionId }),
      organise: () => by.call('session/pin', { commandId: key(), sessionId, pinned: true }),
      manage: () => by.call('session/rename', { commandId: key(), sessionId, title: 'x' }),
      replace_executor: () => by.call('session/replaceExecutor', { commandId: key(), sessionId, ...NEW_HOST }),
      approve_allow: () => decide('allow'),
      approve_reject: () => decide('deny'),
    };
  }

  #hostCalls(by: TestClient): Partial<Record<Operation, () => Promise<unknown>>> {
    const { sessionId, hostRunId, hostSessionId } = this.story;
    const { running } = this.#turns;
    const key = () => `key-${(this.#keys += 1)}`;
    const host = { sessionId, hostRunId };
    const subject = command('touch a.txt');
    return {
      register: () => by.call('host/register', { ...host, hostSurface: 'vscode', hostSessionId: by.principal.connectionId === this.story.host.principal.connectionId ? hostSessionId : hex('nobody') }),
      host_presence: () => by.call('host/renew', host),
      claim_new: () => by.call('host/claim', { ...host, claimId: key(), waitSeconds: 0 }),
      claim_replay: () => by.call('host/claim', { ...host, claimId: 'claim-1', waitSeconds: 0 }),
      report: () => by.call('host/report', { ...host, claimId: 'claim-1', reportSeq: 1, ops: [{ op: 'turn.usage', usage: {} }] }),
      approval_request: () => by.call('approval/request', {
        commandId: key(), sessionId, claimId: 'claim-1', title: 't', subject, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }], actionDigest: digestOf(JSON.stringify(subject)),
      }),
      complete: () => by.call('host/complete', { ...host, turnId: running, claimId: 'claim-1', completionId: key(), lastReportSeq: 0, result: { outcome: 'cancelled' } }),
    };
  }

  /** One call for each operation on the goal. */
  goalCalls(by: TestClient, expectedLifetime: number): Partial<Record<Operation, () => Promise<unknown>>> {
    const target = { workspace: WORKSPACE, goalId: 'goal' };
    const key = () => `key-${(this.#keys += 1)}`;
    return {
      grant_revoke: () => by.call('grant/revoke', { commandId: key(), grantId: this.#grantId }),
      goal_create: () => by.call('goal/create', { commandId: key(), ...target, title: 'x' }),
      goal_update: () => by.call('goal/update', { commandId: key(), ...target, title: 'x' }),
      goal_retire: () => by.call('goal/retire', { commandId: key(), ...target, expectedLifetime }),
      goal_recreate: () => by.call('goal/recreate', { commandId: key(), ...target, expectedLifetime }),
    };
  }

  undelete(by: TestClient): Promise<unknown> {
    return by.call('session/undelete', { commandId: `key-${(this.#keys += 1)}`, sessionId: this.story.sessionId });
  }

  attach(by: TestClient, candidate: string, sessionMode: 'attached_host' | 'managed_runtime'): Promise<unknown> {
    const { channelId, hostSessionId } = this.story;
    return by.call('session/attach', attachParams(by, {
      commandId: `key-${(this.#keys += 1)}`, sessionMode, hostSessionId: candidate === 'equal' ? hostSessionId : hex('different'), ...(candidate === 'none' ? {} : { channelId }),
    }));
  }

  #set(table: string, changes: Values, where: string): void {
    const set = Object.keys(changes).map((name) => `${name} = ?`).join(', ');
    this.gw.store.run(`UPDATE ${table} SET ${set} WHERE ${where}`, ...Object.values(changes));
    this.#rows = null;
  }

  #rows: Record<string, string[]> | null = null;

  #dumpOnce(): Record<string, string[]> {
    return (this.#rows ??= this.#dump());
  }

  #dump(): Record<string, string[]> {
    const { observe } = this.gw;
    this.gw.observe = () => undefined;
    const rows = this.gw.dump();
    this.gw.observe = observe;
    return rows;
  }

  #changes(): number {
    return this.gw.store.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  }
}

function refuseGoals({ kind, sql }: { readonly kind: string; readonly sql: string }): void {
  if (kind === 'read' && sql.includes('FROM goals')) throw new AttacheError('store_unreadable');
}
