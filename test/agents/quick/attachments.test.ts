import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { putBlob } from '../../../src/client/blobs.ts';
import { blobBytes, bytePieces } from '../../../src/host/blobBytes.ts';
import type { ClientTurnId, Digest } from '../../../src/protocol/ids.ts';
import type { AttachedContent, Attachment } from '../../../src/protocol/turn/attachment.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

const offline = { command: process.execPath, args: [resolve(import.meta.dirname, '../../../src/runtime/offline/main.ts')] };
const png = (seed: string): Buffer => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(seed)]);
const digestOf = (bytes: Buffer): Digest => createHash('sha256').update(bytes).digest('hex') as Digest;

interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}

describe('what goes with a message, at the agent', () => {
  let story: HostStory;
  let count = 0;

  before(async () => { story = await HostStory.start(); });
  after(() => story.stop());

  async function put({ link }: StorySession, name: string, mimeType: string, bytes: Buffer): Promise<AttachedContent> {
    const digest = digestOf(bytes);
    await putBlob(link.calls, { workspace: story.folder, digest, size: bytes.length, isKnown: false, piece: bytePieces(bytes) });
    return { name, mimeType, digest, size: bytes.length };
  }

  async function submit({ link, sessionId }: StorySession, text: string, attachments: Attachment[]): Promise<Turn> {
    return (await link.calls.call('turn/submit', { sessionId, clientTurnId: randomUUID() as ClientTurnId, text, attachments })).turn;
  }

  async function scripted(promptCapabilities: object): Promise<{ agent: FakeAgent; session: StorySession; blocks: () => Block[][] }> {
    const agent = fakeAgent({ initialize: { agentCapabilities: { loadSession: true, promptCapabilities } } }, story.gateway.folder('scripts'), `attachments${String((count += 1))}`);
    const session = await story.session({ agent });
    const blocks = (): Block[][] => agent.events('request').filter(({ method }) => method === 'session/prompt').map(({ params }) => (params as { prompt: Block[] }).prompt);
    return { agent, session, blocks };
  }

  it('C36 two different pictures both arrive, whole, at an agent that takes them', async () => {
    const { session, blocks } = await scripted({ image: true, embeddedContext: true });
    const [one, two] = [png('one'), png('two'.repeat(700_000))];
    const turn = await submit(session, 'compare these', [await put(session, 'image.png', 'image/png', one), await put(session, 'image.png', 'image/png', two)]);
    assert.equal((await session.endOf(turn)).state, 'completed');
    const [sent] = blocks();
    assert.deepEqual(sent?.map(({ type }) => type), ['text', 'image', 'image']);
    assert.deepEqual(sent?.slice(1).map(({ data }) => digestOf(Buffer.from(String(data), 'base64'))), [digestOf(one), digestOf(two)]);
    assert.deepEqual((await session.view()).session.agent.prompts, { image: true, embeddedContext: true });
  });

  it('a file goes with its content, a passage with its lines, a folder by its name', async () => {
    const { session, blocks } = await scripted({ embeddedContext: true });
    const whole: Attachment = { ...(await put(session, 'src/cart.ts', 'text/x-typescript', Buffer.from('let a;\n'))), source: { path: 'src/cart.ts' } };
    const part: Attachment = { ...(await put(session, 'src/cart.ts:2-3', 'text/plain', Buffer.from('b\nc\n'))), source: { path: 'src/cart.ts', lines: { first: 2, last: 3 } } };
    await session.endOf(await submit(session, 'look', [whole, part, { name: 'notes/', link: 'folder', source: { path: 'notes' } }]));
    const address = (path: string): string => pathToFileURL(resolve(story.folder, path)).href;
    assert.deepEqual(blocks()[0]?.slice(1), [
      { type: 'resource', resource: { uri: address('src/cart.ts'), mimeType: 'text/x-typescript', text: 'let a;\n' } },
      { type: 'resource', resource: { uri: `${address('src/cart.ts')}#L2-L3`, mimeType: 'text/plain', text: 'b\nc\n' } },
      { type: 'resource_link', name: 'notes/', uri: address('notes'), mimeType: 'inode/directory' },
    ]);
  });

  it('an agent that declares nothing gets links and headed text, and never a picture it cannot take', async () => {
    const { agent, session, blocks } = await scripted({});
    const whole: Attachment = { ...(await put(session, 'cart.ts', 'text/plain', Buffer.from('let a;\n'))), source: { path: 'cart.ts' } };
    const problems = await put(session, 'Problems', 'text/plain', Buffer.from('cart.ts:1 error'));
    await session.endOf(await submit(session, 'look', [whole, problems]));
    assert.deepEqual(blocks()[0]?.slice(1).map(({ type }) => type), ['resource_link', 'text']);
    assert.match(String(blocks()[0]?.[2]?.['text']), /^Attached by the user: Problems\n[^]*cart\.ts:1 error/);
    const refused = await session.endOf(await submit(session, 'what is this', [await put(session, 'shot.png', 'image/png', png('x'))]));
    assert.deepEqual([refused.state, refused.cause], ['failed', 'attachment_not_taken']);
    assert.match(refused.detail ?? '', /takes no pictures.*shot\.png/);
    assert.equal(blocks().length, 1, 'nothing of the message was sent');
    assert.equal((await session.endOf(await session.submit('go on'))).state, 'completed', 'the session is as good as before');
    assert.deepEqual(agent.prompts().length, 2);
  });

  it('the offline agent says exactly what it got', async () => {
    const session = await story.session({ agent: offline });
    const bytes = png('for the offline agent');
    const turn = await session.endOf(await submit(session, 'what do you see', [await put(session, 'shot.png', 'image/png', bytes), { name: 'src/', link: 'folder', source: { path: 'src' } }]));
    const said = (await session.items(turn)).find(({ data }) => data.kind === 'agent_message')?.text ?? '';
    assert.match(said, new RegExp(`picture \\(image/png, ${String(bytes.length)} bytes, SHA-256 \`${digestOf(bytes).slice(0, 12)}…\`\\)`));
    assert.match(said, /link `src\/` to `file:\/\//);
  });

  it('pictures come back from an agent: the offline one draws one, another sends a large one in a message and in a tool call', async () => {
    const session = await story.session({ agent: offline });
    const drawn = await session.endOf(await session.submit('/picture'));
    const [words, after] = (await session.items(drawn)).flatMap(({ data, text }) => (data.kind === 'agent_message' ? [{ text, pictures: data.pictures ?? [] }] : []));
    assert.deepEqual([words?.pictures.map(({ name, mimeType }) => [name, mimeType]), after?.pictures], [[['hills.png', 'image/png']], []]);
    const large = png('large'.repeat(700_000));
    const image = { type: 'image', mimeType: 'image/png', data: large.toString('base64') };
    const agent = fakeAgent({ prompts: [{ steps: [
      { update: { sessionUpdate: 'agent_message_chunk', content: image } },
      { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Look', status: 'completed', content: [{ type: 'content', content: image }] } },
    ] }] }, story.gateway.folder('scripts'), 'pictures');
    const other = await story.session({ agent });
    const turn = await other.endOf(await other.submit('show me'));
    const shown = (await other.items(turn)).flatMap(({ data }) => (data.kind === 'agent_message' || data.kind === 'tool_call' ? [data.pictures ?? []] : []));
    assert.deepEqual(shown.map((pictures) => pictures.map(({ digest, size }) => [digest, size])), [[[digestOf(large), large.length]], [[digestOf(large), large.length]], []]);
    for (const { digest } of [...(words?.pictures ?? []), ...shown.flat()]) assert.equal(digestOf(await blobBytes(other.link.calls, { workspace: story.folder, digest })), digest);
    assert.deepEqual((await other.items(turn)).at(-1)?.text, 'The agent answered with a picture, which is shown above.');
  });

  it('C36 one that is too large is refused before anything is stored, and the session takes the next', async () => {
    const { session, blocks } = await scripted({ image: true });
    const large: Attachment = { name: 'large.png', mimeType: 'image/png', digest: digestOf(Buffer.from('large')), size: 5 * 1024 * 1024 + 1 };
    await expectRefusal('attachment_too_large', submit(session, 'too much', [large]));
    assert.equal((await session.view()).turns.length, 0);
    await session.endOf(await submit(session, 'better', [await put(session, 'small.png', 'image/png', png('small'))]));
    assert.deepEqual(blocks().map((sent) => sent.length), [2]);
  });
});
