import assert from 'node:assert/strict';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import { exportFileName } from '../../../src/client/export/formats.ts';
import { readTranscript } from '../../../src/client/export/readTranscript.ts';
import { transcriptOf, type Transcript } from '../../../src/client/export/transcript.ts';
import { transcriptJson, transcriptLines } from '../../../src/client/export/transcriptJson.ts';
import { transcriptMarkdown } from '../../../src/client/export/transcriptMarkdown.ts';
import { withoutSecrets } from '../../../src/client/export/withoutSecrets.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { SessionId } from '../../../src/protocol/ids.ts';
import type { Grant } from '../../../src/protocol/grant/state.ts';
import type { Item } from '../../../src/protocol/item/state.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';

const session = { sessionId: 'ses_x', title: 'T', workspace: '/w', goalId: 'g', goalTitle: 'G', lifetime: 1, agentId: 'a', sessionMode: 'attached_host', channelId: 'chn_x', createdAt: 0, closedAt: null } as unknown as Session;
const turn = (n: number): Turn => ({ turnId: `trn_${n}`, turnIdx: n, clientTurnId: `k${n}`, state: 'completed', origin: 'cli', text: 'p', userItemId: `itm_${n}.0`, retryOf: null, stopReason: null, cause: null, detail: null, usage: null, queuedAt: 1, startedAt: 2, endedAt: 3, rev: 1 }) as unknown as Turn;
const item = (n: number, idx: number, text: string, data: object = { kind: 'agent_message' }): Item =>
  ({ itemId: `itm_${n}.${idx}`, turnId: `trn_${n}`, turnIdx: n, idx, rev: 1, state: 'completed', outcome: 'known', text, textLength: text.length, data, parentId: null, startedAt: 1, endedAt: 2 }) as unknown as Item;
const approval = (itemId: string, text: string): Approval => ({
  approvalId: 'apr_1', sessionId: 'ses_x', turnId: 'trn_1', itemId, title: text, subject: { kind: 'command', command: text, cwd: '/w', envNames: ['PGPASSWORD'] },
  options: [{ optionId: 'yes', name: text, kind: 'allow_once' }], actionDigest: 'd', status: 'approved', optionId: 'yes', comment: text,
  decidedBy: { by: 'client', clientId: 'cli-1', windowId: null, clientKind: 'cli', rule: null }, cause: null, expiresAt: null, createdAt: 5, decidedAt: 6,
}) as unknown as Approval;

const transcript = (text: string): Transcript => transcriptOf({
  session: { ...session, title: text, goalTitle: text }, goal: null, turns: [turn(1)], approvals: [approval('itm_1.1', text)],
  items: [item(1, 0, text), item(1, 1, text, { kind: 'tool_call', toolKind: text, title: text, locations: [], input: text })],
});

