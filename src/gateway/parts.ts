import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { SessionId } from '../protocol/ids.ts';
import { ApprovalAnswers } from './approvals/approvalAnswers.ts';
import { ApprovalEnds } from './approvals/approvalEnds.ts';
import { ApprovalExpiry } from './approvals/approvalExpiry.ts';
import { ApprovalStore } from './approvals/approvalStore.ts';
import { CancelGrace } from './broker/cancelGrace.ts';
import { Completion } from './broker/completion.ts';
import { Connections } from './broker/connections.ts';
import type { Draining } from './broker/draining.ts';
import { EarlyCancels } from './broker/earlyCancels.ts';
import { Enqueue } from './broker/enqueue.ts';
import { Executors } from './broker/executors.ts';
import { HostGate } from './broker/hostGate.ts';
import { Leases } from './broker/leases.ts';
import { QueueSettler } from './broker/queueSettler.ts';
import { TurnEnds } from './broker/turnEnds.ts';
import { TurnStore } from './broker/turnStore.ts';
import { WaitingClaims } from './broker/waitingClaims.ts';
import { Deadlines } from './deadlines.ts';
import { Changes } from './events/changes.ts';
import { EventLog, type RetentionLimits } from './events/eventLog.ts';
import { LogPacker } from './events/logPacker.ts';
import { ReplayCache } from './events/replayCache.ts';
import { GoalRegistry } from './goals/goalRegistry.ts';
import { LifetimeEnd } from './goals/lifetimeEnd.ts';
import { AutomaticAnswers } from './grants/automaticAnswers.ts';
import { GrantStore } from './grants/grantStore.ts';
import { Effects } from './items/effects.ts';
import { ItemStore } from './items/itemStore.ts';
import { ReportOps } from './items/reportOps.ts';
import { Maintenance } from './maintenance.ts';
import { TranscriptSearch } from './search/transcriptSearch.ts';
import { Removals } from './sessions/removals.ts';
import { SessionCloser } from './sessions/sessionCloser.ts';
import { Pages } from './sessions/pages.ts';
import { SessionStore } from './sessions/sessionStore.ts';
import { SessionViews } from './sessions/sessionView.ts';
import { Snapshots } from './sessions/snapshots.ts';
import { BlobSweep } from './space/blobSweep.ts';
import { Freeable } from './space/freeable.ts';
import { beginEpoch } from './store/identity.ts';
import { Receipts } from './store/receipts.ts';
import type { Store } from './store/store.ts';
import { Timeline } from './store/timeline.ts';

export interface PartsEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly retention?: RetentionLimits;
}

export type Parts = ReturnType<typeof buildParts>;

/** Makes the parts of a core, each from those before it. Only the composition root sees them together. */
export function buildParts({ store, clock, logger, retention }: PartsEnvironment) {
  const identity = beginEpoch(store);
  const timeline = new Timeline(store, clock);
  const deadlines = new Deadlines(clock);
  const log = new EventLog(store, retention);

  const goals = new GoalRegistry(store);
  const sessions = new SessionStore(store);
  const turns = new TurnStore(store, timeline, log);
  const items = new ItemStore(store, log);
  const transcriptSearch = new TranscriptSearch(store, items);
  const effects = new Effects(store);
  const approvals = new ApprovalStore(store);
  const grants = new GrantStore(store);
  const automaticAnswers = new AutomaticAnswers(grants, store.path === ':memory:' ? null : path.dirname(store.path));
  const earlyCancels = new EarlyCancels(store, timeline);

  const replayCache = new ReplayCache();
  const executors = new Executors();
  const waiting = new WaitingClaims();
  const draining: Draining = { active: false };

  const views = new SessionViews({ sessions, goals, turns, approvals, executors });
  const pages = new Pages({ turns, items, approvals });
  const snapshots = new Snapshots({ store, log, goals, items, approvals, views, pages });
  const viewOf = (sessionId: SessionId) => views.of(sessions.get(sessionId));
  const changes: Changes = new Changes({ store, log, clock, timeline, logger, viewOf, onCommit: () => maintenance.noteCommit() });
  const receipts = new Receipts(store, changes, timeline);
  const freeable = new Freeable(store, timeline);
  const blobSweep = new BlobSweep(store, timeline);
  const removals = new Removals({ store, log, timeline });
  const packer = new LogPacker({ store, log, items, turns, deadlines, logger });
  const maintenance: Maintenance = new Maintenance({ store, receipts, removals, blobSweep, clock, logger });

  const approvalEnds = new ApprovalEnds(approvals, items);
  const approvalAnswers = new ApprovalAnswers({ approvals, approvalEnds, turns });
  const approvalExpiry = new ApprovalExpiry({ timeline, logger, deadlines, changes, approvals, approvalAnswers });
  const turnEnds = new TurnEnds({ turns, items, effects, sessions, approvals, approvalEnds, waiting });
  const queueSettler = new QueueSettler(turns, turnEnds);
  const sessionCloser = new SessionCloser({ sessions, turns, queueSettler, waiting });
  const lifetimeEnd = new LifetimeEnd({ sessions, turns, turnEnds, approvals, approvalEnds, waiting });
  const enqueue = new Enqueue({ store, timeline, sessions, turns, items, turnEnds, earlyCancels, waiting });

  const leases = new Leases({ clock, logger, deadlines, changes, sessions, turns, turnEnds, executors });
  const hostGate = new HostGate({ sessions, turns, goals, executors, leases });
  const connections = new Connections({ logger, changes, sessions, turns, executors, leases, waiting });
  const cancelGrace = new CancelGrace({ logger, deadlines, changes, turns, turnEnds });
  const completion = new Completion({ logger, deadlines, changes, turns, items, turnEnds });
  const reportOps = new ReportOps({ items, effects, approvals, turns, sessions, automaticAnswers });

  return {
    store, clock, logger, identity, replayCache, timeline, deadlines, log, goals, sessions, turns, items, transcriptSearch, approvals, grants, automaticAnswers, earlyCancels, executors, waiting, draining,
    views, snapshots, changes, packer, receipts, freeable, maintenance, approvalEnds, approvalAnswers, approvalExpiry, turnEnds, queueSettler, sessionCloser, lifetimeEnd, enqueue,
    leases, hostGate, connections, cancelGrace, completion, reportOps,
  };
}
