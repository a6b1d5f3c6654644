import { createMessageConnection, NullLogger } from 'vscode-jsonrpc/node';
import { gatewayCalls, type GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { connectOnly } from '../../../src/connector/connect.ts';
import { jsonRpcPeer } from '../../../src/connector/jsonRpcPeer.ts';
import { clientId } from '../../../src/protocol/ids.ts';
import type { GatewayUnderTest } from './gatewayUnderTest.ts';

/** A connection as a window has it: nothing of what comes is checked or kept, as it is with a test's client. */
export interface BenchWindow {
  readonly calls: GatewayCalls;
  close(): void;
}

export async function openWindow({ dataRoot, folder }: GatewayUnderTest, name: string): Promise<BenchWindow> {
  const connection = await connectOnly({ dataRoot, hello: { clientId: clientId.parse(name), kind: 'editor', workspaces: [{ path: folder, trusted: true }] } });
  const rpc = createMessageConnection(connection.reader, connection.writer, NullLogger);
  const calls = gatewayCalls(jsonRpcPeer(rpc));
  rpc.listen();
  return { calls, close: () => connection.dispose() };
}
