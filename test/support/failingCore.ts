import fs from 'node:fs';
import type net from 'node:net';
import path from 'node:path';
import { createCore, STORE_FILE } from '../../src/gateway/createCore.ts';
import type { GatewayCore } from '../../src/gateway/core.ts';
import { Store, type StoreStep } from '../../src/gateway/store/store.ts';
import type { CoreEnvironment } from '../../src/gateway/process/runGateway.ts';

/**
 * Where something can go wrong. Of the store: its own steps. `reply`: the core has its answer. Of the transport: `received`, bytes came
 * in; `send`, a piece of a frame is about to go out; `torn`, half of it is out; `sent`, all of the frame is out.
 */
export const STEP_KINDS = ['read', 'write', 'commit', 'committed', 'reply', 'received', 'send', 'torn', 'sent'] as const;
export type StepKind = StoreStep['kind'] | (typeof STEP_KINDS)[number];

/** The next thing that goes wrong. */
export interface Fault {
  readonly at: StepKind | 'any';
  /** How many steps of the kind go well before. */
  readonly after?: number;
  /** Only requests of this method count for `reply`. */
  readonly method?: string;
  /** kill: the process ends as by kill -9. throw: the step fails. drop: the answer never goes out. */
  readonly how: 'kill' | 'throw' | 'drop';
}

/** Left in the data root by a process that ended itself: the kind of step, and what it was about. */
export const KILLED_FILE = 'killed';

/** The real core over a real store and real sockets, made to fail at a step a test has named. */
export class FailingCore {
  #fault: Fault | null;
  #left: number;
  #dataRoot = '';

  /** Steps seen so far, by kind. */
  readonly steps: Record<StepKind, number> = Object.fromEntries(STEP_KINDS.map((kind) => [kind, 0])) as Record<StepKind, number>;

  /** With a fault from the very beginning, steps of the start count, too. */
  constructor(fault: Fault | null = null) {
    this.#fault = fault;
    this.#left = fault?.after ?? 0;
  }

  plan(fault: Fault): void {
    this.#fault = fault;
    this.#left = fault.after ?? 0;
  }

  readonly open = ({ dataRoot, clock, logger }: CoreEnvironment): GatewayCore => {
    this.#dataRoot = dataRoot;
    const store = new Store({ path: path.join(dataRoot, STORE_FILE), observe: ({ kind, sql }) => void this.#step(kind, sql) });
    const core = createCore({ store, clock, logger });
    return {
      epoch: core.epoch,
      gatewayId: core.gatewayId,
      onCommitted: core.onCommitted,
      handle: async (principal, method, params, signal) => {
        const result = await core.handle(principal, method, params, signal);
        if (this.#step('reply', method) === 'drop') await new Promise(() => undefined);
        return result;
      },
      connectionClosed: (id) => core.connectionClosed(id),
      snapshot: (principal, scope) => core.snapshot(principal, scope),
      logEnds: (principal, scope) => core.logEnds(principal, scope),
      events: (principal, scope, after, limit) => core.events(principal, scope, after, limit),
      counts: () => core.counts(),
      bindings: () => core.bindings(),
      drain: () => core.drain(),
      dispose: () => {
        core.dispose();
        store.close();
      },
    };
  };

  /** Makes the socket's traffic count as steps. */
  readonly watch = (socket: net.Socket): void => {
    const write = socket.write.bind(socket) as (chunk: string | Uint8Array, done?: () => void) => boolean;
    const uncork = socket.uncork.bind(socket);
    socket.write = ((chunk: string | Uint8Array, done?: () => void) => {
      this.#step('send');
      this.#step('torn', '', () => {
        uncork();
        write(Buffer.from(chunk).subarray(0, Math.ceil(chunk.length / 2)));
      });
      const goesOn = write(chunk, done);
      // Of a corked socket the frame is out with the uncork.
      if (socket.writableCorked === 0) this.#step('sent');
      return goesOn;
    }) as typeof socket.write;
    socket.uncork = () => {
      uncork();
      this.#step('sent');
    };
    // Not by a listener: that would make the socket flow, which is for the server to decide.
    const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
    socket.emit = ((event: string | symbol, ...args: unknown[]) => {
      if (event === 'data') this.#step('received');
      return emit(event, ...args);
    }) as typeof socket.emit;
  };

  /** `lastAct` is done first where this is the step to die at. */
  #step(at: StepKind, about = '', lastAct: () => void = () => undefined): Fault['how'] | null {
    this.steps[at] += 1;
    const fault = this.#fault;
    if (fault === null || (fault.at !== at && fault.at !== 'any') || (fault.method !== undefined && fault.method !== about)) return null;
    if (this.#left-- > 0) return null;
    this.#fault = null;
    if (fault.how === 'kill') {
      lastAct();
      fs.writeFileSync(path.join(this.#dataRoot, KILLED_FILE), `${at} ${about}`);
      process.kill(process.pid, 'SIGKILL');
    }
    if (fault.how === 'throw') throw new Error('a planned fault');
    return fault.how;
  }
}
