import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { ConversationStore } from './conversationStore.ts';
import { OfflineAgent } from './offlineAgent.ts';

// stdout belongs to the protocol: a stray print would break the connection.
globalThis.console = new Console(process.stderr);

const folder = process.env['ATTACHE_OFFLINE_DATA'];
const offline = new OfflineAgent({
  store: folder === undefined || folder === '' ? null : new ConversationStore(folder),
  version: process.env['ATTACHE_VERSION'] ?? '0.1.0',
  log: (line) => process.stderr.write(`attache-offline: ${line}\n`),
});

const output = Writable.toWeb(process.stdout);
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = offline.app().connect(ndJsonStream(output, input));
void connection.closed.then(() => {
  offline.stop();
  process.exit(0);
});
