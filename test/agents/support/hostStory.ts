import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { silentLogger, type Logger } from '../../../src/base/logger.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { DiskPlane } from '../../../src/execution/diskPlane.ts';
import { lineDiff } from '../../../src/execution/lineDiff.ts';
import type { ExecutionPlane } from '../../../src/execution/plane.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { AttachedHost } from '../../../src/host/attachedHost.ts';
import type { ApprovalPolicy } from '../../../src/host/hostOptions.ts';
import type { Approval, ApprovedPart } from '../../../src/protocol/approval/state.ts';
import { commandId, hostRunId, hostSessionId, type HostRunId, type HostSessionId, type SessionId } from '../../../src/protocol/ids.ts';
import type { Item } from '../../../src/protocol/item/state.ts';
import type { AgentProcessState } from '../../../src/protocol/panel.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { hasEnded, type Turn } from '../../../src/protocol/turn/state.ts';
import type { AgentLaunch } from '../../../src/runtime/agent.ts';
import { AcpRuntime } from '../../../src/runtime/acp/acpRuntime.ts';
import { eventually } from '../../support/eventually.ts';
import { GatewayHarness } from '../../support/gatewayHarness.ts';
import { realClock } from '../../support/realClock.ts';
import { TestClient } from '../../support/testClient.ts';
import { attachParams, createGoal, newCommand, submit } from '../../support/testHost.ts';
import { StoryLink } from './storyLink.ts';

export type AgentCommand = Pick<AgentLaunch, 'command' | 'args'> & Partial<Pick<AgentLaunch, 'env'>>;

export interface StorySessionOptions {
  readonly agent: AgentCommand;
  readonly goal?: string;
  readonly approvals?: ApprovalPolicy;
  readonly clock?: Clock;
  /** Wraps the disk, e.g. to make a document look unsaved. */
  readonly plane?: (disk: ExecutionPlane) => ExecutionPlane;
}

const quiet: Logger = process.env['STORY_LOG'] === undefined ? silentLogger : {
  debug: (message) => console.log('debug', message),
  info: (message) => console.log('info', message),
  warn: (message) => console.log('warn', message),
  error: (message) => console.log('error', message),
};

/** A real gateway process, a folder, and sessions whose hosts run real agent processes in it. */
export class HostStory {
  readonly gateway: GatewayHarness;
  readonly folder: string;
  readonly #sessions: StorySession[] = [];
  #viewer: TestClient | null = null;
  #count = 0;

  /** `folder`: for agents that treat a temporary folder in their own way. */
  static async start(folder?: string): Promise<HostStory> {
    return new HostStory(await GatewayHarness.start({ clock: 'system' }), folder);
  }

  constructor(gateway: GatewayHarness, folder = gateway.folder()) {
    this.gateway = gateway;
    this.folder = folder;
  }

