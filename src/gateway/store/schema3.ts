/**
 * The event log without a second copy of each text. A row of `events` is one of three: a whole event as JSON (`itemNo` null); the bare text of an
 * item.delta (`rev` set), of which the other columns are the rest; an event of an item whose text is filled in from its row (`itemNo` set, `rev` null).
 * Older rows are packed into `eventSegments`: the JSON of `count` consecutive events, `bytes` long, compressed.
 */
export const SCHEMA_3 = `
ALTER TABLE events ADD COLUMN itemNo INTEGER;
ALTER TABLE events ADD COLUMN rev INTEGER;
ALTER TABLE events ADD COLUMN textEnd INTEGER;
ALTER TABLE events ADD COLUMN reportSeq INTEGER;
ALTER TABLE events ADD COLUMN at INTEGER;
ALTER TABLE events ADD COLUMN causedBy TEXT;
CREATE TABLE eventSegments (eventNo INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, packed BLOB NOT NULL) STRICT
`;
