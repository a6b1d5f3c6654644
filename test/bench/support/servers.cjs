// The baselines of P2, each a process of its own that serves one file of batches to every connection and says over IPC what CPU it has used.
//   node servers.cjs buffers|rows SOCKET FILE
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const { DatabaseSync } = require('node:sqlite');

const [kind, socketPath, file] = process.argv.slice(2);
const BATCH = 500;

/** The batches as they are. */
function* buffers() {
  for (const line of fs.readFileSync(file).toString('latin1').split('\0')) { yield Buffer.from(line, 'latin1'); }
}

/** Row by row from a table, parsed, and written as JSON again, for each client anew. */
function* rowBatches() {
  const select = database.prepare('SELECT event FROM events WHERE eventNo > ? ORDER BY eventNo LIMIT ?');
  for (let at = 0; ;) {
    const found = select.all(at, BATCH);
    if (found.length === 0) { return; }
    at += found.length;
    const events = found.map(({ event }) => JSON.parse(event));
    yield Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'event/batch', params: { events } }));
  }
}

const ready = kind === 'buffers' ? [...buffers()] : null;
const database = kind === 'rows' ? new DatabaseSync(file) : null;

function serve(socket) {
  const batches = ready === null ? rowBatches() : ready.values();
  const next = () => {
    for (let step = batches.next(); !step.done; step = batches.next()) {
      if (!socket.write(step.value)) { socket.once('drain', next); return; }
    }
    socket.end();
  };
  next();
}

const server = net.createServer(serve).listen(socketPath, () => process.send('ready'));
process.on('message', (message) => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
  if (message === 'stop') { server.close(); process.disconnect(); }
});