  /** Somebody else who looks at the sessions and answers requests. */
  async viewer(): Promise<TestClient> {
    if (this.#viewer !== null && (await this.#viewer.call('gateway/status', {}).then(() => true, () => false))) return this.#viewer;
    this.#viewer = await TestClient.connect(this.gateway.dataRoot, { kind: 'cli', clientId: `viewer-${String(++this.#count)}`, folders: [this.folder] });
    return this.#viewer;
  }

  async session(options: StorySessionOptions): Promise<StorySession> {
    const link = new StoryLink(this.gateway.dataRoot, this.folder, `window-${String(++this.#count)}`);
    await link.open();
    const hostSession = hostSessionId.parse(randomBytes(16).toString('hex'));
    const client = await this.viewer();
    await createGoal(client, this.folder, options.goal).catch(() => undefined);
    const params = attachParams({ workspace: this.folder, hostSessionId: hostSession, ...(options.goal === undefined ? {} : { goal: options.goal }) });
    const { session } = await link.calls.call('session/attach', params);
    if (session === null) throw new Error('no session');
    const story = new StorySession(this, link, { sessionId: session.sessionId, hostSession, options });
    this.#sessions.push(story);
    story.startHost();
    return story;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) await session.end();
    this.#viewer?.close();
    await this.gateway.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface StorySessionStart {
  readonly sessionId: SessionId;
  readonly hostSession: HostSessionId;
  readonly options: StorySessionOptions;
}

/** One session with its host. */
export class StorySession {
  readonly sessionId: SessionId;
  readonly link: StoryLink;
  readonly agentStates: AgentProcessState[] = [];
  readonly ended: string[] = [];
  readonly #story: HostStory;
  readonly #start: StorySessionStart;
  #host: AttachedHost | null = null;

  constructor(story: HostStory, link: StoryLink, start: StorySessionStart) {
    this.#story = story;
    this.link = link;
    this.#start = start;
    this.sessionId = start.sessionId;
  }

  get host(): AttachedHost {
    if (this.#host === null) throw new Error('the host does not run');
    return this.#host;
  }

  /** The same conversation in another window, as when a window is duplicated. */
  copy(): StorySession {
    return new StorySession(this.#story, new StoryLink(this.#story.gateway.dataRoot, this.#story.folder, `${this.link.clientId}-copy`), this.#start);
  }

  /** A new runtime process as the gateway sees it. */
  startHost(run: HostRunId = hostRunId.parse(randomBytes(16).toString('hex'))): void {
    const { options, hostSession } = this.#start;
    const clock = options.clock ?? realClock;
    const processes = createProcessTools(realClock);
    const disk = new DiskPlane({ root: this.#story.folder, processes });
    this.#host = new AttachedHost({
      sessionId: this.sessionId,
      folder: this.#story.folder,
      hostSessionId: hostSession,
      hostRunId: run,
      link: this.link,
      runtime: new AcpRuntime({ processes, clock, logger: quiet, version: '0.0.0' }),
      plane: options.plane?.(disk) ?? disk,
      lineDiff,
      launch: () => ({ agentId: 'test', label: 'Test Agent', env: {}, cwd: this.#story.folder, ...options.agent }),
      approvals: () => options.approvals ?? {},
      onAgentProcess: (state) => this.agentStates.push(state),
      onEnded: (reason) => this.ended.push(reason.kind),
      clock,
      logger: quiet,
    });
    this.#host.start();
  }

  async endHost(): Promise<void> {
    await this.#host?.dispose();
    this.#host = null;
  }

  async end(): Promise<void> {
    await this.endHost();
    this.link.cut();
  }

  async submit(text: string): Promise<Turn> {
    return (await submit(await this.#story.viewer(), this.sessionId, text)).turn;
  }

  async stopTurn({ turnId }: Turn): Promise<void> {
    await (await this.#story.viewer()).call('turn/cancel', { commandId: newCommand(), turnId });
  }

  async view(): Promise<SessionSnapshot> {
    return (await (await this.#story.viewer()).call('session/get', { sessionId: this.sessionId })).snapshot;
  }

  /** The turn once it has ended. */
  async endOf({ turnId }: Turn): Promise<Turn> {
    return eventually(`the end of ${turnId}`, async () => {
      const { turn } = await (await this.#story.viewer()).call('turn/get', { turnId });
      return hasEnded(turn.state) ? turn : undefined;
    }, 60_000);
  }

  async items({ turnId }: Turn): Promise<Item[]> {
    const { items } = await this.view();
    const whole = await Promise.all(items.filter((item) => item.turnId === turnId).map(async ({ itemId }) => (await (await this.#story.viewer()).call('item/get', { itemId })).item));
    return whole;
  }

  async pending(count = 1): Promise<Approval[]> {
    return eventually(`${String(count)} open requests`, async () => {
      const open = (await this.view()).approvals.filter(({ status }) => status === 'pending');
      return open.length >= count ? open : undefined;
    });
  }

  /** `part`: which hunks of each change are allowed. */
  async decide({ approvalId, actionDigest, options }: Approval, answer: 'allow' | 'reject', part?: ApprovedPart): Promise<void> {
    const option = options.find(({ kind }) => kind.startsWith(answer));
    if (option === undefined) throw new Error(`no option to ${answer}`);
    await (await this.#story.viewer()).call('approval/decide', { commandId: commandId.parse(`decide-${randomBytes(8).toString('hex')}`), approvalId, optionId: option.optionId, actionDigest, ...(part === undefined ? {} : { part }) });
  }

  /** Answers everything that is asked until the turn ends. */
  async through(turn: Turn, answer: 'allow' | 'reject'): Promise<Turn> {
    let over = false;
    const ended = this.endOf(turn).finally(() => { over = true; });
    await eventually('the end of the turn', async () => {
      for (const approval of (await this.view()).approvals.filter(({ status }) => status === 'pending')) await this.decide(approval, answer).catch(() => undefined);
      return over;
    }, 90_000);
    return ended;
  }
}

/** One line for each item, for comparing. */
export const outline = (items: readonly Item[]): string[] => items.map(({ data, state, text }) => `${data.kind} ${state} ${text.trim()}`.trim());
