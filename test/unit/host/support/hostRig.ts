import { Emitter } from '../../../../src/base/event.ts';
import { Deferred } from '../../../../src/base/deferred.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { ExecutionPlane, GuardedPlane } from '../../../../src/execution/plane.ts';
import { lineDiff } from '../../../../src/execution/lineDiff.ts';
import { AttachedHost } from '../../../../src/host/attachedHost.ts';
import type { HostRunId, HostSessionId, SessionId } from '../../../../src/protocol/ids.ts';
import type { AgentState } from '../../../../src/protocol/session/state.ts';
import type { Turn } from '../../../../src/protocol/turn/state.ts';
import type { Agent, AgentExit, AgentRuntime, PromptInput, TurnEnd, TurnSink } from '../../../../src/runtime/agent.ts';
import { WORKSPACE, type CoreHarness } from '../../gateway/support/coreHarness.ts';
import { Story } from '../../gateway/support/story.ts';
import { CoreLink } from './coreLink.ts';

/** What a test's agent does with a prompt. */
export type Play = (turn: { readonly input: PromptInput; readonly plane: GuardedPlane; readonly sink: TurnSink; readonly signal: AbortSignal }) => Promise<TurnEnd>;

export const done: TurnEnd = { outcome: 'completed', stopReason: 'end_turn', lastMessageKey: null, usage: null };

/** The product's host of one session over a core in this process; gateway and host share one driven clock. */
export class HostRig {
  readonly gw: CoreHarness;
  readonly story: Story;
  readonly link: CoreLink;
  readonly host: AttachedHost;
  readonly prompts: string[] = [];
  readonly ended: string[] = [];
  play: Play = async () => done;
  start = (): Promise<Agent> => Promise.resolve(this.#agent());
  /** What the agent offers, and whether it takes a choice. */
  state: AgentState = { name: null, version: null, options: [], commands: [], contextUsed: null, contextSize: null };
  takes = true;
  readonly #states = new Emitter<AgentState>();

  static async start(gw: CoreHarness): Promise<HostRig> {
    const rig = new HostRig(gw, await Story.attached(gw));
    rig.link.open();
    rig.host.start();
    await gw.clock.advance(0);
    return rig;
  }

  constructor(gw: CoreHarness, story: Story) {
    this.gw = gw;
    this.story = story;
    this.link = new CoreLink(gw, 'window');
    this.host = new AttachedHost({
      sessionId: story.sessionId as SessionId, folder: WORKSPACE, hostSessionId: story.hostSessionId as HostSessionId, hostRunId: story.hostRunId as HostRunId,
      link: this.link, runtime: this.#runtime(), plane: {} as ExecutionPlane, lineDiff,
      launch: () => ({ agentId: 'test', label: 'Test', command: 'test', args: [], env: {}, cwd: WORKSPACE }),
      approvals: () => ({}), onAgentProcess: () => undefined, onEnded: ({ kind }) => this.ended.push(kind), clock: gw.clock, logger: silentLogger,
    });
  }

  /** Moves time and lets everything run that it sets in motion. */
  async advance(ms = 0): Promise<void> {
    await this.gw.clock.advance(ms);
    await this.gw.clock.advance(0);
  }

  async submit(text = 'do it'): Promise<Turn> {
    const { turn } = await this.story.submit(text);
    await this.advance();
    return turn;
  }

  turn({ turnId }: Turn): Promise<Turn> {
    return this.story.turn(turnId);
  }

  async end(): Promise<void> {
    const disposed = this.host.dispose();
    await this.advance(2000);
    await disposed;
    this.gw.close();
  }

  #runtime(): AgentRuntime {
    return { start: () => this.start() };
  }

  #agent(): Agent {
    const exited = new Deferred<AgentExit>();
    const state = (): AgentState => this.state;
    return {
      get state() {
        return state();
      },
      onStateChanged: this.#states.event,
      agentSessionId: 'conversation',
      restored: 'new',
      exited: exited.promise,
      prompt: (input, plane, sink, signal) => {
        this.prompts.push(input.text);
        return this.play({ input, plane, sink, signal });
      },
      setOption: (id, value) => {
        if (!this.takes) return Promise.reject(new Error('no'));
        this.state = { ...this.state, options: this.state.options.map((option) => (option.id === id ? { ...option, value } : option)) };
        this.#states.fire(this.state);
        return Promise.resolve();
      },
      dispose: () => Promise.resolve(),
    };
  }
}
