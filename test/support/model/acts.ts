import * as fc from 'fast-check';
import { hasEnded, type Model, type ModelSession, type ModelTurn } from './state.ts';

/** One member for each word, so that the compiler tells them apart. */
type Each<Word extends string, Facts> = Word extends Word ? { readonly do: Word; readonly by: number } & Readonly<Facts> : never;

/** One thing that somebody does, with everything in it that goes over the wire. Sessions are named by their place, turns by their key. */
export type Act =
  | Each<'create', { goal: number }>
  | Each<'retire' | 'recreate', { goal: number; lifetime: number }>
  | Each<'attach', { goal: number; channel: number }>
  | Each<'register' | 'close' | 'pause' | 'unpause' | 'resume' | 'takeOver', { s: number }>
  | Each<'submit', { s: number; key: string; text: string }>
  | Each<'claim', { s: number; claim: string; wait: boolean }>
  | Each<'report', { s: number; claim: string; seq: number }>
  | Each<'ask', { s: number; claim: string; request: string }>
  | Each<'decide', { s: number; request: string; option: 'allow' | 'deny' }>
  | Each<'complete', { s: number; key: string; claim: string; completion: string; text: string; lastSeq: number }>
  | Each<'cancel', { s: number; key: string }>
  | Each<'retry', { s: number; key: string; newKey: string }>;

/** What happens to the world. `again`: a window sends its last command once more, as after a lost answer. */
export type Happening =
  | Each<'cut' | 'reload' | 'again', object>
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'restart' };

/** Two acts at the same time, of two windows. */
export interface Race {
  readonly do: 'race';
  readonly acts: readonly [Act, Act];
}

/** A choice made before the state is known: numbers that are read as places in whatever there is by then. */
export interface Intent {
  readonly what: string;
  readonly by: number;
  readonly s: number;
  readonly n: number;
  readonly odd: boolean;
  readonly second?: Omit<Intent, 'second'> | undefined;
}

export const WINDOWS = 3;
export const GOALS = 2;

/** How often each is tried, beside the others. */
const WEIGHTS: Readonly<Record<string, number>> = {
  create: 1, retire: 2, recreate: 3, attach: 3, register: 5, submit: 10, claim: 10, report: 3, ask: 4, decide: 4, complete: 8, cancel: 3, retry: 2,
  close: 2, pause: 1, unpause: 1, resume: 1, takeOver: 3, cut: 3, reload: 2, again: 2, advance: 4,
};
/** What two windows may do at once. */
const RACING = ['retire', 'recreate', 'submit', 'claim', 'decide', 'complete', 'cancel', 'close', 'takeOver', 'register', 'resume'] as const;
/** No sum of some of them is the difference of two time-outs, so that it is always clear which comes first. */
const STEPS_MS = [4100, 9300, 12_700, 31_000, 3_601_000] as const;

const simple = (what: fc.Arbitrary<string>): fc.Arbitrary<Omit<Intent, 'second'>> =>
  fc.record({ what, by: fc.nat(WINDOWS - 1), s: fc.nat(3), n: fc.nat(5), odd: fc.integer({ min: 0, max: 4 }).map((value) => value === 4) });

/** One run: a list of intents. */
export function intents(options: { readonly restarts: boolean; readonly maxLength: number }): fc.Arbitrary<Intent[]> {
  const kinds = Object.entries({ ...WEIGHTS, ...(options.restarts ? { restart: 2 } : {}) });
  const what = fc.oneof(...kinds.map(([name, weight]) => ({ arbitrary: fc.constant(name), weight })));
  const racing = fc.constantFrom(...RACING);
  const race = fc.tuple(simple(racing), simple(racing)).map(([first, second]): Intent => ({ ...first, second }));
  return fc.array(fc.oneof({ arbitrary: simple(what), weight: 9 }, { arbitrary: race, weight: 1 }), { minLength: 1, maxLength: options.maxLength, size: 'max' });
}

/** What an intent means in this state; nothing when there is nothing that it could be about. */
export function actOf(model: Model, intent: Intent): Act | Happening | Race | null {
  if (intent.second !== undefined) return raceOf(model, intent, intent.second);
  const { what, by, n } = intent;
  switch (what) {
    case 'cut':
    case 'reload':
    case 'again':
      return { do: what, by };
    case 'restart':
      return { do: what };
    case 'advance':
      return { do: what, ms: STEPS_MS[n % STEPS_MS.length] ?? 0 };
    default:
      return commandOf(model, intent);
  }
}

