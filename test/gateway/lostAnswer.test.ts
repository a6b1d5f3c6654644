import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { AttacheError } from '../../src/protocol/errors.ts';
import * as ids from '../../src/protocol/ids.ts';
import { methods, type MethodName, type ParamsOf } from '../../src/protocol/methods.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { attachParams, createGoal, goalKey, key, newClaim, newCommand, newHostSession, newMessage, OPTIONS, digestOf, startCommand, startMessage, submit, TestHost } from '../support/testHost.ts';
import { eventually } from '../support/eventually.ts';

/** A session with its host, and what a command may be about. */
interface Stage {
  readonly client: TestClient;
  readonly folder: string;
  readonly goal: ids.GoalId;
  readonly host: TestHost;
}

type Params = Record<string, unknown>;

interface Case {
  /** Makes what the command needs, then its parameters. */
  readonly params: (stage: Stage) => Params | Promise<Params>;
  /** Other parameters under the same key; absent where the key is not of a kind that they could conflict with. */
  readonly changed?: (params: Params) => Params;
  /** What the repeat says otherwise than the first answer. */
  readonly repeat?: Params;
}

const renamed = (params: Params): Params => ({ ...params, title: 'another one' });
const working = async ({ client, host }: Stage): Promise<ids.TurnId> => {
  const { turn } = await submit(client, host.sessionId, 'work');
  await host.claim();
  return turn.turnId;
};
const queued = async ({ client, host }: Stage): Promise<ids.TurnId> => (await submit(client, host.sessionId, 'queued')).turn.turnId;
const asking = async (stage: Stage): Promise<{ approvalId: ids.ApprovalId; actionDigest: ids.Digest }> => {
  await working(stage);
  return stage.host.ask('make');
};
const onSession = ({ host }: Stage): Params => ({ commandId: newCommand(), sessionId: host.sessionId });
const onGoal = ({ folder, goal }: Stage): Params => ({ commandId: newCommand(), workspace: folder, goalId: goal });
const newHost = (): Params => ({ hostSessionId: newHostSession(), hostSurface: 'vscode', executorEndpointId: 'endpoint', attachedCapabilities: ['interrupt'] });
const bytes = Buffer.from('some content');

/** Every command that is repeated by a key of its own. */
const CASES: Readonly<Partial<Record<MethodName, Case>>> = {
  'goal/create': { params: ({ folder }) => ({ commandId: newCommand(), workspace: folder, goalId: goalKey(`new-${newCommand()}`), title: 'New' }), changed: renamed },
  'goal/update': { params: (stage) => ({ ...onGoal(stage), title: 'Updated' }), changed: renamed },
  'goal/retire': { params: (stage) => ({ ...onGoal(stage), expectedLifetime: 1 }), changed: (params) => ({ ...params, expectedLifetime: 2 }) },
  'goal/recreate': { params: (stage) => ({ ...onGoal(stage), expectedLifetime: 1 }), changed: renamed },
  'session/attach': { params: ({ folder, goal }) => attachParams({ workspace: folder, goal }), changed: renamed },
  'session/resume': { params: onSession },
  'session/rename': { params: (stage) => ({ ...onSession(stage), title: 'Renamed' }), changed: renamed },
  'session/configure': { params: (stage) => ({ ...onSession(stage), changes: { permissionMode: 'acceptEdits' } }), changed: (params) => ({ ...params, changes: { permissionMode: 'readOnly' } }) },
  'session/pin': { params: (stage) => ({ ...onSession(stage), pinned: true }), changed: (params) => ({ ...params, pinned: false }) },
  'session/archive': { params: (stage) => ({ ...onSession(stage), archived: true }), changed: (params) => ({ ...params, archived: false }) },
  'session/replaceExecutor': { params: (stage) => ({ ...onSession(stage), ...newHost() }), changed: (params) => ({ ...params, ...newHost() }) },
  'session/fork': {
    params: async (stage) => {
      const turnId = await working(stage);
      await stage.host.complete('done');
      return { commandId: newCommand(), turnId, ...newHost() };
    },
    changed: renamed,
  },
  'session/close': { params: onSession },
  'session/delete': { params: onSession },
  'session/undelete': {
    params: async (stage) => {
      await stage.client.call('session/delete', { commandId: newCommand(), sessionId: stage.host.sessionId });
      return onSession(stage);
    },
  },
  'turn/submit': {
    params: ({ host }) => ({ sessionId: host.sessionId, clientTurnId: newMessage(), text: 'once' }), changed: (params) => ({ ...params, text: 'another one' }), repeat: { created: false },
  },
  'turn/cancel': { params: async (stage) => ({ commandId: newCommand(), turnId: await queued(stage) }), changed: ({ commandId }) => ({ commandId, turnId: ids.turnId.parse(`trn_${'0'.repeat(26)}`) }) },
  'turn/retry': {
    params: async (stage) => {
      const turnId = await working(stage);
      await stage.host.complete('done');
      return { commandId: newCommand(), turnId, clientTurnId: newMessage() };
    },
    changed: (params) => ({ ...params, clientTurnId: newMessage() }),
  },
  'turn/steer': { params: async (stage) => ({ commandId: newCommand(), sessionId: stage.host.sessionId, turnId: await working(stage), text: 'left' }), changed: (params) => ({ ...params, text: 'right' }) },
  'turn/reverted': {
    params: async (stage) => {
      const turnId = await working(stage);
      await stage.host.complete('done');
      return { commandId: newCommand(), turnId, again: false, files: [{ path: '/w/a.txt', label: 'a.txt', before: null, after: null }] };
    },
    changed: (params) => ({ ...params, again: true }),
  },
  'queue/edit': { params: async (stage) => ({ commandId: newCommand(), turnId: await queued(stage), text: 'edited', expectedRev: 1 }), changed: (params) => ({ ...params, text: 'another one' }) },
  'queue/remove': { params: async (stage) => ({ commandId: newCommand(), turnId: await queued(stage) }) },
  'queue/reorder': {
    params: async (stage) => {
      const turnIds = [await queued(stage), await queued(stage)];
      return { ...onSession(stage), turnIds: turnIds.reverse() };
    },
    changed: (params) => ({ ...params, turnIds: [...(params['turnIds'] as string[])].reverse() }),
  },
  'queue/pause': { params: onSession },
  'queue/resume': { params: onSession },
  'host/claim': {
    params: async (stage) => {
      await queued(stage);
      return { ...stage.host.target, claimId: newClaim(), waitSeconds: 0 };
    },
  },
  'host/report': {
    params: async (stage) => {
      await working(stage);
      return { ...stage.host.target, claimId: stage.host.claimId, reportSeq: 1, ops: [startMessage('m', 'once')] };
    },
  },
  'host/complete': {
    params: async (stage) => {
      const turnId = await working(stage);
      return {
        ...stage.host.target, turnId, claimId: stage.host.claimId, completionId: ids.completionId.parse(`done-${newClaim()}`), lastReportSeq: 0,
        result: { outcome: 'completed', stopReason: 'end_turn', message: { text: 'once' } },
      };
    },
    repeat: { created: false },
  },
  'approval/request': {
    params: async (stage) => {
      await working(stage);
      await stage.host.report(startCommand('c', 'make', stage.folder));
      const subject = { kind: 'command', command: 'make', cwd: stage.folder, envNames: [] };
      return { commandId: newCommand(), sessionId: stage.host.sessionId, claimId: stage.host.claimId, itemKey: key('c'), title: 'make', subject, options: OPTIONS, actionDigest: digestOf(subject) };
    },
    changed: renamed,
  },
  'approval/withdraw': {
    params: async (stage) => {
      const { approvalId } = await asking(stage);
      return { commandId: newCommand(), sessionId: stage.host.sessionId, claimId: stage.host.claimId, approvalId };
    },
  },
  'approval/decide': {
    params: async (stage) => {
      const { approvalId, actionDigest } = await asking(stage);
      return { commandId: newCommand(), approvalId, actionDigest, optionId: 'yes' };
    },
    changed: (params) => ({ ...params, optionId: 'no' }),
  },
  'blob/put': {
    params: ({ folder }) => ({ workspace: folder, digest: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, offset: 0, base64: bytes.toString('base64') }),
  },
};

