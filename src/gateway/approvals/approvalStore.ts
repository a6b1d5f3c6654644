import { approval as wholeApproval, type Approval, type ApprovalStatus } from '../../protocol/approval/state.ts';
import type { ApprovalId, SessionId, TurnId } from '../../protocol/ids.ts';
import type { Change } from '../events/change.ts';
import { attempted } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';
import { decisionColumn, decisionOf } from './decisionColumn.ts';

/** A request as it is stored; subject, options and decidedBy are JSON. The part that was approved is stored with who decided: both come with the answer. */
interface ApprovalRow {
  readonly approvalId: ApprovalId;
  readonly subject: string;
  readonly options: string;
  readonly decidedBy: string | null;
}

/** A request with the folder it belongs to. */
export interface StoredApproval {
  readonly workspace: string;
  readonly approval: Approval;
}

export interface ApprovalFilter {
  readonly workspace: string;
  readonly sessionId: SessionId | undefined;
  readonly status: ApprovalStatus | undefined;
  /** Only those that were asked before this one. */
  readonly before: ApprovalId | undefined;
}

/** `earlier`: there are more, from before the first one. */
export interface ApprovalPage {
  readonly approvals: Approval[];
  readonly earlier: ApprovalId | undefined;
}

const LIST_LIMIT = 500;

type Content = Pick<Approval, 'subject' | 'options' | 'decidedBy' | 'part'>;
type Rest = Omit<Approval, keyof Content>;

const content = wholeApproval.pick({ subject: true, options: true, decidedBy: true, part: true });

function toStored(row: ApprovalRow): StoredApproval {
  const { workspace, subject, options, decidedBy, ...rest } = { ...row } as ApprovalRow & Rest & { readonly workspace: string };
  const read = attempted(() => ({ subject: JSON.parse(subject) as unknown, options: JSON.parse(options) as unknown, ...decisionOf(decidedBy) }), (value) => content.safeParse(value).success);
  return { workspace, approval: read === undefined ? unreadable(rest) : { ...rest, ...(read as Content) } };
}

const ALLOWS: ReadonlySet<ApprovalStatus> = new Set<ApprovalStatus>(['pending', 'approved', 'answered']);

/** One of which a part cannot be read: nobody can answer it any more, and what it has allowed is not allowed. */
const unreadable = (rest: Rest): Approval => ({
  ...rest, subject: { kind: 'question', detail: 'This request cannot be read any more.' }, options: [{ optionId: 'unreadable', name: 'Unreadable', kind: 'other' }], optionId: null, decidedBy: null,
  ...(ALLOWS.has(rest.status) ? { status: 'cancelled', cause: 'store_unreadable' } : {}),
});

/** Rows of requests. Every change goes through `patch`, which tells it. */
export class ApprovalStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  find(approvalId: ApprovalId): StoredApproval | undefined {
    const row = this.#store.get<ApprovalRow>('SELECT * FROM approvals WHERE approvalId = ?', approvalId);
    return row === undefined ? undefined : toStored(row);
  }

  insert(change: Change, workspace: string, approval: Approval): void {
    const { subject, options, decidedBy: _decidedBy, part: _part, ...rest } = approval;
    this.#store.insert('approvals', { ...rest, workspace, subject: JSON.stringify(subject), options: JSON.stringify(options), decidedBy: decisionColumn(approval) });
    change.tellSession(approval.sessionId, { type: 'approval.requested', approval });
    change.touch(approval.sessionId);
  }

  patch(change: Change, approval: Approval, changes: Pick<Approval, 'status'> & Partial<Pick<Approval, 'optionId' | 'part' | 'comment' | 'decidedBy' | 'cause'>>): Approval {
    const next: Approval = { ...approval, ...changes, decidedAt: change.now };
    const { status, optionId, comment, cause, decidedAt } = next;
    this.#store.patch('approvals', { approvalId: approval.approvalId }, { status, optionId, comment, decidedBy: decisionColumn(next), cause, decidedAt });
    change.tellSession(approval.sessionId, { type: 'approval.updated', approval: next });
    change.touch(approval.sessionId);
    return next;
  }

  ofTurn(turnId: TurnId): Approval[] {
    return this.#store.all<ApprovalRow>('SELECT * FROM approvals WHERE turnId = ? ORDER BY approvalId', turnId).map((row) => toStored(row).approval);
  }

  pendingOfTurn(turnId: TurnId): Approval[] {
    return this.#store.all<ApprovalRow>(`SELECT * FROM approvals WHERE turnId = ? AND status = 'pending' ORDER BY approvalId`, turnId).map((row) => toStored(row).approval);
  }

  pendingOfSession(sessionId: SessionId): Approval[] {
    return this.#store.all<ApprovalRow>(`SELECT * FROM approvals WHERE sessionId = ? AND status = 'pending' ORDER BY approvalId`, sessionId).map((row) => toStored(row).approval);
  }

  /** By the index of those alone: in the order of their ids SQLite would go through all there have ever been. */
  pending(): Approval[] {
    return this.#store.all<ApprovalRow>(`SELECT * FROM approvals INDEXED BY approvalsPending WHERE status = 'pending' ORDER BY approvalId`).map((row) => toStored(row).approval);
  }

  countPending(sessionId: SessionId): number {
    return this.#store.get<{ n: number }>(`SELECT count(*) AS n FROM approvals WHERE sessionId = ? AND status = 'pending'`, sessionId)?.n ?? 0;
  }

  /** The same of many sessions. One that is not there has none. */
  countPendingOf(sessionIds: readonly SessionId[]): Map<SessionId, number> {
    const rows = this.#store.all<{ readonly sessionId: SessionId; readonly n: number }>(
      `SELECT sessionId, count(*) AS n FROM approvals WHERE sessionId IN (SELECT value FROM json_each(?)) AND status = 'pending' GROUP BY sessionId`, JSON.stringify(sessionIds));
    return new Map(rows.map(({ sessionId, n }) => [sessionId, n]));
  }

  /** The newest of a folder, in order of request. One that cannot be read is not among those that wait, or count. */
  list({ workspace, sessionId, status, before }: ApprovalFilter): ApprovalPage {
    const rows = this.#store.all<ApprovalRow>(
      `SELECT * FROM approvals WHERE workspace = ?1 AND (?2 IS NULL OR sessionId = ?2) AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR approvalId < ?4)
       AND sessionId NOT IN (SELECT sessionId FROM sessions WHERE deletedAt IS NOT NULL)
       ORDER BY approvalId DESC LIMIT ?5`, workspace, sessionId ?? null, status ?? null, before ?? null, LIST_LIMIT + 1);
    const page = rows.slice(0, LIST_LIMIT);
    const approvals = page.map((row) => toStored(row).approval).filter((approval) => status === undefined || approval.status === status).reverse();
    return { approvals, earlier: rows.length > page.length ? page.at(-1)?.approvalId : undefined };
  }
}
