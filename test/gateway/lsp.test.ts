import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Approval } from '../../src/protocol/approval/state.ts';
import { askEdit } from '../support/editRequest.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { LspClient, Pump, type Lens } from '../support/lspClient.ts';
import type { TestClient } from '../support/testClient.ts';
import { newCommand, submit, TestHost } from '../support/testHost.ts';

const OLD = 'one\ntwo\nthree\n';
const NEW = 'one\nzwei\nthree\n';
const SUPPORT = { workspace: { codeLens: { refreshSupport: true } } };
const titles = (lenses: readonly Lens[]): string[] => lenses.map(({ command }) => command.title);

describe('a plain LSP client answers edit requests', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let host: TestHost;
  let folder: string;
  let file: string;
  const pumps: Pump[] = [];

  before(async () => {
    gateway = await GatewayHarness.start();
    folder = gateway.folder();
    editor = await gateway.client();
    host = await TestHost.start(editor, { workspace: folder });
    await submit(editor, host.sessionId, 'go');
    await host.claim();
    file = path.join(folder, 'a file, größer #1.txt');
    fs.writeFileSync(file, OLD);
  });
  afterEach(() => pumps.splice(0).forEach((pump) => pump.kill()));
  after(() => gateway.stop());

  async function client({ args = ['--workspace', folder, '--trust'], capabilities = {}, answersRefresh = true }: { args?: string[]; capabilities?: object; answersRefresh?: boolean } = {}): Promise<LspClient> {
    const pump = new Pump(gateway.dataRoot, args);
    pumps.push(pump);
    const made = new LspClient(pump, { answersRefresh });
    await made.initialize(capabilities);
    return made;
  }

  const statusOf = async ({ approvalId }: Approval): Promise<Approval> => (await editor.call('approval/get', { approvalId })).approval;
  const withdraw = ({ approvalId }: Approval): Promise<unknown> =>
    editor.call('approval/withdraw', { commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, approvalId });

  it('sees a lens where the change is, and its answer is recorded for the host of the turn', async () => {
    const asked = await askEdit(host, file, NEW);
    const lsp = await client();
    const lenses = await lsp.lenses(file);
    assert.deepEqual(titles(lenses), ['Attaché: change of a file, größer #1.txt waits, +1 −1', 'Allow', 'Reject']);
    for (const { range } of lenses) assert.deepEqual(range, { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } });
    assert.deepEqual(lenses.map(({ command }) => [command.command, command.arguments]), [
      ['attache.show', [{ approvalId: asked.approvalId, actionDigest: asked.actionDigest }]],
      ['attache.approve', [{ approvalId: asked.approvalId, actionDigest: asked.actionDigest, optionId: 'yes' }]],
      ['attache.reject', [{ approvalId: asked.approvalId, actionDigest: asked.actionDigest, optionId: 'no' }]],
    ]);
    const { snapshot, subscriptionId } = await editor.call('sub/subscribe', { scope: { session: host.sessionId } });
    assert.ok(snapshot !== null);
    assert.deepEqual(await lsp.execute(lenses[1]!.command), { outcome: 'decided', approvalId: asked.approvalId, status: 'approved' });
    const { approval } = await editor.event(subscriptionId, 'approval.updated', (event) => event.approval.approvalId === asked.approvalId);
    assert.equal(approval.decidedBy?.clientKind, 'lsp');
    assert.equal(fs.readFileSync(file, 'utf8'), OLD, 'the gateway itself writes nothing');
    assert.deepEqual(await lsp.lenses(file), []);
    await editor.call('sub/unsubscribe', { subscriptionId });
  });

  it('may reject, too', async () => {
    const asked = await askEdit(host, file, NEW);
    const lsp = await client();
    const reject = (await lsp.lenses(file)).find(({ command }) => command.command === 'attache.reject');
    assert.deepEqual(await lsp.execute(reject!.command), { outcome: 'decided', approvalId: asked.approvalId, status: 'rejected' });
  });

  it('is second when somebody was first: the same answer is told so, another one is refused', async () => {
    const asked = await askEdit(host, file, NEW);
    const [a, b] = [await client(), await client()];
    const [, approve, reject] = await a.lenses(file);
    await b.execute(approve!.command);
    assert.deepEqual(await a.execute(approve!.command), { outcome: 'already', approvalId: asked.approvalId, status: 'approved' });
    const { code, kind, message, entity } = await a.refusal(a.execute(reject!.command));
    assert.deepEqual([code, kind, message], [1301, 'approval_already_decided', 'This request was already answered in another way. See who answered it in the transcript.']);
    assert.equal((entity as Approval).status, 'approved');
  });

  it('of two that answer at once one wins', async () => {
    const asked = await askEdit(host, file, NEW);
    const [a, b] = [await client(), await client()];
    const [, approve, reject] = await a.lenses(file);
    const answers = await Promise.allSettled([a.execute(approve!.command), b.execute(reject!.command)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await statusOf(asked)).status, answers[0].status === 'fulfilled' ? 'approved' : 'rejected');
  });

  it('is refused what is stale: withdrawn, changed, never offered, not its meaning, not there', async () => {
    const asked = await askEdit(host, file, NEW);
    const lsp = await client();
    const [, approve] = await lsp.lenses(file);
    const { approvalId, actionDigest } = asked;
    const refusal = (command: string, argument: object): Promise<{ kind: unknown; code: number }> => lsp.refusal(lsp.execute({ command, arguments: [argument as Record<string, unknown>] }));
    assert.equal((await refusal('attache.approve', { approvalId, actionDigest: '0'.repeat(64), optionId: 'yes' })).kind, 'approval_changed');
    assert.equal((await refusal('attache.approve', { approvalId, actionDigest, optionId: 'maybe' })).kind, 'approval_option_unknown');
    assert.equal((await refusal('attache.approve', { approvalId, actionDigest, optionId: 'no' })).kind, 'approval_option_unknown');
    assert.equal((await refusal('attache.reject', { approvalId, actionDigest, optionId: 'yes' })).kind, 'approval_option_unknown');
    assert.equal((await refusal('attache.approve', { approvalId: `apr_${'0'.repeat(26)}`, actionDigest, optionId: 'yes' })).kind, 'not_found');
    assert.equal((await refusal('attache.approve', { approvalId, actionDigest })).code, -32602);
    assert.equal((await refusal('attache.approve', { approvalId, actionDigest, optionId: 'yes', comment: 'x' })).code, -32602);
    assert.equal((await refusal('attache.elsewhere', {})).code, -32602);
    assert.equal((await statusOf(asked)).status, 'pending');
    await withdraw(asked);
    assert.deepEqual(await lsp.lenses(file), []);
    assert.equal((await lsp.refusal(lsp.execute(approve!.command))).kind, 'approval_closed');
  });

  it('without --trust may only look, and nothing is written', async () => {
    const asked = await askEdit(host, file, NEW);
    const [, approve, reject] = await (await client()).lenses(file);
    const reader = await client({ args: ['--workspace', folder] });
    assert.deepEqual((await reader.lenses(file)).map(({ command }) => command.command), ['attache.show']);
    const before = gateway.dump();
    assert.equal((await reader.refusal(reader.execute(approve!.command))).kind, 'workspace_untrusted');
    assert.equal((await reader.refusal(reader.execute(reject!.command))).kind, 'workspace_untrusted');
    assert.deepEqual(gateway.dump(), before);
    await withdraw(asked);
  });

  it('is shown the change when it asks for it, and only then', async () => {
    const asked = await askEdit(host, file, NEW);
    const lsp = await client();
    const [show] = await lsp.lenses(file);
    assert.deepEqual(lsp.heard, []);
    const answer = await lsp.execute(show!.command);
    const text = 'Edit a file, größer #1.txt\na file, größer #1.txt:\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three';
    assert.deepEqual(answer, { approvalId: asked.approvalId, status: 'pending', text });
    assert.deepEqual(lsp.heard, [{ method: 'window/showMessage', params: { type: 3, message: text } }]);
    await withdraw(asked);
  });

  it('gets the same answers as code actions on the touched line', async () => {
    const asked = await askEdit(host, file, NEW);
    const lsp = await client();
    const actions = (from: number, to: number, context: object = { diagnostics: [] }): Promise<Lens['command'][]> => lsp.rpc.sendRequest('textDocument/codeAction', {
      textDocument: { uri: pathToFileURL(file).href }, range: { start: { line: from, character: 0 }, end: { line: to, character: 3 } }, context,
    });
    assert.deepEqual((await actions(1, 1)).map(({ title }) => title), titles(await lsp.lenses(file)));
    assert.equal((await actions(0, 2)).length, 3);
    assert.deepEqual(await actions(2, 2), []);
    assert.deepEqual(await actions(1, 1, { diagnostics: [], only: ['quickfix'] }), []);
    await withdraw(asked);
  });

  it('finds a file by every name it has, and no file outside of its folders', async () => {
    const link = path.join(folder, 'linked');
    fs.symlinkSync(folder, link);
    const asked = await askEdit(host, file, NEW);
    const fresh = await askEdit(host, path.join(link, 'new', 'b.txt'), 'new\n');
    const lsp = await client();
    const uri = pathToFileURL(file).href;
    const found = async (name: string): Promise<number> => (await lsp.lensesOf(name)).length;
    assert.equal(await found(uri), 3);
    assert.equal(await found(uri.replace('.txt', '%2etxt').replace('/a%20', '/%61%20')), 3, 'needlessly encoded');
    assert.equal(await found(uri.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())), 3, 'in small hex digits');
    assert.equal(await found(uri.replace('file:///', 'file://localhost/')), 3);
    assert.equal(await found(pathToFileURL(path.join(link, path.basename(file))).href), 3, 'through a link');
    assert.equal(await found(pathToFileURL(path.join(folder, 'new', 'b.txt')).href), 3, 'a file that is not there yet');
    for (const other of [uri.replace('file:', 'untitled:'), uri.replace('file:///', 'file://elsewhere/'), 'no uri', 'file:///%', 'file:///a%2fb', 'file:///%00']) assert.equal(await found(other), 0, other);
    const elsewhere = await client({ args: ['--workspace', gateway.folder('other'), '--trust'] });
    assert.deepEqual(await elsewhere.lenses(file), []);
    assert.equal((await elsewhere.refusal(elsewhere.execute((await lsp.lenses(file))[1]!.command))).kind, 'not_found');
    for (const one of [asked, fresh]) await withdraw(one);
  });

  it('is told to fetch its lenses again when it can be, one request at a time, and never to decide', async () => {
    const [able, deaf, other] = [await client({ capabilities: SUPPORT }), await client(), await client({ capabilities: SUPPORT, args: ['--workspace', gateway.folder('other')] })];
    const silent = await client({ capabilities: SUPPORT, answersRefresh: false });
    const asked = await askEdit(host, file, NEW);
    await eventually('told of the request', () => able.heard.length === 1);
    await withdraw(asked);
    await eventually('told of its end', () => able.heard.length === 2);
    assert.deepEqual([...new Set(able.heard.map(({ method }) => method))], ['workspace/codeLens/refresh']);
    assert.equal((await able.lenses(file)).length, 0);
    assert.deepEqual([silent.heard.length, deaf.heard.length, other.heard.length], [1, 0, 0]);
  });

  it('is told nothing in our words until it uses them', async () => {
    const lsp = await client();
    await gateway.advance(15_000);
    assert.deepEqual(await lsp.lenses(file), []);
    assert.deepEqual(lsp.heard, []);
    await lsp.rpc.sendRequest('sub/subscribe', { scope: { session: host.sessionId } });
    await gateway.advance(15_000);
    await eventually('a heartbeat', () => lsp.heard.some(({ method }) => method === 'gateway/heartbeat'));
  });
});
