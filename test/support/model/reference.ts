import type { Act, Happening } from './acts.ts';
import {
  GRACE_MS, hasEnded, isExpired, LEASE_MS, pendingOf, turnOf, WAIT_MS, type Model, type ModelSession, type ModelTurn,
} from './state.ts';

/** What the contract says must come of an act: `ok …`, or the code of the refusal. Changes the model accordingly. */
export function expect(model: Model, act: Act): string {
  if (act.do === 'create' || act.do === 'retire' || act.do === 'recreate') return onGoal(model, act);
  if (act.do === 'attach') return attach(model, act);
  const session = model.sessions[act.s];
  if (session === undefined) throw new Error(`there is no session ${act.s}`);
  switch (act.do) {
    case 'register':
      return register(model, session, act.by);
    case 'submit':
      return submit(model, session, { key: act.key, text: act.text, asked: `say ${act.text}` });
    case 'retry':
      return retry(model, session, act);
    case 'claim':
      return claim(model, session, act);
    case 'decide':
      return decide(model, session, act);
    case 'report':
    case 'ask':
    case 'complete':
      return fromHost(model, session, act);
    default:
      return manage(model, session, act);
  }
}

/** What happens without anybody's asking. */
export function happen(model: Model, happening: Exclude<Happening, { readonly do: 'again' }>): void {
  switch (happening.do) {
    case 'cut':
      cut(model, happening.by);
      return;
    case 'reload':
      cut(model, happening.by);
      model.runs[happening.by] = (model.runs[happening.by] ?? 0) + 1;
      return;
    case 'restart':
      restart(model);
      return;
    case 'advance':
      advance(model, model.now + happening.ms);
  }
}

function onGoal(model: Model, act: Extract<Act, { readonly do: 'create' | 'retire' | 'recreate' }>): string {
  const goal = model.goals[act.goal];
  if (goal === undefined) throw new Error(`there is no goal ${act.goal}`);
  if (act.do === 'create') {
    if (goal.live) return 'goal_exists';
    Object.assign(goal, { live: true, lifetime: goal.lifetime + 1 });
    return `ok ${goal.lifetime}`;
  }
  if (goal.lifetime === 0) return 'goal_not_registered';
  if (act.do === 'retire' && !goal.live) return 'goal_retired';
  if (act.lifetime !== goal.lifetime) return 'goal_lifetime_changed';
  if (goal.live) endLifetime(model, act.goal, goal.lifetime);
  if (act.do === 'retire') goal.live = false;
  else Object.assign(goal, { live: true, lifetime: goal.lifetime + 1 });
  return `ok ${goal.lifetime}`;
}

function endLifetime(model: Model, goal: number, lifetime: number): void {
  for (const session of model.sessions.filter((row) => row.goal === goal && row.lifetime === lifetime && row.status !== 'closed')) {
    endWait(model, session, 'stale_goal_instance');
    for (const turn of session.turns.filter(({ state }) => state === 'queued')) endTurn(model, session, turn, 'failed');
    for (const request of session.requests.filter(({ status }) => status === 'pending')) request.status = 'closed';
    const active = turnOf(session, session.active);
    if (active?.state === 'waiting') active.state = 'running';
  }
}

function attach(model: Model, act: Extract<Act, { readonly do: 'attach' }>): string {
  const goal = model.goals[act.goal];
  if (goal === undefined || goal.lifetime === 0) return 'goal_not_registered';
  if (!goal.live) return 'goal_retired';
  const known = model.sessions.findIndex((row) => row.channel === act.channel && row.goal === act.goal && row.lifetime === goal.lifetime && row.status !== 'closed');
  if (known >= 0) return model.sessions[known]?.host === act.by ? `ok same ${known}` : 'attached_session_conflict';
  model.channels = Math.max(model.channels, act.channel + 1);
  model.sessions.push({
    goal: act.goal, lifetime: goal.lifetime, channel: act.channel, host: act.by, run: null, status: 'ready', paused: false, active: null, link: null, heard: null,
    graceEnds: null, wait: null, turns: [], requests: [],
  });
  return `ok new ${model.sessions.length - 1}`;
}