/** Commands without an answer that could be lost in the core, or without anything to repeat. */
const ELSEWHERE: Readonly<Partial<Record<MethodName, string>>> = {
  'gateway/drain': 'ends the process: lifecycle and upgrade tests',
  'gateway/shutdown': 'ends the process: lifecycle tests',
  'gateway/freeSpace': 'answered by the server: tests of space',
  'grant/revoke': 'needs a grant: tests of grants, and the same receipts',
  'host/register': 'says how things are, without a key',
  'host/unregister': 'says how things are, without a key',
  'host/renew': 'a sign of life, without a key',
  'host/agent': 'says how things are, without a key',
};

describe('B12 an answer that is lost', () => {
  let gateway: GatewayHarness;
  let client: TestClient;
  let stages = 0;
  before(async () => {
    gateway = await GatewayHarness.start();
    client = await gateway.client();
  });
  after(() => gateway.stop());

  async function newStage(): Promise<Stage> {
    const folder = gateway.folder();
    const goal = goalKey(`goal-${(stages += 1)}`);
    await createGoal(client, folder, goal);
    return { client, folder, goal, host: await TestHost.start(client, { workspace: folder, goal }) };
  }

  /** The command is carried out; what it answered goes nowhere. */
  async function lose(method: MethodName, params: Params): Promise<void> {
    const before = await drops();
    await client.raw('test/fail', { at: 'reply', method, how: 'drop' });
    void client.raw(method, params).catch(() => undefined);
    await eventually('it was carried out', async () => (await drops()) > before);
  }

  const drops = async (): Promise<number> => ((await client.raw('test/steps', {})) as { reply: number }).reply;

  for (const [name, { params: prepare, changed, repeat = {} }] of Object.entries(CASES)) {
    const method = name as MethodName;
    it(`${method}: the repeat with the same key has no second effect${changed === undefined ? '' : '; with other parameters it is refused'}`, async () => {
      const params = await prepare(await newStage());
      const before = gateway.dump();
      await lose(method, params);
      const once = gateway.dump();
      if (method !== 'session/resume' && method !== 'queue/resume') assert.notDeepEqual(once, before, 'it had an effect');
      const answer = (await client.call(method, params as ParamsOf<MethodName>)) as Params;
      for (const [field, value] of Object.entries(repeat)) assert.deepEqual(answer[field], value);
      assert.deepEqual(gateway.dump(), once, 'the repeat had none');
      if (changed === undefined) return;
      await assert.rejects(client.call(method, changed(params) as ParamsOf<MethodName>), (error) => error instanceof AttacheError && error.kind === 'idempotency_conflict');
      assert.deepEqual(gateway.dump(), once, 'a refusal has none either');
    });
  }

  it('every command of the protocol is looked at here, or named with where it is', () => {
    const commands = Object.entries(methods).filter(([, { kind }]) => kind !== 'query').map(([name]) => name);
    assert.deepEqual(commands.filter((name) => !(name in CASES) && !(name in ELSEWHERE)), []);
  });
});
