/** Digests in the JSON of one row, and the session they belong to. A blob is named by 64 hexadecimal digits, wherever in the JSON that stands. */
const namedIn = (json: string, session: string): string => `
  INSERT OR IGNORE INTO blobRefs (workspace, digest, sessionId)
    SELECT s.workspace, t.value, s.sessionId FROM sessions AS s, json_tree(${json}) AS t
    WHERE s.sessionId = ${session} AND t.type = 'text' AND length(t.value) = 64 AND t.value NOT GLOB '*[^0-9a-f]*'`;

const DIGIT = '[0-9a-f]';
/** Most rows name none, and are not parsed. */
const mayName = (json: string): string => `${json} GLOB '*"${DIGIT.repeat(8)}*'`;

const trigger = (name: string, when: string, json: string): string => `
CREATE TRIGGER ${name} AFTER ${when} WHEN ${mayName(json)} BEGIN ${namedIn(json, 'NEW.sessionId')}; END;`;

const backfill = (table: string, json: string): string => `
INSERT OR IGNORE INTO blobRefs (workspace, digest, sessionId)
  SELECT s.workspace, t.value, s.sessionId FROM ${table} AS r JOIN sessions AS s USING (sessionId), json_tree(CASE WHEN json_valid(r.${json}) THEN r.${json} ELSE '{}' END) AS t
  WHERE t.type = 'text' AND length(t.value) = 64 AND t.value NOT GLOB '*[^0-9a-f]*';`;

/**
 * Which sessions refer to which blobs, kept by the store itself so that no writer can forget it; when a blob was put last, on the gateway's timeline;
 * and when its content was freed.
 */
export const SCHEMA_5 = `
ALTER TABLE blobs ADD COLUMN addedAt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blobs ADD COLUMN freedAt INTEGER;
CREATE TABLE blobRefs (workspace TEXT NOT NULL, digest TEXT NOT NULL, sessionId TEXT NOT NULL, PRIMARY KEY (workspace, digest, sessionId)) STRICT;
CREATE INDEX blobRefsBySession ON blobRefs (sessionId);
${trigger('itemNamesBlob', 'INSERT ON items', 'NEW.data')}
${trigger('itemNamesBlobLater', 'UPDATE OF data ON items', 'NEW.data')}
${trigger('approvalNamesBlob', 'INSERT ON approvals', 'NEW.subject')}
${trigger('turnNamesBlob', 'INSERT ON turns', 'NEW.attachments')}
${trigger('turnNamesBlobLater', 'UPDATE OF attachments ON turns', 'NEW.attachments')}
CREATE TRIGGER sessionForgetsBlobs AFTER DELETE ON sessions BEGIN DELETE FROM blobRefs WHERE sessionId = OLD.sessionId; END;
${backfill('items', 'data')}
${backfill('approvals', 'subject')}
${backfill('turns', 'attachments')}
CREATE INDEX sessionsClosed ON sessions (closedAt) WHERE status = 'closed'
`;
