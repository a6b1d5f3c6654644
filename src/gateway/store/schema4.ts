/** How people keep their sessions, what they chose for them, files that go with messages, and the rules they made. */
export const SCHEMA_4 = `
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN archivedAt INTEGER;
ALTER TABLE sessions ADD COLUMN permissionMode TEXT NOT NULL DEFAULT 'ask';
ALTER TABLE sessions ADD COLUMN wanted TEXT NOT NULL DEFAULT '[]';
ALTER TABLE turns ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]';

CREATE TABLE grants (
  grantId TEXT PRIMARY KEY, workspace TEXT NOT NULL, agentId TEXT NOT NULL, sessionId TEXT, kind TEXT NOT NULL, pattern TEXT NOT NULL,
  createdAt INTEGER NOT NULL, createdBy TEXT NOT NULL, approvalId TEXT NOT NULL, uses INTEGER NOT NULL, lastUsedAt INTEGER, revokedAt INTEGER
) STRICT;
CREATE INDEX grantsInForce ON grants (workspace, agentId, kind) WHERE revokedAt IS NULL;
CREATE INDEX grantsBySession ON grants (sessionId) WHERE sessionId IS NOT NULL
`;