function register(model: Model, session: ModelSession, by: number): string {
  if (session.host !== by) return 'attached_session_host_mismatch';
  if (session.status === 'closed') return 'session_closed';
  const run = model.runs[by] ?? 0;
  session.link = { window: by, run, connected: true, expired: false };
  session.heard = model.now;
  const active = turnOf(session, session.active);
  if (session.run !== run && active !== undefined) endTurn(model, session, active, 'interrupted');
  if (session.status === 'stale') session.status = 'ready';
  session.run = run;
  wake(model, session);
  return `ok ${session.active ?? 'idle'}`;
}

/** What stands between a session and new work. */
function newWorkRefusal(model: Model, session: ModelSession): string | null {
  if (session.status === 'closed') return 'session_closed';
  const goal = model.goals[session.goal];
  if (goal?.live !== true) return 'goal_retired';
  return goal.lifetime === session.lifetime ? null : 'stale_goal_instance';
}

function retry(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'retry' }>): string {
  const { text, state } = turnOf(session, act.key) ?? { text: '', state: '' };
  if (turnOf(session, act.newKey) === undefined && !hasEnded(state)) return 'retry_not_possible';
  return submit(model, session, { key: act.newKey, text, asked: `retry ${act.key}` });
}

function submit(model: Model, session: ModelSession, { key, text, asked }: { readonly key: string; readonly text: string; readonly asked: string }): string {
  const known = turnOf(session, key);
  if (known !== undefined) return known.asked === asked ? `ok again ${key}` : 'idempotency_conflict';
  const refusal = newWorkRefusal(model, session);
  if (refusal !== null) return refusal;
  session.turns.push({ key, text, asked, queuedAt: model.now, state: 'queued', claim: null, completion: null, answer: null, seq: 0 });
  session.paused = false;
  wake(model, session);
  return `ok new ${key}`;
}

function isBound({ link }: ModelSession, window: number, run: number | undefined): boolean {
  return link !== null && link.connected && link.window === window && link.run === run;
}

function claim(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'claim' }>): string {
  const run = model.runs[act.by] ?? 0;
  const outcome = attempt(model, session, { window: act.by, run, claim: act.claim });
  if (outcome !== 'busy' && outcome !== 'nothing' && !outcome.startsWith('ok')) return outcome;
  endWait(model, session, 'claim_superseded');
  if (outcome.startsWith('ok')) return outcome;
  if (outcome === 'busy' || !act.wait) return 'ok nothing';
  const id = model.waits.push(null) - 1;
  session.wait = { id, window: act.by, run, claim: act.claim, until: model.now + WAIT_MS };
  return `ok waits ${id}`;
}

function attempt(model: Model, session: ModelSession, by: { readonly window: number; readonly run: number; readonly claim: string }): string {
  if (!isBound(session, by.window, by.run)) return 'attached_session_host_mismatch';
  session.heard = model.now;
  const known = session.turns.find((turn) => turn.claim === by.claim);
  if (known !== undefined) {
    if (session.status === 'closed') return 'session_closed';
    return hasEnded(known.state) ? 'claim_already_used' : `ok ${known.key}`;
  }
  if (session.link?.expired === true) return 'attached_session_host_mismatch';
  const refusal = newWorkRefusal(model, session);
  if (refusal !== null) return refusal;
  if (session.status === 'stale') return 'session_not_ready';
  settle(model, session);
  if (session.status === 'busy') return 'busy';
  const [head] = pendingOf(model, session);
  if (head === undefined || session.paused) return 'nothing';
  Object.assign(head, { state: 'running', claim: by.claim });
  Object.assign(session, { status: 'busy', active: head.key });
  return `ok ${head.key}`;
}

function decide(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'decide' }>): string {
  const request = session.requests.find(({ key }) => key === act.request);
  if (request === undefined) throw new Error(`there is no request ${act.request}`);
  if (request.status === 'closed') return 'approval_closed';
  if (request.status !== 'pending') return request.status === act.option ? 'ok already' : 'approval_already_decided';
  const refusal = act.option === 'allow' ? newWorkRefusal(model, session) : null;
  if (refusal !== null) return refusal;
  request.status = act.option;
  const turn = turnOf(session, request.turn);
  if (turn?.state === 'waiting' && !session.requests.some((other) => other.turn === request.turn && other.status === 'pending')) turn.state = 'running';
  return 'ok decided';
}

