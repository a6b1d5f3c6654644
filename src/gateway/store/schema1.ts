/**
 * The first schema. Column names are those of the entities; JSON is kept in TEXT columns named in the row types. What is written with
 * every piece of streamed text (events, chunks) has one integer as key, so that a commit touches one page of each.
 */
export const SCHEMA_1 = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE goals (
  workspace TEXT NOT NULL, goalId TEXT NOT NULL, lifetime INTEGER NOT NULL,
  profile TEXT NOT NULL, goalInstanceId TEXT, state TEXT NOT NULL,
  title TEXT NOT NULL, objective TEXT NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, retiredAt INTEGER,
  PRIMARY KEY (workspace, goalId, lifetime)
) STRICT;

CREATE TABLE stampedHistory (workspace TEXT NOT NULL, goalId TEXT NOT NULL, PRIMARY KEY (workspace, goalId)) STRICT;

CREATE TABLE sessions (
  sessionId TEXT PRIMARY KEY, workspace TEXT NOT NULL, goalId TEXT NOT NULL, goalInstanceId TEXT, lifetime INTEGER NOT NULL,
  agentId TEXT NOT NULL, sessionMode TEXT NOT NULL, executorEndpointId TEXT NOT NULL, hostSurface TEXT NOT NULL,
  hostSessionId TEXT, hostRunId TEXT, attachedCapabilities TEXT NOT NULL, channelId TEXT NOT NULL,
  status TEXT NOT NULL, activeTurnId TEXT, lastErrorCode TEXT, title TEXT NOT NULL, titleSource TEXT NOT NULL,
  queuePaused INTEGER NOT NULL, agent TEXT NOT NULL, agentSessionId TEXT, turnCount INTEGER NOT NULL,
  createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, closedAt INTEGER
) STRICT;
CREATE INDEX sessionsByWorkspace ON sessions (workspace, updatedAt, sessionId);
CREATE INDEX sessionsByGoal ON sessions (workspace, goalId);
CREATE INDEX sessionsByChannel ON sessions (workspace, channelId, updatedAt, sessionId);

CREATE TABLE turns (
  turnId TEXT PRIMARY KEY, sessionId TEXT NOT NULL, turnIdx INTEGER NOT NULL, clientTurnId TEXT NOT NULL, submitHash TEXT NOT NULL,
  goalInstanceId TEXT, state TEXT NOT NULL, origin TEXT NOT NULL, text TEXT NOT NULL, userItemId TEXT NOT NULL, retryOf TEXT,
  claimId TEXT, admittedInstanceId TEXT, admittedAt INTEGER,
  completionId TEXT, completion TEXT, lateResult INTEGER NOT NULL,
  stopReason TEXT, cause TEXT, detail TEXT, usage TEXT, rev INTEGER NOT NULL,
  queuedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, startedAt INTEGER, endedAt INTEGER,
  UNIQUE (sessionId, turnIdx), UNIQUE (sessionId, clientTurnId)
) STRICT;
CREATE UNIQUE INDEX turnsByClaim ON turns (sessionId, claimId) WHERE claimId IS NOT NULL;
CREATE INDEX turnsQueued ON turns (sessionId, turnIdx) WHERE state = 'queued';
CREATE INDEX turnsHeld ON turns (turnId) WHERE state IN ('running', 'waiting', 'cancelling', 'completing');

CREATE TABLE turnProgress (turnId TEXT PRIMARY KEY, reportSeq INTEGER NOT NULL, itemCount INTEGER NOT NULL) STRICT;

CREATE TABLE earlyCancels (
  sessionId TEXT NOT NULL, clientTurnId TEXT NOT NULL, expiresAt INTEGER NOT NULL, PRIMARY KEY (sessionId, clientTurnId)
) STRICT;

CREATE TABLE items (
  itemNo INTEGER PRIMARY KEY, itemId TEXT NOT NULL UNIQUE, sessionId TEXT NOT NULL, turnId TEXT NOT NULL, turnIdx INTEGER NOT NULL, idx INTEGER NOT NULL,
  itemKey TEXT, reportSeq INTEGER, state TEXT NOT NULL, outcome TEXT NOT NULL, rev INTEGER NOT NULL,
  data TEXT NOT NULL, text TEXT NOT NULL, textLength INTEGER NOT NULL, parentId TEXT,
  startedAt INTEGER NOT NULL, endedAt INTEGER,
  UNIQUE (sessionId, turnIdx, idx)
) STRICT;
CREATE UNIQUE INDEX itemsByKey ON items (turnId, itemKey) WHERE itemKey IS NOT NULL;
CREATE INDEX itemsOpen ON items (turnId) WHERE state = 'started';

CREATE TABLE itemChunks (
  chunkNo INTEGER PRIMARY KEY, offset INTEGER NOT NULL, length INTEGER NOT NULL, rev INTEGER NOT NULL, text TEXT NOT NULL
) STRICT;

CREATE TABLE effects (
  itemId TEXT NOT NULL, approvalId TEXT NOT NULL, turnId TEXT NOT NULL, actionDigest TEXT NOT NULL, begunAt INTEGER NOT NULL, endedAt INTEGER,
  PRIMARY KEY (itemId, approvalId)
) STRICT;

CREATE TABLE approvals (
  approvalId TEXT PRIMARY KEY, workspace TEXT NOT NULL, sessionId TEXT NOT NULL, turnId TEXT NOT NULL, itemId TEXT NOT NULL, title TEXT NOT NULL,
  subject TEXT NOT NULL, options TEXT NOT NULL, actionDigest TEXT NOT NULL, status TEXT NOT NULL, optionId TEXT, comment TEXT, decidedBy TEXT,
  cause TEXT, expiresAt INTEGER, createdAt INTEGER NOT NULL, decidedAt INTEGER
) STRICT;
CREATE INDEX approvalsByTurn ON approvals (turnId);
CREATE INDEX approvalsByWorkspace ON approvals (workspace, status);
CREATE INDEX approvalsPending ON approvals (sessionId) WHERE status = 'pending';

CREATE TABLE blobs (
  workspace TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, received INTEGER NOT NULL, complete INTEGER NOT NULL,
  PRIMARY KEY (workspace, digest)
) STRICT;
CREATE TABLE blobChunks (
  workspace TEXT NOT NULL, digest TEXT NOT NULL, offset INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (workspace, digest, offset)
) STRICT;

CREATE TABLE receipts (
  clientId TEXT NOT NULL, commandId TEXT NOT NULL, method TEXT NOT NULL, paramsHash TEXT NOT NULL, workspace TEXT NOT NULL, result TEXT NOT NULL,
  at INTEGER NOT NULL, PRIMARY KEY (clientId, commandId)
) STRICT;

CREATE TABLE scopes (scopeNo INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE events (eventNo INTEGER PRIMARY KEY, event TEXT NOT NULL) STRICT
`;
