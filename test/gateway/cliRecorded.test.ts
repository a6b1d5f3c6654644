import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createMessageConnection, NullLogger } from 'vscode-jsonrpc/node';
import { readTranscript } from '../../src/client/export/readTranscript.ts';
import { transcriptOf, type Transcript } from '../../src/client/export/transcript.ts';
import { transcriptLines } from '../../src/client/export/transcriptJson.ts';
import { transcriptMarkdown } from '../../src/client/export/transcriptMarkdown.ts';
import { gatewayCalls } from '../../src/client/gatewayClient.ts';
import { ResilientLink } from '../../src/client/resilientLink.ts';
import { sessionMirror, type SessionMirror } from '../../src/client/sessionMirror.ts';
import { connectOnly } from '../../src/connector/connect.ts';
import { jsonRpcPeer } from '../../src/connector/jsonRpcPeer.ts';
import { systemClock } from '../../src/connector/systemClock.ts';
import * as ids from '../../src/protocol/ids.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { CliRun } from '../support/cliRun.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { delta, key, newCommand, newHostSession, newMessage, startMessage, TestHost } from '../support/testHost.ts';

describe('a recorded session', () => {
  let gateway: GatewayHarness;
  let window1: ChildProcess | null = null;
  let link: ResilientLink | null = null;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(async () => {
    window1?.kill('SIGKILL');
    link?.dispose();
    await gateway.stop();
  });

  const cli = (...args: string[]): CliRun => new CliRun(args, { dataRoot: gateway.dataRoot, cwd: gateway.folder() });

  function start(): { child: ChildProcess; said: (word: string) => Promise<string[]> } {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, '../support/windowMain.ts'), gateway.dataRoot, gateway.folder()], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => void (text += piece.toString()));
    return { child, said: (word) => eventually(`the window says ${word}`, () => text.split('\n').find((line) => line.startsWith(word))?.split(' ').slice(1)) };
  }

  /** What a second window holds, over every cut and restart. */
  function follow(sessionId: ids.SessionId): SessionMirror {
    const hello = { clientId: ids.clientId.parse('window-2'), kind: 'editor' as const, workspaces: [{ path: gateway.folder(), trusted: true }] };
    link = new ResilientLink({
      clock: systemClock,
      open: async (signal) => {
        const connection = await connectOnly({ dataRoot: gateway.dataRoot, hello, signal });
        const rpc = createMessageConnection(connection.reader, connection.writer, NullLogger);
        const peer = jsonRpcPeer(rpc);
        rpc.listen();
        return { ...peer, closed: peer.closed, close: () => connection.dispose() };
      },
    });
    const mirror = sessionMirror(gatewayCalls(link), sessionId);
    link.onOpened(() => void mirror.connect());
    link.start();
    return mirror;
  }

  const held = ({ view }: SessionMirror): Transcript | null => view && transcriptOf(view);

  it('W1 starts, the CLI approves, W1 is killed, W2 goes on, the gateway is killed, the CLI exports: three equal transcripts', async () => {
    const { child, said } = start();
    window1 = child;
    const [id = '', approvalId = ''] = await said('asked');
    const sessionId = ids.sessionId.parse(id);
    const mirror = follow(sessionId);
    await eventually('W2 sees it', () => mirror.view !== null);

    assert.equal((await cli('approve', approvalId.slice(-8), '--yes', '--comment', 'go ahead').json<{ outcome: string }>()).outcome, 'decided');
    await said('begun');
    await eventually('some of it is shown', () => mirror.view?.items.some(({ text }) => text.includes('line 3')));
    child.kill('SIGKILL');
    await eventually('the gateway knows', () => mirror.view?.session.executor.state !== 'connected');
    await gateway.advance(LIMITS.leaseMs);
    await eventually('its turn is interrupted', () => mirror.view?.turns[0]?.state === 'interrupted');

    const client = await gateway.client({ clientId: 'window-2', windowId: 'window-2' });
    const hostSessionId = newHostSession();
    const { session } = await client.call('session/replaceExecutor', { commandId: newCommand(), sessionId, hostSessionId, hostSurface: 'vscode', executorEndpointId: 'endpoint', attachedCapabilities: ['session_queue', 'interrupt'] });
    const window2 = new TestHost(client, session, hostSessionId);
    await window2.register();
    await client.call('turn/retry', { commandId: newCommand(), turnId: mirror.view?.turns[0]?.turnId ?? ids.turnId.parse(''), clientTurnId: newMessage() });
    await window2.claim();
    await window2.report(startMessage('m'), delta('m', 'Once more: '));
    await gateway.kill9();
    await gateway.restart();
    await window2.register(await gateway.client({ clientId: 'window-2', windowId: 'window-2' }));
    await window2.report(delta('m', 'it is built.'));
    await window2.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
    await eventually('W2 sees the end', () => mirror.view?.turns[1]?.state === 'completed');

    const exported = await cli('export', sessionId.slice(-8), '--format', 'json').json<Transcript>();
    const fresh = await readTranscript(await gateway.client({ kind: 'lsp' }), sessionId);
    assert.deepEqual(exported, fresh);
    assert.deepEqual(held(mirror), fresh);
    mirror.dispose();
    audit(fresh, approvalId);
    for (const [format, form] of [['md', transcriptMarkdown], ['jsonl', transcriptLines]] as const) {
      const run = cli('export', sessionId, '--format', format);
      assert.equal(await run.done, 0);
      assert.equal(run.stdout, form(fresh));
    }
  });
});

/** What the transcript must say about this story. */
function audit({ turns, settled }: Transcript, approvalId: string): void {
  assert.equal(settled, true);
  assert.deepEqual(turns.map(({ state, cause, retryOf }) => [state, cause, retryOf]), [['interrupted', 'executor_lost', null], ['completed', null, turns[0]?.turnId]]);
  const command = turns.flatMap(({ items }) => items).find(({ data }) => data.kind === 'command');
  assert.ok(command !== undefined);
  assert.deepEqual([command.state, command.outcome], ['interrupted', 'unknown']);
  const [approval] = command.approvals;
  assert.deepEqual([approval?.approvalId, approval?.status, approval?.comment, approval?.decidedBy?.clientKind], [approvalId, 'approved', 'go ahead', 'cli']);
  assert.notEqual(approval?.decidedAt, null);
  const last = turns.at(-1);
  assert.equal(last?.items.find(({ data }) => data.kind === 'agent_message')?.text, 'Once more: it is built.');
}
