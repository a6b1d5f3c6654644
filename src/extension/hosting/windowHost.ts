import { Emitter } from '../../base/event.ts';
import type { Logger } from '../../base/logger.ts';
import { systemClock } from '../../connector/systemClock.ts';
import { defaultDataRoot } from '../../connector/dataRoot.ts';
import type { ProcessTools } from '../../execution/processTools.ts';
import type { AttachedHost } from '../../host/attachedHost.ts';
import type { ApprovalPolicy, HostLink } from '../../host/hostOptions.ts';
import { AttacheError, type ErrorKind } from '../../protocol/errors.ts';
import type { HostRunId, HostSessionId, ItemId, SessionId } from '../../protocol/ids.ts';
import type { AgentProcessState } from '../../protocol/panel.ts';
import { PRODUCT_VERSION } from '../../protocol/version.ts';
import type { AgentLaunch, AgentRuntime } from '../../runtime/agent.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { EditorPlane } from '../editor/editorPlane.ts';
import type { HostedConversation } from '../memory.ts';
import { agentsPart, inUsePart, once } from '../parts/load.ts';
import { randomHex } from '../randomId.ts';

export interface WindowHostOptions {
  readonly link: HostLink;
  readonly catalogue: AgentCatalogue;
  /** For the sessions of a folder. */
  readonly approvals: (folder: string) => ApprovalPolicy;
  readonly log: Logger;
}

interface Hosted {
  readonly host: AttachedHost;
  readonly folder: string;
  readonly since: number;
  agent: AgentProcessState;
}

/**
 * How soon a session that another window runs is asked for again: at first soon, since after a reload that window is what is left
 * of this one.
 */
const FIRST_RETRY_MS = 500;
const RETRY_MS = 15_000;

/** Ends that may pass: a copy of this window that may be closed, a fault of the gateway. */
const PASSING: ReadonlySet<string> = new Set<ErrorKind>(['host_session_in_use', 'gateway_unavailable']);

/** Ends that nothing undoes: such a session is not asked for again in this life of the window. */
const FOR_GOOD: ReadonlySet<string> = new Set<ErrorKind>(['stale_goal_instance', 'goal_retired', 'session_closed', 'executor_replaced']);

/** Why a session is hosted by nobody here. */
const NOT_HERE = { message: 'This session is not run by this window.', next: 'Use the window that runs it, or continue in a new session.' };

/** Runs the sessions of this window: one host for each, each with one agent at most. */
export class WindowHost {
  readonly #options: WindowHostOptions;
  readonly #processes = once((): ProcessTools => inUsePart().createProcessTools(systemClock));
  readonly #runtime: AgentRuntime;
  /** One life of this extension host. */
  readonly #hostRunId = randomHex() as HostRunId;
  readonly #hosted = new Map<string, Hosted>();
  /** How long to wait before a session is asked for once more. */
  readonly #patience = new Map<string, number>();
  /** By their host session ids: a take-over makes a new one. */
  readonly #over = new Set<string>();
  readonly #changed = new Emitter<string>();
  #isDisposed = false;

  /** The agent of a session has started, ended or died. */
  readonly onChanged = this.#changed.event;

