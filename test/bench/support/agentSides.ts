import assert from 'node:assert/strict';
import { silentLogger } from '../../../src/base/logger.ts';
import { Emitter } from '../../../src/base/event.ts';
import { sessionMirror, type SessionMirror } from '../../../src/client/sessionMirror.ts';
import { DiskPlane } from '../../../src/execution/diskPlane.ts';
import { lineDiff } from '../../../src/execution/lineDiff.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { AttachedHost } from '../../../src/host/attachedHost.ts';
import type { HostSessionId, SessionId } from '../../../src/protocol/ids.ts';
import { AcpRuntime } from '../../../src/runtime/acp/acpRuntime.ts';
import type { ProcessStarter } from '../../../src/runtime/processes.ts';
import { AcpClient } from '../../agents/support/acpClient.ts';
import type { RealAgent } from '../../agents/support/realAgents.ts';
import { realClock } from '../../support/realClock.ts';
import { attachParams, goalKey, newCommand, newHostSession, newMessage, newRun } from '../../support/testHost.ts';
import { AgentTap } from './agentTap.ts';
import { openWindow, type BenchWindow } from './benchWindow.ts';
import type { GatewayUnderTest } from './gatewayUnderTest.ts';

/** One turn as whoever asked for it saw it, in ms from the asking. */
export interface SeenTurn {
  readonly totalMs: number;
  /** Until the first of the answer was seen, without what the agent itself took for it. */
  readonly firstMs: number;
  /** What the agent itself took, from the prompt on its stdin to the first of the answer on its stdout. */
  readonly agentMs: number;
  /** Of the answer. */
  readonly chars: number;
}

/** A way to have an agent answer. */
export interface AgentSide {
  turn(prompt: string): Promise<SeenTurn>;
  end(): Promise<void>;
}

/** Notes when the first of an answer came, and how much of it. */
class Answer {
  readonly #tap: AgentTap;
  readonly #begun = performance.now();
  #firstAt = Number.NaN;
  #chars = 0;

  constructor(tap: AgentTap) {
    this.#tap = tap;
  }

  take(text: string): void {
    if (this.#chars === 0 && text !== '') this.#firstAt = performance.now();
    this.#chars += text.length;
  }

  ended(): SeenTurn {
    const { agentMs } = this.#tap;
    return { totalMs: performance.now() - this.#begun, firstMs: this.#firstAt - this.#begun - agentMs, agentMs, chars: this.#chars };
  }
}

/** The baseline: a client of the agent's own protocol, on its pipes. */
export async function directSide(agent: RealAgent, cwd: string): Promise<AgentSide> {
  const tap = new AgentTap();
  let answer = new Answer(tap);
  const client = new AcpClient({
    ...agent, cwd,
    onUpdate: (update) => { if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') answer.take(update.content.text); },
  });
  tap.watch(client.process);
  await client.initialize();
  const session = await client.newSession();
  return {
    turn: async (prompt) => {
      answer = new Answer(tap);
      await client.prompt(session, prompt);
      return answer.ended();
    },
    end: async () => void (await client.close()),
  };
}

interface Conversation {
  readonly agent: RealAgent;
  readonly folder: string;
  readonly sessionId: SessionId;
  readonly hostSessionId: HostSessionId;
}

/** As a window runs it. */
function startHost({ agent, folder, ...ids }: Conversation, { calls }: BenchWindow, tap: AgentTap): AttachedHost {
  const processes = createProcessTools(realClock);
  const tapped: ProcessStarter = {
    start: async (spec) => {
      const owned = await processes.start(spec);
      tap.watch(owned.child);
      return owned;
    },
  };
  const host = new AttachedHost({
    ...ids, folder, hostRunId: newRun(), link: { calls, onOpened: new Emitter<void>().event },
    runtime: new AcpRuntime({ processes: tapped, clock: realClock, logger: silentLogger, version: '0.0.0' }),
    plane: new DiskPlane({ root: folder, processes }), lineDiff,
    launch: () => ({ agentId: agent.name, label: agent.name, command: agent.command, args: agent.args, env: agent.env, cwd: folder }),
    approvals: () => ({}), onAgentProcess: () => undefined, onEnded: () => undefined, clock: realClock, logger: silentLogger,
  });
  host.start();
  return host;
}

/** Resolves with the end of the turn that comes next. */
function nextTurn(mirror: SessionMirror, answer: Answer): Promise<SeenTurn> {
  return new Promise((resolve, reject) => {
    const listening = mirror.onEvents((events) => {
      for (const event of events) {
        if (event.type === 'item.started' && event.item.data.kind === 'agent_message') answer.take(event.item.text);
        else if (event.type === 'item.delta') answer.take(event.text);
        else if (event.type === 'turn.ended') {
          listening.dispose();
          if (event.turn.state === 'completed') resolve(answer.ended());
          else reject(new Error(`the turn has ended as ${JSON.stringify(event.turn)}`));
        }
      }
    });
  });
}

/** Ours: a window with a host, the gateway, and another client that submits and follows. */
export async function hostedSide(agent: RealAgent, gateway: GatewayUnderTest, name: string): Promise<AgentSide> {
  const [window, viewer] = [await openWindow(gateway, `${name}-window`), await openWindow(gateway, `${name}-viewer`)];
  const [{ folder }, hostSessionId, tap] = [gateway, newHostSession(), new AgentTap()];
  await window.calls.call('goal/create', { commandId: newCommand(), workspace: folder, goalId: goalKey(name), title: name });
  const { session } = await window.calls.call('session/attach', attachParams({ workspace: folder, goal: name, hostSessionId }));
  assert.ok(session !== null);
  const { sessionId } = session;
  const host = startHost({ agent, folder, sessionId, hostSessionId }, window, tap);
  const mirror = sessionMirror(viewer.calls, sessionId);
  await mirror.connect();
  return {
    turn: async (text) => {
      const [seen] = await Promise.all([nextTurn(mirror, new Answer(tap)), viewer.calls.call('turn/submit', { sessionId, clientTurnId: newMessage(), text })]);
      return seen;
    },
    end: async () => {
      await host.dispose();
      mirror.dispose();
      viewer.close();
      window.close();
    },
  };
}
