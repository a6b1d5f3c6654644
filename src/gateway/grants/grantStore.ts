import { grant as wholeGrant, type Grant, type GrantPattern } from '../../protocol/grant/state.ts';
import type { GrantId, SessionId } from '../../protocol/ids.ts';
import type { Change } from '../events/change.ts';
import { attempted } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';

/** A rule as it is stored; pattern and createdBy are JSON. */
interface GrantRow {
  readonly pattern: string;
  readonly createdBy: string;
}

export interface GrantFilter {
  readonly workspace: string;
  /** Those that count in this session. */
  readonly session: { readonly sessionId: SessionId; readonly agentId: string } | null;
  readonly includeRevoked: boolean;
}

/** Whom a rule would have to be for, to count. */
export interface GrantPlace {
  readonly workspace: string;
  readonly agentId: string;
  readonly sessionId: SessionId;
}

const LIST_LIMIT = 1000;

const content = wholeGrant.pick({ pattern: true, createdBy: true });

/** None where it cannot be read: such a rule allows nothing, and states nothing that could be shown. */
function toGrants(row: GrantRow): Grant[] {
  const { kind: _kind, pattern, createdBy, ...rest } = { ...row } as GrantRow & { readonly kind: string };
  const read = attempted(() => ({ pattern: JSON.parse(pattern) as unknown, createdBy: JSON.parse(createdBy) as unknown }), (value) => content.safeParse(value).success);
  return read === undefined ? [] : [{ ...rest, ...read } as Grant];
}

/** Rows of rules. What is made or revoked is told; that one was used is in the answer it gave. */
export class GrantStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A rule of a session that has been deleted is hidden with it. */
  find(grantId: GrantId): Grant | undefined {
    return this.#store.all<GrantRow>(`SELECT * FROM grants WHERE grantId = ? AND ${VISIBLE}`, grantId).flatMap(toGrants)[0];
  }

  insert(change: Change, grant: Grant): void {
    this.#store.insert('grants', { ...grant, kind: grant.pattern.kind, pattern: JSON.stringify(grant.pattern), createdBy: JSON.stringify(grant.createdBy) });
    change.tellWorkspace(grant.workspace, { type: 'grant.updated', grant });
  }

  revoke(change: Change, grant: Grant): Grant {
    if (grant.revokedAt !== null) return grant;
    this.#store.patch('grants', { grantId: grant.grantId }, { revokedAt: change.now });
    const revoked = { ...grant, revokedAt: change.now };
    change.tellWorkspace(grant.workspace, { type: 'grant.updated', grant: revoked });
    return revoked;
  }

  use(change: Change, { grantId, uses }: Grant): void {
    this.#store.patch('grants', { grantId }, { uses: uses + 1, lastUsedAt: change.now });
  }

  isInForce(grantId: string): boolean {
    return this.#store.all<GrantRow>('SELECT * FROM grants WHERE grantId = ? AND revokedAt IS NULL', grantId).flatMap(toGrants).length > 0;
  }

  /** Rules of one kind that count here, the oldest first. */
  inForce({ workspace, agentId, sessionId }: GrantPlace, kind: GrantPattern['kind']): Grant[] {
    return this.#store.all<GrantRow>(
      `SELECT * FROM grants WHERE workspace = ? AND agentId = ? AND kind = ? AND revokedAt IS NULL AND (sessionId IS NULL OR sessionId = ?) ORDER BY grantId`,
      workspace, agentId, kind, sessionId).flatMap(toGrants);
  }

  countInForce(workspace: string): number {
    return this.#store.get<{ n: number }>('SELECT count(*) AS n FROM grants WHERE workspace = ? AND revokedAt IS NULL', workspace)?.n ?? 0;
  }

  /** Newest first. All that are in force come before any that was revoked is left out. */
  list({ workspace, session, includeRevoked }: GrantFilter): Grant[] {
    const rows = this.#store.all<GrantRow>(
      `SELECT * FROM grants WHERE workspace = ?1 AND ${VISIBLE} AND (?2 IS NULL OR (agentId = ?3 AND (sessionId IS NULL OR sessionId = ?2))) AND (?4 = 1 OR revokedAt IS NULL)
       ORDER BY revokedAt IS NULL DESC, grantId DESC LIMIT ?5`, workspace, session?.sessionId ?? null, session?.agentId ?? null, includeRevoked ? 1 : 0, LIST_LIMIT);
    return rows.flatMap(toGrants).sort((a, b) => (a.grantId < b.grantId ? 1 : -1));
  }
}

const VISIBLE = `(sessionId IS NULL OR sessionId NOT IN (SELECT sessionId FROM sessions WHERE deletedAt IS NOT NULL))`;