  constructor(options: WindowHostOptions) {
    this.#options = options;
    const runtime = once(() => new (agentsPart().AcpRuntime)({ processes: this.#processes(), clock: systemClock, logger: options.log, version: PRODUCT_VERSION }));
    this.#runtime = { start: async (start) => runtime().start(start) };
  }

  /** Begins to run a session, if it does not yet. No agent is started before there is work for it. */
  adopt(conversation: HostedConversation): void {
    const { sessionId } = conversation;
    if (this.#hosted.has(sessionId) || this.#over.has(conversation.hostSessionId)) return;
    try {
      const host = this.#create(conversation);
      this.#hosted.set(sessionId, { host, folder: conversation.workspace, since: performance.now(), agent: { state: 'none' } });
      host.start();
    } catch (error) {
      // One session that cannot be taken up keeps no other from running.
      this.#hosted.delete(sessionId);
      this.#over.add(conversation.hostSessionId);
      this.#options.log.error(`session ${sessionId} cannot be run here: ${String(error)}`);
    }
  }

  /** Runs one that had ended and is open again. */
  takeUpAgain(conversation: HostedConversation): void {
    this.#over.delete(conversation.hostSessionId);
    this.adopt(conversation);
  }

  /** Lets go of the sessions of folders that are not open here any more. Their agents end. */
  async release(isHere: (folder: string) => boolean): Promise<void> {
    const gone = [...this.#hosted].filter(([, { folder }]) => !isHere(folder));
    for (const [sessionId] of gone) this.#hosted.delete(sessionId);
    await Promise.all(gone.map(([, { host }]) => host.dispose()));
    for (const [sessionId] of gone) this.#changed.fire(sessionId);
  }

  /** A plane of its own for a folder. Acts of agents go through their host's guard; this is for what a person does by hand. */
  plane(root: string): EditorPlane {
    return new (inUsePart().EditorPlane)({ root, processes: this.#processes(), protectedFolders: [defaultDataRoot()] });
  }

  isHosted(sessionId: string): boolean {
    return this.#hosted.has(sessionId);
  }

  agentProcess(sessionId: string): AgentProcessState {
    return this.#hosted.get(sessionId)?.agent ?? { state: 'none' };
  }

  async restartAgent(sessionId: string): Promise<void> {
    await this.#host(sessionId).restartAgent();
  }

  async setOption(sessionId: string, id: string, value: string): Promise<void> {
    await this.#host(sessionId).setOption(id, value);
  }

  async killCommand(sessionId: string, itemId: string): Promise<void> {
    await this.#host(sessionId).killCommand(itemId as ItemId);
  }

  /** Ends every agent with everything it started. The sessions stay. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const all = [...this.#hosted.values()];
    this.#hosted.clear();
    await Promise.all(all.map(({ host }) => host.dispose()));
  }

  #create(conversation: HostedConversation): AttachedHost {
    const { sessionId, hostSessionId, agentId, workspace } = conversation;
    const { link, approvals, log } = this.#options;
    const { AttachedHost, lineDiff } = inUsePart();
    return new AttachedHost({
      sessionId: sessionId as SessionId,
      folder: workspace,
      hostSessionId: hostSessionId as HostSessionId,
      hostRunId: this.#hostRunId,
      link,
      runtime: this.#runtime,
      plane: this.plane(workspace),
      lineDiff,
      launch: () => this.#launch(agentId, workspace),
      approvals: () => approvals(workspace),
      onAgentProcess: (state) => this.#agentChanged(sessionId, state),
      onEnded: (reason) => this.#ended(conversation, reason),
      clock: systemClock,
      logger: log,
    });
  }

  async #launch(agentId: string, cwd: string): Promise<AgentLaunch> {
    const entry = await this.#options.catalogue.find(agentId);
    if (entry === undefined) throw new AttacheError('execution_unavailable', { message: `The agent “${agentId}” is not configured here.`, next: 'Add it to the setting attache.agents, or start a session with another agent.' });
    if (entry.start === null) throw new AttacheError('execution_unavailable', { message: `${entry.label} was not found.`, next: entry.origin === 'preset' ? `Install it with: ${entry.install}` : entry.install });
    return { agentId, label: entry.label, cwd, ...entry.start };
  }

  #agentChanged(sessionId: string, state: AgentProcessState): void {
    const hosted = this.#hosted.get(sessionId);
    if (hosted !== undefined) hosted.agent = state;
    this.#changed.fire(sessionId);
  }

  #ended(conversation: HostedConversation, reason: AttacheError): void {
    const { sessionId } = conversation;
    this.#options.log.info(`session ${sessionId} is run here no more: ${reason.message}`);
    const hosted = this.#hosted.get(sessionId);
    this.#hosted.delete(sessionId);
    void hosted?.host.dispose();
    this.#changed.fire(sessionId);
    if (FOR_GOOD.has(reason.kind)) this.#over.add(conversation.hostSessionId);
    if (PASSING.has(reason.kind)) this.#tryAgain(conversation, hosted === undefined ? 0 : performance.now() - hosted.since);
  }

  #tryAgain(conversation: HostedConversation, lastedMs: number): void {
    const { sessionId } = conversation;
    const wait = lastedMs > RETRY_MS ? FIRST_RETRY_MS : (this.#patience.get(sessionId) ?? FIRST_RETRY_MS);
    this.#patience.set(sessionId, Math.min(RETRY_MS, wait * 2));
    const timer = setTimeout(() => {
      if (!this.#isDisposed) this.adopt(conversation);
    }, wait);
    timer.unref();
  }

  #host(sessionId: string): AttachedHost {
    const hosted = this.#hosted.get(sessionId);
    if (hosted === undefined) throw new AttacheError('permission_denied', NOT_HERE);
    return hosted.host;
  }
}
