import assert from 'node:assert/strict';
import { transcriptOf } from '../../../src/client/export/transcript.ts';
import { transcriptMarkdown } from '../../../src/client/export/transcriptMarkdown.ts';
import type { RevertedFile } from '../../../src/protocol/item/state.ts';
import { digest as asDigest, type Digest } from '../../../src/protocol/ids.ts';
import { CoreHarness, refused } from './support/coreHarness.ts';
import { digestOf as hashOf, Story } from './support/story.ts';

const digestOf = (text: string): Digest => asDigest.parse(hashOf(text));

const files: RevertedFile[] = [
  { path: '/w/a.txt', label: 'a.txt', before: digestOf('new'), after: digestOf('old'), kept: digestOf('typed') },
  { path: '/w/b.txt', label: 'b.txt', before: digestOf('made'), after: null },
  { path: '/w/c.txt', label: 'c.txt', before: null, after: digestOf('gone') },
];

describe('a revert by hand', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const turn = async (key = 'claim-1'): Promise<string> => {
    const turnId = await story.run(key);
    await story.complete(turnId, undefined, { claimId: key });
    return turnId;
  };
  const revert = (turnId: string, again = false, commandId = story.host.command()) => story.host.call('turn/reverted', { commandId, turnId, again, files });

  it('stands at the end of the transcript as it is then, with who did it, when and to which files', async () => {
    const first = await turn();
    const last = await turn('claim-2');
    const { item } = await revert(first, false, 'revert-1');
    assert.deepEqual((await revert(first, false, 'revert-1')).item, item, 'once, however often it is told');
    const found = story.snapshot().items.filter(({ data }) => data.kind === 'notice');
    assert.deepEqual(found, [item]);
    assert.deepEqual([item.turnId, item.state, item.text], [last, 'completed', 'The changes of turn 1 were taken back: a.txt, b.txt (deleted), c.txt (created again).']);
    const { clientId, windowId, kind: clientKind } = story.host.principal;
    assert.deepEqual(item.data, { kind: 'notice', level: 'info', code: 'turn_reverted', revert: { turnId: first, turnIdx: 1, again: false, files, by: { clientId, windowId, clientKind } } });
    assert.equal((await revert(first, true)).item.text, 'The revert of turn 1 was undone: a.txt, b.txt (deleted), c.txt (created again).');
    gw.restart();
    await story.reconnect();
    assert.equal(story.snapshot().items.filter(({ data }) => data.kind === 'notice').length, 2);
  });

  it('is in the export with its files and who did it', async () => {
    await revert(await turn());
    const { session, goal, turns, items, approvals } = story.snapshot();
    const markdown = transcriptMarkdown(transcriptOf({ session, goal, turns, items, approvals, grants: [] }));
    const { clientId } = story.host.principal;
    for (const part of ['The changes of turn 1 were taken back: a.txt', `by: kind \`editor\`, client \`${clientId}\``, `- \`/w/b.txt\`: from \`${digestOf('made')}\` to no file`]) assert.ok(markdown.includes(part), `${part} in ${markdown}`);
  });

  it('keeps the texts by which it can be undone', async () => {
    await revert(await turn());
    const named = gw.store.all<{ digest: string }>('SELECT digest FROM blobRefs').map(({ digest }) => digest);
    for (const { path, before, after, kept = null } of files) for (const digest of [before, after, kept]) if (digest !== null) assert.ok(named.includes(digest), path);
  });

  it('is of a turn that has ended, in a folder that may be written', async () => {
    const running = await story.run();
    await refused(gw, 'turn_in_progress', () => revert(running));
    await refused(gw, 'not_found', () => revert(`trn_${'0'.repeat(26)}`));
  });
});
