import { isRecord } from '../../base/isRecord.ts';
import type { ChannelId, GoalId, HostRunId, HostSessionId, SessionId, TurnId } from '../../protocol/ids.ts';
import { permissionMode, sessionMode, type AgentChoice, type AgentState, type PermissionMode } from '../../protocol/session/state.ts';
import { accessTo } from '../admission/access.ts';
import type { SessionFacts } from '../admission/facts.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import { stampOf } from '../goals/goalRegistry.ts';
import { readJson } from '../store/readJson.ts';
import type { Store } from '../store/store.ts';

/** A binding as it is stored. Mode and status are plain text: an older or newer build may have written others. */
export interface SessionRow {
  readonly sessionId: SessionId;
  readonly workspace: string;
  readonly goalId: GoalId;
  /** Private. */
  readonly goalInstanceId: string | null;
  readonly lifetime: number;
  readonly agentId: string;
  readonly sessionMode: string;
  readonly executorEndpointId: string;
  readonly hostSurface: string;
  /** Private. */
  readonly hostSessionId: HostSessionId | null;
  /** The runtime process that registered last. Private. */
  readonly hostRunId: HostRunId | null;
  /** JSON. */
  readonly attachedCapabilities: string;
  readonly channelId: ChannelId;
  readonly status: string;
  readonly activeTurnId: TurnId | null;
  readonly lastErrorCode: string | null;
  readonly title: string;
  /** Who gave the title; only a default one is replaced by the first message, only a person's is kept against the agent's. */
  readonly titleSource: 'default' | 'message' | 'agent' | 'person';
  readonly queuePaused: 0 | 1;
  /** JSON of AgentState. */
  readonly agent: string;
  /** The agent's own id of its conversation. Private. */
  readonly agentSessionId: string | null;
  readonly turnCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
  /** On the gateway's timeline. A deleted session is closed, and hidden from everybody. */
  readonly deletedAt: number | null;
  readonly pinned: 0 | 1;
  readonly archivedAt: number | null;
  /** Plain text: a newer build may have written another one. */
  readonly permissionMode: string;
  /** JSON of AgentChoice[]. */
  readonly wanted: string;
}

/** What is quoted of the session that a channel leads to. */
export type OnChannel = Pick<SessionRow, 'sessionId' | 'channelId' | 'sessionMode' | 'status' | 'hostSurface'>;

const NO_AGENT: AgentState = { name: null, version: null, options: [], commands: [], contextUsed: null, contextSize: null };

export const capabilitiesOf = (row: SessionRow): string[] => readJson(row.attachedCapabilities, [], Array.isArray);

export const agentOf = (row: SessionRow): AgentState => ({ ...NO_AGENT, ...readJson<Partial<AgentState>>(row.agent, {}, isAgent) });

const isAgent = (value: unknown): boolean => isRecord(value) && ['options', 'commands'].every((name) => value[name] === undefined || Array.isArray(value[name]));

export const wantedOf = (row: SessionRow): AgentChoice[] => readJson(row.wanted, [], Array.isArray);

/** A mode that this build does not know allows nothing by itself. */
export const permissionModeOf = (row: SessionRow): PermissionMode => permissionMode.safeParse(row.permissionMode).data ?? 'askAlways';

