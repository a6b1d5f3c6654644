// A window that starts a turn, asks for consent, begins what was allowed, and then works until it is killed.
//   node test/support/windowMain.ts <data root> <folder>
import { setTimeout as sleep } from 'node:timers/promises';
import { TestClient } from './testClient.ts';
import { delta, key, startCommand, startMessage, submit, TestHost } from './testHost.ts';

const [dataRoot = '', folder = ''] = process.argv.slice(2);
const client = await TestClient.connect(dataRoot, { folders: [folder], clientId: 'window-1', windowId: 'window-1' });
const host = await TestHost.start(client, { workspace: folder });
await submit(client, host.sessionId, 'build it');
await host.claim();
await host.report(startMessage('m'), delta('m', 'I will run make.'), startCommand('c', 'make', folder));
const approval = await host.ask('make', key('c'));
process.stdout.write(`asked ${host.sessionId} ${approval.approvalId}\n`);
for (;;) {
  const { approval: now } = await client.call('approval/get', { approvalId: approval.approvalId });
  if (now.status === 'approved') break;
  await sleep(5);
}
await host.report({ op: 'effect.begin', itemKey: key('c'), approvalId: approval.approvalId, actionDigest: approval.actionDigest });
process.stdout.write('begun\n');
for (let n = 0; ; n++) {
  await host.report(delta('c', `line ${n}\n`));
  await sleep(20);
}
