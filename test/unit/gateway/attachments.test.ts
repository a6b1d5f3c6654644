import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { LIMITS } from '../../../src/protocol/limits.ts';
import type { Loose } from './support/coreHarness.ts';
import type { Attachment } from '../../../src/protocol/turn/attachment.ts';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { digestOf, Story } from './support/story.ts';

type Given = Loose<Attachment>;

describe('files that go with a message', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  async function put(text: string, workspace = WORKSPACE, pieces = 1): Promise<Given> {
    const bytes = Buffer.from(text);
    const digest = createHash('sha256').update(bytes).digest('hex');
    const by = gw.client('uploader', 'editor', [{ path: workspace, trusted: true }]);
    const half = Math.ceil(bytes.length / 2);
    const parts = pieces === 1 ? [bytes] : [bytes.subarray(0, half)];
    for (const part of parts) await by.call('blob/put', { workspace, digest, size: bytes.length, offset: 0, base64: part.toString('base64') });
    return { name: 'shot.png', mimeType: 'image/png', digest, size: bytes.length };
  }
  /** As if it had been uploaded: the rows say how large it is. */
  function claimedSize(size: number, name: string): Given {
    const digest = digestOf(name);
    gw.store.insert('blobs', { workspace: WORKSPACE, digest, size, received: size, complete: 1 });
    return { name, mimeType: 'application/octet-stream', digest, size };
  }
  const submit = (attachments: Given[], clientTurnId = 'message', text = 'look') => story.host.call('turn/submit', { sessionId: story.sessionId, clientTurnId, text, attachments });
  const shown = () => story.snapshot().items.filter(({ data }) => data.kind === 'user_message').map(({ data }) => (data.kind === 'user_message' ? data.attachments?.map(({ name }) => name) : null));

  it('stand in the transcript, with the turn, and in what the host claims', async () => {
    const [one, two] = [await put('one'), { ...(await put('two')), name: 'b.txt', mimeType: 'text/plain' }];
    const { turn } = await submit([one, two]);
    assert.deepEqual([turn.attachments, shown()], [[one, two], [['shot.png', 'b.txt']]]);
    const claimed = await story.claim();
    assert.ok(claimed.claimed);
    assert.deepEqual(claimed.turn.attachments, [one, two]);
    assert.equal((await story.submit()).turn.attachments, undefined, 'a message without any has none');
  });

  it('are part of what was submitted: a repeat is answered, another set is a conflict', async () => {
    const [one, two] = [await put('one'), await put('two')];
    await submit([one]);
    gw.store.run('DELETE FROM blobs');
    assert.equal((await submit([one])).created, false, 'a lost answer is recovered whatever became of the file');
    await refused(gw, 'idempotency_conflict', () => submit([two]));
    await refused(gw, 'idempotency_conflict', () => submit([]));
    await story.submit('plain', 'plain');
    assert.equal((await submit([], 'plain', 'plain')).created, false, 'none is none');
  });

  it('must have arrived whole, in this workspace, as large as they are named', async () => {
    const one = await put('one');
    await refused(gw, 'attachment_missing', () => submit([{ ...one, digest: digestOf('never sent') }]));
    await refused(gw, 'attachment_missing', () => submit([{ ...one, size: 4 }]));
    const half = await put('only a half of this', WORKSPACE, 2);
    await refused(gw, 'attachment_missing', () => submit([one, half]));
    const foreign = await put('of another folder', '/w/other');
    const error = await refused(gw, 'attachment_missing', () => submit([{ ...foreign, name: 'theirs' }]));
    assert.match(error.message, /theirs/);
  });

  it('are 9 at most, 5 MiB each and 20 MiB together', async () => {
    const five = Array.from({ length: 5 }, (_, n) => claimedSize(LIMITS.attachmentBytes, `file ${n}`));
    await refused(gw, 'attachments_too_large', () => submit(five));
    assert.equal((await submit(five.slice(0, 4))).created, true);
    const large = claimedSize(LIMITS.attachmentBytes + 1, 'large');
    await refused(gw, 'attachment_too_large', () => submit([large], 'other'));
    const small = claimedSize(1, 'small');
    assert.equal((await submit(Array.from({ length: 9 }, () => small), 'nine')).created, true);
    await assert.rejects(submit(Array.from({ length: 10 }, () => small), 'ten'), { name: 'ZodError' });
  });

  it('a name is no path, and no type is anything', async () => {
    const one = await put('one');
    for (const odd of [{ name: '' }, { name: ' ' }, { mimeType: 'png' }, { mimeType: 'image/png; charset=x' }, { mimeType: '' }]) await assert.rejects(submit([{ ...one, ...odd }]), { name: 'ZodError' }, JSON.stringify(odd));
  });

  it('go with a message that is edited in the queue unless they are named anew, and with one that is run again', async () => {
    const [one, two] = [await put('one'), { ...(await put('two')), name: 'two' }];
    const { turn } = await submit([one]);
    const edit = (more: { attachments?: Given[] }, expectedRev: number) => story.host.call('queue/edit', { commandId: story.host.command(), turnId: turn.turnId, text: 'changed', expectedRev, ...more });
    assert.deepEqual((await edit({}, 1)).turn.attachments, [one]);
    await refused(gw, 'attachment_missing', () => edit({ attachments: [{ ...one, digest: digestOf('x') }] }, 2));
    assert.deepEqual((await edit({ attachments: [two] }, 2)).turn.attachments, [two]);
    assert.deepEqual(shown(), [['two']]);
    await story.cancel(turn.turnId);
    const again = (clientTurnId: string) => story.host.call('turn/retry', { commandId: story.host.command(), turnId: turn.turnId, clientTurnId });
    assert.deepEqual((await again('again')).turn.attachments, [two]);
    assert.deepEqual(shown(), [['two'], ['two']]);
    gw.store.run('DELETE FROM blobs');
    await refused(gw, 'attachment_missing', () => again('once-more'));
    const waiting = (await story.host.call('turn/list', { sessionId: story.sessionId, states: ['queued'] })).turns[0];
    assert.ok(waiting !== undefined);
    const kept = await story.host.call('queue/edit', { commandId: 'k', turnId: waiting.turnId, text: 'only the text', expectedRev: waiting.rev });
    assert.deepEqual(kept.turn.attachments, [two], 'a text can be changed whatever became of the file');
    assert.equal((await story.host.call('queue/edit', { commandId: 'n', turnId: waiting.turnId, text: 'none', expectedRev: kept.turn.rev, attachments: [] })).turn.attachments, undefined);
  });
});
