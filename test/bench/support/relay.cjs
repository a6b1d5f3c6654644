// The baseline of P3: passes bytes on from the first connection to the second as they are, and stores nothing.
//   node relay.cjs SOCKET
'use strict';
const net = require('node:net');

let sender = null;
net.createServer((socket) => {
  socket.on('error', () => process.exit());
  if (sender === null) { sender = socket; }
  else { sender.pipe(socket); }
}).listen(process.argv[2], () => process.send('ready'));
process.on('disconnect', () => process.exit());
