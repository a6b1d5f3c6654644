/** What the reference model knows: no more than a person would write on paper. */
export interface Model {
  now: number;
  readonly goals: ModelGoal[];
  readonly sessions: ModelSession[];
  /** The run of each window; a reload begins another one. */
  readonly runs: number[];
  /** How each waiting claim ended, null while it waits. */
  readonly waits: (string | null)[];
  channels: number;
}

export interface ModelGoal {
  lifetime: number;
  live: boolean;
}

export interface ModelTurn {
  readonly key: string;
  readonly text: string;
  /** What was asked for: a text, or another turn once more. */
  readonly asked: string;
  readonly queuedAt: number;
  state: string;
  claim: string | null;
  completion: string | null;
  answer: string | null;
  seq: number;
}

export interface ModelRequest {
  readonly key: string;
  readonly turn: string;
  status: 'pending' | 'allow' | 'deny' | 'closed';
}

/** The process that registered. `connected` false: its link is cut. `expired`: its lease ran out on an open link. */
export interface ModelLink {
  readonly window: number;
  readonly run: number;
  connected: boolean;
  expired: boolean;
}

export interface ModelSession {
  readonly goal: number;
  readonly lifetime: number;
  readonly channel: number;
  /** The window that it is bound to. */
  host: number;
  /** The run that registered last. */
  run: number | null;
  status: 'ready' | 'busy' | 'stale' | 'closed';
  paused: boolean;
  active: string | null;
  link: ModelLink | null;
  heard: number | null;
  graceEnds: number | null;
  wait: { readonly id: number; readonly window: number; readonly run: number; readonly claim: string; readonly until: number } | null;
  readonly turns: ModelTurn[];
  readonly requests: ModelRequest[];
}

const ENDED = new Set(['completed', 'failed', 'cancelled', 'interrupted', 'expired']);

export const hasEnded = (state: string): boolean => ENDED.has(state);

export const TTL_MS = 3_600_000;
export const LEASE_MS = 30_000;
export const GRACE_MS = 10_000;
export const WAIT_MS = 1_800_000;

export const newModel = (goals: number, windows: number): Model => ({
  now: 0, channels: 0, goals: Array.from({ length: goals }, () => ({ lifetime: 0, live: false })), sessions: [], runs: Array.from({ length: windows }, () => 0), waits: [],
});

export function turnOf(session: ModelSession, key: string | null): ModelTurn | undefined {
  return session.turns.find((turn) => turn.key === key);
}

export const isExpired = (model: Model, turn: ModelTurn): boolean => model.now - turn.queuedAt >= TTL_MS;

/** What waits and still counts. */
export const pendingOf = (model: Model, session: ModelSession): ModelTurn[] => session.turns.filter((turn) => turn.state === 'queued' && !isExpired(model, turn));
