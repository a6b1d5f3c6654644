import { Buffer } from 'node:buffer';
import type { Approval } from '../../protocol/approval/state.ts';
import type { Item } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { SessionPage, SessionSnapshot, WorkspaceSnapshot } from '../../protocol/subscription/state.ts';
import type { ApprovalStore } from '../approvals/approvalStore.ts';
import type { EventLog } from '../events/eventLog.ts';
import { publicGoal, type GoalRegistry } from '../goals/goalRegistry.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { newestWithin } from '../newestWithin.ts';
import type { Store } from '../store/store.ts';
import type { Pages, Place } from './pages.ts';
import type { SessionRow } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface SnapshotsOptions {
  readonly store: Store;
  readonly log: EventLog;
  readonly goals: GoalRegistry;
  readonly items: ItemStore;
  readonly approvals: ApprovalStore;
  readonly views: SessionViews;
  readonly pages: Pages;
}

const OPEN_ITEMS = 50;
const OPEN_BYTES = LIMITS.snapshotBytes / 2;
/** Above this the requests of one snapshot leave the lines of their diffs out. */
const PENDING_BYTES = LIMITS.snapshotBytes / 2;
const SESSIONS = 1000;

/** Whole states at one moment. All is read without a pause in between, and nobody else writes to the store. */
export class Snapshots {
  readonly #options: SnapshotsOptions;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  session(row: SessionRow): SessionSnapshot {
    const { goals, views, log } = this.#options;
    const goal = goals.shown(row);
    const page = this.page(row, null, LIMITS.snapshotTurns);
    return {
      session: views.of(row),
      goal: goal === undefined ? null : publicGoal(goal),
      ...page,
      items: [...this.#openElsewhere(row, page), ...page.items],
      approvals: [...this.#pendingElsewhere(row, page), ...page.approvals],
      head: log.kept({ session: row.sessionId }).head,
    };
  }

  workspace(workspace: string): WorkspaceSnapshot {
    const { store, goals, views, log } = this.#options;
    // Each by the index, in order: sorted together, all that there are would be read first.
    const newest = (archived: 'NULL' | 'NOT NULL', limit: number): SessionRow[] => store.all<SessionRow>(
      `SELECT * FROM sessions WHERE workspace = ? AND status <> 'closed' AND archivedAt IS ${archived} ORDER BY updatedAt DESC, sessionId DESC LIMIT ?`, workspace, limit);
    const shown = newest('NULL', SESSIONS);
    const rows = [...shown, ...newest('NOT NULL', SESSIONS - shown.length)];
    return {
      goals: goals.list(workspace).map(publicGoal),
      sessions: newestWithin(views.listed(workspace, rows).reverse(), LIMITS.snapshotBytes).reverse(),
      head: log.kept({ workspace }).head,
    };
  }

  /** The newest that fits into one page before a place. */
  page(session: SessionRow, place: Place | null, limit: number): SessionPage {
    return this.#options.pages.before(session, place, limit);
  }

  /** What still grows is shown also where the running turn has become too long for the page. */
  #openElsewhere({ activeTurnId }: SessionRow, page: SessionPage): Item[] {
    const { items } = this.#options;
    if (activeTurnId === null) return [];
    const shown = new Set(page.items.map(({ itemId }) => itemId));
    const open = items.newestOpen(activeTurnId, OPEN_ITEMS).filter(({ itemId }) => !shown.has(itemId)).reverse().map((row) => items.shown(row));
    return newestWithin(open, OPEN_BYTES);
  }

  #pendingElsewhere({ sessionId }: SessionRow, page: SessionPage): Approval[] {
    const shown = new Set(page.approvals.map(({ approvalId }) => approvalId));
    const pending = this.#options.approvals.pendingOfSession(sessionId).filter(({ approvalId }) => !shown.has(approvalId));
    return Buffer.byteLength(JSON.stringify(pending)) > PENDING_BYTES ? pending.map(withoutLines) : pending;
  }
}

/** The request without the display form of its diffs, which their blobs can give. */
function withoutLines(approval: Approval): Approval {
  const { subject } = approval;
  if (subject.kind !== 'edit') return approval;
  return { ...approval, subject: { ...subject, changes: subject.changes.map((change) => ({ ...change, lines: [], linesCut: true })) } };
}
