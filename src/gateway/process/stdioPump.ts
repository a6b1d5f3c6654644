import { randomUUID } from 'node:crypto';
import { connectOrStart } from '../../connector/connect.ts';
import { GATEWAY_EXIT } from '../../connector/exitCodes.ts';
import type { GatewayCommand } from '../../connector/spawnGateway.ts';
import { clientId } from '../../protocol/ids.ts';
import type { GatewayArguments } from './arguments.ts';
import { ExitWatch } from './exitWatch.ts';

/**
 * Carries bytes between this process's stdio and the one shared gateway, starting it when needed. Changes none and keeps none; ends
 * with either side. Resolves with the exit code: done when the client left, failed when it said `exit` without `shutdown` or the gateway left.
 */
export async function pumpStdio({ dataRoot, workspaces, trusted }: GatewayArguments, spawn: GatewayCommand): Promise<number> {
  const { socket } = await connectOrStart({
    dataRoot,
    spawn,
    hello: { clientId: clientId.parse(`lsp-${randomUUID()}`), kind: 'lsp', workspaces: workspaces.map((path) => ({ path, trusted })) },
  });
  const watch = new ExitWatch();
  let clientLeft = false;
  process.stdin.on('data', (chunk: Buffer) => watch.see(chunk));
  process.stdin.once('end', () => (clientLeft = true));
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  process.stdout.on('error', () => {
    clientLeft = true;
    socket.destroy();
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  process.stdin.destroy();
  if (watch.exit) return watch.shutdown ? GATEWAY_EXIT.done : GATEWAY_EXIT.failed;
  if (clientLeft) return GATEWAY_EXIT.done;
  process.stderr.write('The gateway has closed the link. Start the language server again to go on; nothing is lost.\n');
  return GATEWAY_EXIT.failed;
}