function fromHost(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'report' | 'ask' | 'complete' }>): string {
  if (!isBound(session, act.by, model.runs[act.by])) return 'attached_session_host_mismatch';
  session.heard = model.now;
  if (act.do === 'complete') return complete(model, session, act);
  const turn = session.turns.find((row) => row.claim === act.claim);
  if (turn === undefined) return 'turn_not_active';
  return act.do === 'report' ? report(session, turn, act.seq) : ask(model, session, turn, act.request);
}

function report(session: ModelSession, turn: ModelTurn, seq: number): string {
  if (seq <= turn.seq) return `ok ${turn.state}`;
  if (session.status === 'closed') return 'session_closed';
  if (hasEnded(turn.state)) return 'turn_not_active';
  if (seq > turn.seq + 1) return 'report_gap';
  turn.seq = seq;
  return `ok ${turn.state}`;
}

function ask(model: Model, session: ModelSession, turn: ModelTurn, key: string): string {
  const refusal = newWorkRefusal(model, session);
  if (refusal !== null) return refusal;
  if (turn.state !== 'running' && turn.state !== 'waiting') return 'turn_not_active';
  session.requests.push({ key, turn: turn.key, status: 'pending' });
  turn.state = 'waiting';
  return 'ok pending';
}

function complete(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'complete' }>): string {
  const turn = turnOf(session, act.key);
  if (turn === undefined) throw new Error(`there is no turn ${act.key}`);
  if (turn.completion === act.completion && turn.claim === act.claim) return `ok again ${turn.state}`;
  if (session.status === 'closed') return 'session_closed';
  if (turn.claim === null) return model.goals[session.goal]?.live === true ? 'turn_not_admitted' : 'goal_retired';
  if (turn.completion !== null) return 'completion_conflict';
  if (hasEnded(turn.state)) return 'turn_not_active';
  if (act.lastSeq !== turn.seq) return 'report_gap';
  Object.assign(turn, { completion: act.completion, answer: act.text });
  endTurn(model, session, turn, 'completed');
  return 'ok new completed';
}

function manage(model: Model, session: ModelSession, act: Extract<Act, { readonly do: 'cancel' | 'close' | 'pause' | 'unpause' | 'resume' | 'takeOver' }>): string {
  switch (act.do) {
    case 'cancel':
      return cancel(model, session, act.key);
    case 'close':
      return close(model, session);
    case 'pause':
    case 'unpause':
      if (session.status === 'closed') return 'session_closed';
      session.paused = act.do === 'pause';
      if (act.do === 'unpause') wake(model, session);
      return 'ok';
    case 'resume':
      return resume(model, session);
    case 'takeOver':
      return takeOver(model, session, act.by);
  }
}

function cancel(model: Model, session: ModelSession, key: string): string {
  const turn = turnOf(session, key);
  if (turn === undefined) throw new Error(`there is no turn ${key}`);
  if (turn.state === 'queued') endTurn(model, session, turn, 'cancelled');
  if (turn.state === 'running' || turn.state === 'waiting') {
    for (const request of session.requests.filter((row) => row.turn === key && row.status === 'pending')) request.status = 'closed';
    turn.state = 'cancelling';
    Object.assign(session, { paused: true, graceEnds: model.now + GRACE_MS });
  }
  return `ok ${turn.state}`;
}

function close(model: Model, session: ModelSession): string {
  if (session.status === 'closed') return 'ok';
  if (session.active !== null) return 'attached_session_turn_active';
  if (pendingOf(model, session).length > 0) return 'attached_session_queue_pending';
  session.status = 'closed';
  endWait(model, session, 'session_closed');
  settle(model, session);
  return 'ok';
}

const hasRival = (model: Model, session: ModelSession): boolean => model.sessions.some((row) => row !== session && row.channel === session.channel && row.status !== 'closed');