function raceOf(model: Model, intent: Intent, second: Omit<Intent, 'second'>): Race | null {
  const first = commandOf(model, intent);
  const other = commandOf(model, { ...second, by: (intent.by + 1) % WINDOWS, n: intent.n + 1 });
  if (first === null || other === null || first.by === other.by) return null;
  // Two of them that carry one key would have one answer in either order.
  return { do: 'race', acts: [first, other] };
}

function commandOf(model: Model, intent: Omit<Intent, 'second'>): Act | null {
  const { what, by, s, n, odd } = intent;
  const goal = n % GOALS;
  switch (what) {
    case 'create':
      return { do: what, by, goal };
    case 'retire':
    case 'recreate':
      return { do: what, by, goal: s % GOALS, lifetime: (model.goals[s % GOALS]?.lifetime ?? 0) + (odd ? 1 : 0) || 1 };
    case 'attach':
      return { do: what, by, goal, channel: channelOf(model, s, odd) };
    default:
      return onSession(model, intent);
  }
}

/** A new conversation, or another session on the channel of one that there is. */
function channelOf(model: Model, s: number, odd: boolean): number {
  const old = model.sessions[s % Math.max(1, model.sessions.length)]?.channel ?? model.channels;
  return odd || model.sessions.length > 5 ? old : model.channels;
}

function onSession(model: Model, { what, by: anybody, s: place, n, odd }: Omit<Intent, 'second'>): Act | null {
  const s = model.sessions.length === 0 ? -1 : place % model.sessions.length;
  const session = model.sessions[s];
  if (session === undefined) return null;
  const by = odd ? anybody : session.host;
  switch (what) {
    case 'register':
      return { do: what, by, s };
    case 'close':
    case 'pause':
    case 'unpause':
    case 'resume':
    case 'takeOver':
      return { do: what, by: anybody, s };
    case 'submit':
      return messageOf(session, { by: anybody, s, n, odd });
    case 'claim':
      return claimOf(session, { by, s, n, odd });
    case 'decide': {
      const request = session.requests[n % Math.max(1, session.requests.length)];
      return request === undefined ? null : { do: what, by: anybody, s, request: request.key, option: odd ? 'deny' : 'allow' };
    }
    default:
      return onTurn(session, { what, by, anybody, s, n, odd });
  }
}

type Choice = Pick<OnTurn, 'by' | 's' | 'n' | 'odd'>;

function messageOf({ turns }: ModelSession, { by, s, n, odd }: Choice): Act {
  return { do: 'submit', by, s, key: `k${odd ? n : turns.length}`, text: `text ${n % 2}` };
}

function claimOf({ turns }: ModelSession, { by, s, n, odd }: Choice): Act {
  const used = turns.filter(({ claim }) => claim !== null).length;
  // The last key once more is a repeat, or comes after its turn has ended.
  const next = n > 3 ? Math.max(0, used - 1) : used;
  return { do: 'claim', by, s, claim: `c${odd ? n : next}`, wait: n % 2 === 1 };
}

interface OnTurn {
  readonly what: string;
  readonly by: number;
  readonly anybody: number;
  readonly s: number;
  readonly n: number;
  readonly odd: boolean;
}

function onTurn(session: ModelSession, { what, by, anybody, s, n, odd }: OnTurn): Act | null {
  const turn = chosen(session, what, n, odd);
  if (turn === undefined) return null;
  const claim = turn.claim ?? 'none';
  switch (what) {
    case 'report':
      return { do: what, by, s, claim, seq: Math.max(1, turn.seq + (n % 3)) };
    case 'ask':
      return { do: what, by, s, claim, request: `r${session.requests.length}` };
    case 'complete':
      return { do: what, by, s, key: turn.key, claim, completion: `d${n === 5 ? 1 : 0}`, text: `answer ${n}`, lastSeq: turn.seq };
    case 'cancel':
      return { do: what, by: anybody, s, key: turn.key };
    case 'retry':
      return { do: what, by: anybody, s, key: turn.key, newKey: `k${session.turns.length}` };
    default:
      return null;
  }
}

/** Mostly the one that it makes sense for, sometimes any. */
function chosen({ turns, active }: ModelSession, what: string, n: number, odd: boolean): ModelTurn | undefined {
  if (odd) return turns[n % Math.max(1, turns.length)];
  if (what === 'retry') return turns.find(({ state }) => hasEnded(state));
  // Also what has ended, as a repeat or a late answer is about.
  return (n < 4 ? turns.find(({ key }) => key === active) : undefined) ?? turns[n % Math.max(1, turns.length)];
}
