// The baseline of P4: one vscode-jsonrpc notification for each delta over a socket, both ends in this process; prints CPU per delta in us.
import { once } from 'node:events';
import net from 'node:net';
import { createMessageConnection, NullLogger, SocketMessageReader, SocketMessageWriter } from 'vscode-jsonrpc/node';

const DELTAS = 20_000;
const server = net.createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const near = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
const [far] = (await once(server, 'connection')) as [net.Socket];
const sender = createMessageConnection(new SocketMessageReader(near), new SocketMessageWriter(near), NullLogger);
const receiver = createMessageConnection(new SocketMessageReader(far), new SocketMessageWriter(far), NullLogger);
let received = 0;
const all = new Promise<void>((resolve) => {
  receiver.onNotification('delta', () => {
    received += 1;
    if (received === DELTAS) resolve();
  });
});
sender.listen();
receiver.listen();
const before = process.cpuUsage();
for (let n = 0; n < DELTAS; n++) await sender.sendNotification('delta', { itemId: 'itm_00000000000000000000000000', offset: n * 20, text: 'twenty characters ..' });
await all;
const { user, system } = process.cpuUsage(before);
process.stdout.write(String((user + system) / DELTAS));
process.exit();