function resume(model: Model, session: ModelSession): string {
  const refusal = newWorkRefusal(model, session);
  if (refusal !== null) return refusal;
  if (session.status !== 'stale') return 'ok';
  if (hasRival(model, session)) return 'attached_session_conflict';
  session.status = 'ready';
  wake(model, session);
  return 'ok';
}

function takeOver(model: Model, session: ModelSession, by: number): string {
  const refusal = newWorkRefusal(model, session);
  if (refusal !== null) return refusal;
  if (session.active !== null) return session.link?.connected === true ? 'executor_alive' : 'executor_in_grace';
  if (session.host === by) return 'ok false';
  if (hasRival(model, session)) return 'attached_session_conflict';
  endWait(model, session, 'executor_replaced');
  Object.assign(session, { host: by, run: null, link: null, status: 'ready' });
  return 'ok true';
}

function settle(model: Model, session: ModelSession): void {
  for (const turn of session.turns) if (turn.state === 'queued' && isExpired(model, turn)) endTurn(model, session, turn, 'expired');
}

function endTurn(model: Model, session: ModelSession, turn: ModelTurn, state: string, executorGone = false): void {
  turn.state = state;
  for (const request of session.requests) if (request.turn === turn.key && request.status === 'pending') request.status = 'closed';
  if (session.active !== turn.key) return;
  Object.assign(session, { active: null, graceEnds: null });
  if (session.status === 'busy') session.status = executorGone ? 'stale' : 'ready';
  wake(model, session);
}

/** A waiting claim tries again. */
function wake(model: Model, session: ModelSession): void {
  if (session.wait === null) return;
  const outcome = attempt(model, session, session.wait);
  if (outcome !== 'busy' && outcome !== 'nothing') endWait(model, session, outcome);
}

function endWait(model: Model, session: ModelSession, outcome: string): void {
  if (session.wait === null) return;
  model.waits[session.wait.id] = outcome;
  session.wait = null;
}

function cut(model: Model, window: number): void {
  for (const session of model.sessions) {
    if (session.wait?.window === window) endWait(model, session, 'connection_closed');
    if (session.link?.window !== window || !session.link.connected) continue;
    session.link.connected = false;
    if (session.active === null) session.heard = model.now;
  }
}

/** Only a run that held a turn is expected back. */
function restart(model: Model): void {
  for (const session of model.sessions) {
    endWait(model, session, 'connection_closed');
    const held = session.active !== null;
    session.link = held && session.run !== null ? { window: session.host, run: session.run, connected: false, expired: false } : null;
    session.heard = held ? model.now : null;
    if (turnOf(session, session.active)?.state === 'cancelling') session.graceEnds = model.now + GRACE_MS;
  }
}

interface Due {
  readonly at: number;
  readonly run: () => void;
}

function advance(model: Model, end: number): void {
  for (let next = nextDue(model, end); next !== undefined; next = nextDue(model, end)) {
    model.now = next.at;
    next.run();
  }
  model.now = end;
}

function nextDue(model: Model, end: number): Due | undefined {
  return model.sessions.flatMap((session) => duesOf(model, session)).filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
}

function duesOf(model: Model, session: ModelSession): Due[] {
  const { wait, graceEnds, heard, active, link } = session;
  const dues: Due[] = [];
  if (wait !== null) dues.push({ at: wait.until, run: () => endWait(model, session, 'ok nothing') });
  if (graceEnds !== null) dues.push({ at: graceEnds, run: () => endActive(model, session, false) });
  if (heard !== null && (active !== null || link?.connected === false)) dues.push({ at: heard + LEASE_MS, run: () => endLease(model, session) });
  return dues;
}

function endActive(model: Model, session: ModelSession, executorGone: boolean): void {
  const turn = turnOf(session, session.active);
  session.graceEnds = null;
  if (turn !== undefined) endTurn(model, session, turn, 'interrupted', executorGone);
}

function endLease(model: Model, session: ModelSession): void {
  const { link } = session;
  session.heard = null;
  if (link?.connected === true) link.expired = true;
  else session.link = null;
  endActive(model, session, true);
}
