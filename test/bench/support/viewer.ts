// Clients in a process of their own that each follow a session as every client does; says over IPC what that has cost.
//   node viewer.ts DATA_ROOT FOLDER SESSION [how many]
import { sessionMirror } from '../../../src/client/sessionMirror.ts';
import { gatewayCalls } from '../../../src/client/gatewayClient.ts';
import { connectOnly } from '../../../src/connector/connect.ts';
import { jsonRpcPeer } from '../../../src/connector/jsonRpcPeer.ts';
import { clientId, sessionId } from '../../../src/protocol/ids.ts';
import { createMessageConnection, NullLogger } from 'vscode-jsonrpc/node';

const [dataRoot = '', folder = '', session = '', count = '1'] = process.argv.slice(2);

async function follow(at: number) {
  const { reader, writer, socket } = await connectOnly({ dataRoot, hello: { clientId: clientId.parse(`viewer-${process.pid}-${at}`), kind: 'editor', workspaces: [{ path: folder, trusted: true }] } });
  const rpc = createMessageConnection(reader, writer, NullLogger);
  const mirror = sessionMirror(gatewayCalls(jsonRpcPeer(rpc)), sessionId.parse(session));
  rpc.listen();
  await mirror.connect();
  return { socket, mirror };
}

const followed = await Promise.all(Array.from({ length: Number(count) }, (_, at) => follow(at)));

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, bytes: followed[0]?.socket.bytesRead ?? 0, head: Math.min(...followed.map(({ mirror }) => mirror.view?.head ?? 0)) });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
