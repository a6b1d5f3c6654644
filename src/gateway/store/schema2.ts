/** Deleted sessions: when, on the gateway's timeline. Hidden at once, purged after a week. */
export const SCHEMA_2 = `
ALTER TABLE sessions ADD COLUMN deletedAt INTEGER;
CREATE INDEX sessionsDeleted ON sessions (deletedAt) WHERE deletedAt IS NOT NULL
`;