/** The headings that a Markdown reader sees, and whether it sees any markup that is not ours. */
function seen(markdown: string): { headings: string[]; kinds: Set<string> } {
  const tokens = marked.lexer(markdown);
  const kinds = new Set<string>();
  void marked.walkTokens(tokens, ({ type }: Token) => void kinds.add(type));
  return { headings: tokens.filter((token) => token.type === 'heading').map((token) => `${'depth' in token ? String(token['depth']) : ''} ${'text' in token ? String(token['text']) : ''}`.replace(/(?:`|\\).*$/s, '').trim()), kinds };
}

describe('a transcript', () => {
  it('as Markdown has no structure but its own, whatever was said in it', () => {
    const measure = seen(transcriptMarkdown(transcript('plain')));
    const hostile = fc.string({ unit: fc.constantFrom('`', '```', '~~~', '\n', '# ', '## Turn 9', '<img src=x>', '<!--', '-->', '|', '[a](http://x)', '![a](http://x)', '> ', '- ', '\\', '*', '_', '\u001b[31m', '\u202e', '\r', 'a', ' ', '&lt;', 'https://x.example', '$') });
    fc.assert(fc.property(hostile, (text) => {
      const markdown = transcriptMarkdown(transcript(text));
      assert.doesNotMatch(markdown.replaceAll('\n', ''), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
      const { headings, kinds } = seen(markdown);
      assert.equal(headings.length, measure.headings.length, markdown);
      for (const kind of ['html', 'link', 'image', 'blockquote', 'del']) assert.equal(kinds.has(kind), false, `${kind} in ${markdown}`);
    }), { numRuns: 300 });
  });

  it('says what went with a message, whatever it is called', () => {
    const digest = 'd'.repeat(64);
    const attachments = [
      { name: 'a`b\n# c.png', mimeType: 'image/png', digest, size: 12 }, { name: 'src/a.ts:3-9', mimeType: 'text/plain', digest, size: 7, source: { path: 'src/a.ts', lines: { first: 3, last: 9 } } },
      { name: 'notes/', link: 'folder', source: { path: 'notes' } },
    ];
    const markdown = transcriptMarkdown(transcriptOf({ session, goal: null, turns: [turn(1)], approvals: [], items: [item(1, 0, 'look', { kind: 'user_message', attachments })] }));
    assert.deepEqual(seen(markdown).headings, seen(transcriptMarkdown(transcriptOf({ session, goal: null, turns: [turn(1)], approvals: [], items: [item(1, 0, 'look', { kind: 'user_message' })] }))).headings);
    for (const part of [`, image/png, 12 bytes, \`${digest}\``, '- attached `src/a.ts:3-9`, from `src/a.ts:3-9`, text/plain, 7 bytes', '- attached `notes/`, from `notes`, the name of the folder only']) assert.ok(markdown.includes(part), `${part} in ${markdown}`);
  });

  it('names the pictures that an agent sent, in a message and in a tool call', () => {
    const pictures = [{ name: 'page.png', mimeType: 'image/png', digest: 'ab'.repeat(32), size: 12 }];
    const tool = { kind: 'tool_call', toolKind: 'fetch', title: 'Look', locations: [], pictures };
    const markdown = transcriptMarkdown(transcriptOf({ session, goal: null, turns: [turn(1)], approvals: [], items: [item(1, 0, 'look', { kind: 'user_message' }), item(1, 1, '', { kind: 'agent_message', pictures }), item(1, 2, '', tool)] }));
    assert.equal(markdown.split(`- attached \`page.png\`, image/png, 12 bytes, \`${'ab'.repeat(32)}\``).length, 3, markdown);
  });

  it('says who decided, when, from which client and by which rule', () => {
    const markdown = transcriptMarkdown(transcript('npm test'));
    for (const part of ['#### Consent: approved', 'decided by: client, kind `cli`, client `cli-1`', '1970-01-01T00:00:00.006Z', 'with `PGPASSWORD` set']) assert.ok(markdown.includes(part), part);
    const parts = transcript('x');
    const byRule = { ...approval('itm_1.1', 'x'), decidedBy: { by: 'policy', clientId: null, windowId: null, clientKind: null, rule: 'allowEdits' } } as unknown as Approval;
    const turns = parts.turns.map((each) => ({ ...each, items: each.items.map((one, at) => (at === 1 ? { ...one, approvals: [byRule] } : one)) }));
    assert.ok(transcriptMarkdown({ ...parts, turns }).includes('decided by: policy, rule `allowEdits`'));
  });

  it('says what a rule that answered allows, who made it and when, and leaves out those of other sessions', () => {
    const grant = (grantId: string, approvalId: string): object => ({
      grantId, workspace: '/w', agentId: 'a', sessionId: null, pattern: { kind: 'command', match: 'prefix', argv: ['npm', 'test'], cwd: '/w' }, createdAt: 7,
      createdBy: { clientId: 'vscode-1', windowId: 'window-1', clientKind: 'editor' }, approvalId, uses: 3, lastUsedAt: 8, revokedAt: 9,
    });
    const answered = { ...approval('itm_1.1', 'npm test'), decidedBy: { by: 'grant', clientId: null, windowId: null, clientKind: null, rule: 'grt_1' } } as unknown as Approval;
    const grants = [grant('grt_3', 'apr_9'), grant('grt_2', 'apr_1'), grant('grt_1', 'apr_9')] as unknown as Grant[];
    const whole = transcriptOf({ session, goal: null, turns: [turn(1)], items: [item(1, 1, 'x')], approvals: [answered], grants });
    assert.deepEqual(whole.grants.map(({ grantId }) => grantId), ['grt_1', 'grt_2']);
    assert.equal('uses' in (whole.grants[0] ?? {}), false, 'moves without an event');
    const markdown = transcriptMarkdown(whole);
    for (const part of ['decided by: grant, rule `grt_1`', '### Rule `grt_1`', '"npm",\n    "test"', 'client `vscode-1`, window `window-1`, in answer to request `apr_9`', 'revoked 1970-01-01T00:00:00.009Z']) assert.ok(markdown.includes(part), part);
    assert.match(transcriptLines(whole), /"type":"grant","grantId":"grt_2"/);
  });

  it('C35 loses the secrets of its commands wherever they stand, and no other text', () => {
    const command = 'PGPASSWORD=demo-123 psql -h db --header "Authorization: Bearer abc.def-42"';
    const said = 'I run demo-123 now. const token: string = key; basic tutorial; the bearer of news; ghp_abcdefghijkl012345';
    const parts = transcriptOf({
      session, goal: null, turns: [{ ...turn(1), text: `/run ${command}` }], approvals: [approval('itm_1.1', command)],
      items: [item(1, 0, `/run ${command}`, { kind: 'user_message' }), item(1, 1, 'out: demo-123', { kind: 'command', command, cwd: '/w', envNames: [], exitCode: 0, signal: null, cut: 0 }), item(1, 2, said)],
    });
    const plain = withoutSecrets(parts);
    for (const text of [transcriptJson(plain), transcriptLines(plain), transcriptMarkdown(plain)]) assert.doesNotMatch(text, /demo-123|abc\.def-42|ghp_abc/);
    assert.equal(plain.turns[0]?.items[2]?.text, 'I run [secret] now. const token: string = key; basic tutorial; the bearer of news; [secret]');
    assert.equal(plain.turns[0]?.items[1]?.itemId, 'itm_1.1');
    const innocent = transcriptOf({ session, goal: null, turns: [turn(1)], items: [item(1, 0, 'const apiKey = read(); password: string')], approvals: [] });
    assert.deepEqual(withoutSecrets(innocent).turns[0]?.items[0]?.text, 'const apiKey = read(); password: string');
  });

  it('has a file name that any file system takes', () => {
    const names = ['Cart rounding', '../../etc/passwd', '', '  ', 'a\u0000b:c*?"<>|', 'Überträge – 日本語', `${'x'.repeat(200)}`, 'CON/..'];
    assert.deepEqual(names.map((name) => exportFileName(name, 'md')), ['Cart-rounding.md', 'etc-passwd.md', 'session.md', 'session.md', 'a-b-c.md', 'Überträge-日本語.md', `${'x'.repeat(80)}.md`, 'CON.md']);
  });

  it('as lines counts what it holds, and as JSON is the same everywhere', () => {
    const lines = transcriptLines(transcript('x\u2028\u001b')).trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string });
    assert.deepEqual(lines.map(({ type }) => type), ['transcript', 'turn', 'item', 'item', 'approval', 'end']);
    assert.deepEqual(lines.at(-1), { type: 'end', turns: 1, items: 2, approvals: 1, grants: 0 });
    assert.deepEqual(JSON.parse(transcriptJson(transcript('x'))), JSON.parse(JSON.stringify(transcript('x'))));
  });

  it('is read page by page to its beginning, every text whole, and again when something changed meanwhile', async () => {
    const long = 'y'.repeat(5000);
    const pages = [
      { turns: [turn(2)], items: [{ ...item(2, 1, long), text: 'yyy' }], approvals: [], earlier: 2, earlierItem: 1 },
      { turns: [turn(1), turn(2)], items: [item(1, 0, 'one'), item(2, 0, 'two')], approvals: [approval('itm_1.0', 'x')], earlier: null },
    ];
    let heads = 0;
    let readings = 0;
    const calls = { call: (method: string, params: { before?: number; beforeItem?: number; offset?: number }): Promise<unknown> => {
      if (method === 'session/get') return Promise.resolve({ snapshot: { session, goal: null, head: heads < 2 ? heads++ : 2 } });
      if (method === 'grant/list') return Promise.resolve({ grants: [] });
      if (method === 'item/get') return Promise.resolve({ item: { ...item(2, 1, long), text: long.slice(params.offset, (params.offset ?? 0) + 2000) } });
      if (params.before === undefined) readings += 1;
      else assert.deepEqual([params.before, params.beforeItem], [2, 1]);
      return Promise.resolve({ page: pages[params.before === undefined ? 0 : 1] });
    } } as unknown as GatewayCalls;
    const read = await readTranscript(calls, 'ses_x' as SessionId);
    assert.equal(readings, 2);
    assert.deepEqual(read.turns.map(({ turnIdx, items }) => [turnIdx, items.map(({ text, approvals }) => [text.length, approvals.length])]), [[1, [[3, 1]]], [2, [[3, 0], [5000, 0]]]]);
  });
});
