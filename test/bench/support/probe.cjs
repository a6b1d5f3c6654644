// Loaded into the gateway under test before its own code (node --require): counts what it asks of its store and of JSON, and answers over IPC.
'use strict';
const sqlite = require('node:sqlite');

/** Requests and acknowledgements are shorter; what is stored and handed out is longer. */
const CONTENT_CHARS = 1024;
const counts = { reads: 0, parses: 0, stringifies: 0, appends: [] };
let begun = 0;

for (const name of ['get', 'all', 'iterate']) {
  const original = sqlite.StatementSync.prototype[name];
  sqlite.StatementSync.prototype[name] = function (...values) {
    if (!this.sourceSQL.startsWith('PRAGMA')) { counts.reads += 1; }
    return original.apply(this, values);
  };
}
const run = sqlite.StatementSync.prototype.run;
sqlite.StatementSync.prototype.run = function (...values) {
  if (this.sourceSQL === 'BEGIN IMMEDIATE') { begun = performance.now(); }
  const result = run.apply(this, values);
  if (this.sourceSQL === 'COMMIT') { counts.appends.push(performance.now() - begun); }
  return result;
};

const { parse, stringify } = JSON;
JSON.parse = (text, ...more) => {
  if (text.length >= CONTENT_CHARS) { counts.parses += 1; }
  return parse(text, ...more);
};
JSON.stringify = (...args) => {
  const text = stringify(...args);
  if (text !== undefined && text.length >= CONTENT_CHARS) { counts.stringifies += 1; }
  return text;
};

process.on('message', (message) => {
  if (message === 'reset') { Object.assign(counts, { reads: 0, parses: 0, stringifies: 0, appends: [] }); }
  const { user, system } = process.cpuUsage();
  process.send({ ...counts, cpuUs: user + system });
});
process.channel?.unref();