/** Rows of bindings. Every change goes through `patch`, which also announces it. */
export class SessionStore {
  readonly #store: Store;
  readonly #folders = new Map<SessionId, Pick<SessionRow, 'workspace'>>();
  #foldersAt = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  find(sessionId: SessionId): SessionRow | undefined {
    return this.#store.get<SessionRow>('SELECT * FROM sessions WHERE sessionId = ? AND deletedAt IS NULL', sessionId);
  }

  /** Only what access is decided by: asked with every batch of events for every client, so that what the store says is kept until the next commit. */
  folderOf(sessionId: SessionId): Pick<SessionRow, 'workspace'> | undefined {
    const { commits, isInTransaction } = this.#store;
    if (this.#foldersAt !== commits) this.#folders.clear();
    this.#foldersAt = commits;
    const known = isInTransaction ? undefined : this.#folders.get(sessionId);
    if (known !== undefined) return known;
    const found = this.#store.get<Pick<SessionRow, 'workspace'>>('SELECT workspace FROM sessions WHERE sessionId = ? AND deletedAt IS NULL', sessionId);
    if (found !== undefined && !isInTransaction) this.#folders.set(sessionId, found);
    return found;
  }

  findDeleted(sessionId: SessionId): SessionRow | undefined {
    return this.#store.get<SessionRow>('SELECT * FROM sessions WHERE sessionId = ? AND deletedAt IS NOT NULL', sessionId);
  }

  /** For ids that come from the store itself. */
  get(sessionId: SessionId): SessionRow {
    const row = this.#store.get<SessionRow>('SELECT * FROM sessions WHERE sessionId = ?', sessionId);
    if (row === undefined) throw new Error(`session ${sessionId} is missing in the store`);
    return row;
  }

  insert(change: Change, row: SessionRow): void {
    this.#store.insert('sessions', { ...row });
    change.touch(row.sessionId);
  }

  patch(change: Change, row: SessionRow, changes: Partial<SessionRow>): SessionRow {
    const all = { updatedAt: change.now, ...changes };
    this.#store.patch('sessions', { sessionId: row.sessionId }, all);
    change.touch(row.sessionId);
    return { ...row, ...all };
  }

  ofGoal(workspace: string, goalId: GoalId): SessionRow[] {
    return this.#store.all<SessionRow>('SELECT * FROM sessions WHERE workspace = ? AND goalId = ? ORDER BY sessionId', workspace, goalId);
  }

  channels(): { workspace: string; channelId: ChannelId }[] {
    return this.#store.all('SELECT DISTINCT workspace, channelId FROM sessions WHERE deletedAt IS NULL');
  }

  open(): SessionRow[] {
    return this.#store.all<SessionRow>(`SELECT * FROM sessions WHERE status <> 'closed'`);
  }

  newestResumableOn(workspace: string, channelId: ChannelId): OnChannel | undefined {
    return this.#store.get<OnChannel>(
      `SELECT sessionId, channelId, sessionMode, status, hostSurface FROM sessions WHERE workspace = ? AND channelId = ? AND status NOT IN ('closed', 'resume_failed')
       ORDER BY updatedAt DESC, sessionId DESC LIMIT 1`, workspace, channelId);
  }

  /** The same of many channels of one folder. */
  newestResumableOnEach(workspace: string, channelIds: Iterable<ChannelId>): Map<ChannelId, OnChannel> {
    const rows = this.#store.all<OnChannel>(
      `SELECT sessionId, channelId, sessionMode, status, hostSurface FROM sessions INDEXED BY sessionsByChannel
       WHERE workspace = ? AND channelId IN (SELECT value FROM json_each(?)) AND status NOT IN ('closed', 'resume_failed') ORDER BY updatedAt, sessionId`,
      workspace, JSON.stringify([...new Set(channelIds)]));
    return new Map(rows.map((row) => [row.channelId, row]));
  }

  /** Resumable sessions of a channel, the newest first. Resumable is all that is neither closed nor failed to resume. */
  resumableOn(workspace: string, channelId: ChannelId): SessionRow[] {
    return this.#store.all<SessionRow>(
      `SELECT * FROM sessions WHERE workspace = ? AND channelId = ? AND status NOT IN ('closed', 'resume_failed')
       ORDER BY updatedAt DESC, sessionId DESC`, workspace, channelId);
  }
}

/** What admission has to know of a session, seen by this principal. */
export function sessionFacts(principal: Principal, row: SessionRow | undefined): SessionFacts {
  const access = row === undefined ? 'none' : accessTo(principal, row.workspace);
  if (row === undefined || access === 'none') return { kind: 'unknown' };
  const mode = sessionMode.safeParse(row.sessionMode);
  if (!mode.success) return { kind: 'unrecognized', access };
  return { kind: 'known', access, mode: mode.data, status: row.status, stamp: stampOf(row.goalInstanceId) };
}
