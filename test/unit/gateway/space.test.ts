import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientTurnId } from '../../../src/protocol/ids.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { storeCheck } from '../../../src/gateway/server/checks.ts';
import { scratchFolder, scratchRoot, type ScratchFolder } from '../../support/scratchFolder.ts';
import { CoreHarness, refused, rejection, WORKSPACE, type TestClient } from './support/coreHarness.ts';
import { digestOf, hex, itemStart, Story } from './support/story.ts';

const MIB = 1024 * 1024;

async function put(client: TestClient, text: string, upTo = text.length): Promise<void> {
  await client.call('blob/put', { workspace: WORKSPACE, digest: digestOf(text), size: text.length, offset: 0, base64: Buffer.from(text.slice(0, upTo)).toString('base64') });
}

const edit = (before: string, after: string) => ({
  kind: 'edit' as const, mode: 'hosted' as const,
  change: { path: `${WORKSPACE}/a`, label: 'a', before: digestOf(before), after: digestOf(after), added: 1, removed: 1, lines: [], linesCut: false },
});

describe('space', () => {
  let folder: ScratchFolder;
  let file: string;
  let gw: CoreHarness;
  let cli: TestClient;

  beforeEach(async () => {
    folder = await scratchFolder(scratchRoot());
    file = join(folder.path, 'store.db');
    gw = new CoreHarness(file);
    cli = gw.client('cli', 'cli');
  });
  afterEach(async () => {
    gw.close();
    await folder.remove();
  });

  /** A session that changed a file from one text into another. */
  async function edited(goalId: string, before: string, after: string): Promise<Story> {
    const story = await Story.begin(gw, { goalId, hostSessionId: hex(goalId) });
    await put(story.host, before);
    await put(story.host, after);
    const turnId = await story.run();
    await story.report([itemStart('edit', edit(before, after))]);
    await story.complete(turnId);
    return story;
  }

  const text = (mark: string, size = 100_000): string => mark.repeat(size);
  const blob = (content: string) => cli.call('blob/get', { workspace: WORKSPACE, digest: digestOf(content) });
  const dryRun = (more: object = {}) => cli.call('gateway/freeSpace', { commandId: cli.command(), dryRun: true, ...more });
  const hours = async (count: number): Promise<void> => {
    await gw.clock.advance(count * 3_600_000);
  };
  const maintain = async (): Promise<void> => {
    await cli.call('goal/create', { commandId: cli.command(), workspace: WORKSPACE, title: 'work' });
    await gw.clock.advance(5000);
  };

  it('says what takes it, by kind, and what closed sessions could give back, the longest closed first', async () => {
    const first = await edited('first', text('a'), text('b'));
    const second = await edited('second', text('c'), text('d'));
    await edited('open', text('e'), text('b'));
    await second.onSession('session/close');
    await hours(1);
    await first.onSession('session/close');
    await hours(2);
    const { kinds, freeable, usedBytes, capBytes } = await cli.call('gateway/space', {});
    assert.equal(kinds.blobs, 500_000);
    assert.ok(kinds.texts > 0 && kinds.events > 0 && kinds.deleted === 0 && usedBytes > 500_000 && capBytes === LIMITS.storeBytes);
    assert.deepEqual(freeable.sessions.map(({ sessionId, bytes }) => [sessionId, bytes]), [[second.sessionId, 200_000], [first.sessionId, 100_000]], 'what an open session refers to as well is not counted');
    assert.equal(freeable.bytes, 300_000);
    const foreign = gw.client('foreign', 'cli', [{ path: '/w/other', trusted: true }]);
    assert.deepEqual((await foreign.call('gateway/space', {})).freeable, { bytes: 0, sessions: [], more: false });
  });

  it('frees just what was shown, makes the file smaller, and tells later readers that a text is gone', async () => {
    const story = await edited('closed', text('a', MIB), text('b', MIB));
    const before = story.snapshot();
    await story.onSession('session/close');
    await hours(2);
    const shown = await dryRun();
    assert.deepEqual([shown.bytes, shown.freed, shown.left], [2 * MIB, false, 0]);
    gw.store.checkpoint('TRUNCATE');
    const size = statSync(file).size;
    const commandId = cli.command();
    const done = await cli.call('gateway/freeSpace', { commandId, planId: shown.planId });
    assert.deepEqual({ ...done, freed: false }, shown);
    const rows = gw.dump();
    assert.deepEqual(await cli.call('gateway/freeSpace', { commandId, planId: shown.planId }), done, 'a repeat is answered, and frees nothing more');
    assert.deepEqual(gw.dump(), rows);
    await gw.clock.advance(5000);
    assert.ok(statSync(file).size < size - 1.9 * MIB, `${statSync(file).size} of ${size}`);
    assert.equal((await rejection(() => blob(text('a', MIB)))).kind, 'gone');
    assert.deepEqual(story.snapshot().items, before.items, 'the transcript is complete');
    await put(story.host, text('a', MIB));
    assert.equal((await blob(text('a', MIB))).size, MIB);
  });

  it('is refused when something else would go by now, and for what is not there', async () => {
    const story = await edited('closed', text('a'), text('b'));
    await story.onSession('session/close');
    await hours(2);
    const { planId } = await dryRun();
    const other = await edited('second', text('c'), text('d'));
    await other.onSession('session/close');
    await hours(2);
    await refused(gw, 'revision_conflict', () => cli.call('gateway/freeSpace', { commandId: cli.command(), planId }));
    await refused(gw, 'not_found', () => dryRun({ sessions: [`ses_${'0'.repeat(26)}`] }));
    const reader = gw.client('reader', 'cli', [{ path: WORKSPACE, trusted: false }]);
    await refused(gw, 'workspace_untrusted', () => reader.call('gateway/freeSpace', { commandId: 'x', dryRun: true, sessions: [story.sessionId] }));
    assert.deepEqual((await reader.call('gateway/freeSpace', { commandId: 'x', dryRun: true })).sessions, []);
  });

  it('frees no more than was asked for, and only in the sessions that were named', async () => {
    for (const goal of ['a', 'b', 'c']) {
      const story = await edited(goal, text(`${goal}1`), text(`${goal}2`));
      await story.onSession('session/close');
      await hours(1);
    }
    await hours(2);
    const all = await dryRun();
    assert.equal(all.sessions.length, 3);
    const some = await dryRun({ upToBytes: 1 });
    assert.deepEqual([some.sessions, some.left], [[all.sessions[0]], 800_000]);
    const named = await dryRun({ sessions: [all.sessions[2]!.sessionId] });
    assert.deepEqual(named.sessions, [all.sessions[2]]);
  });

  it('a blob that two closed sessions share goes with the later of them; one that was just put stays', async () => {
    const first = await edited('first', text('same'), text('a'));
    const second = await edited('second', text('same'), text('b'));
    await first.onSession('session/close');
    await second.onSession('session/close');
    assert.deepEqual((await dryRun()).sessions, [], 'an item may be about to name it');
    await hours(2);
    const { sessions } = await dryRun();
    assert.deepEqual(sessions.map(({ bytes }) => bytes), [100_000, 500_000]);
    const only = await dryRun({ sessions: [second.sessionId] });
    assert.equal(only.bytes, 100_000, 'the first session keeps it when it is not among them');
  });

  it('deleting for good frees the blobs that no other session refers to; undelete still has them before', async () => {
    const gone = await edited('gone', text('a'), text('shared'));
    await edited('stays', text('b'), text('shared'));
    await gone.host.call('session/delete', { commandId: 'delete', sessionId: gone.sessionId });
    assert.equal((await cli.call('gateway/space', {})).kinds.deleted, 100_000 + deletedTexts());
    await hours(6 * 24);
    await maintain();
    assert.equal((await blob(text('a'))).size, 100_000);
    await hours(2 * 24);
    await maintain();
    assert.equal((await rejection(() => blob(text('a')))).kind, 'not_found');
    assert.equal((await blob(text('shared'))).size, text('shared').length);
  });

  const deletedTexts = (): number => gw.store.get<{ n: number }>('SELECT sum(octet_length(text) + octet_length(data)) AS n FROM items JOIN sessions USING (sessionId) WHERE deletedAt IS NOT NULL')?.n ?? 0;

  it('uploads that were never finished or never named are swept after a day, and not before', async () => {
    await put(cli, text('unnamed'));
    await put(cli, text('half'), 1000);
    const left = () => gw.dump()['blobs']?.length;
    await hours(23);
    await maintain();
    assert.equal(left(), 2);
    await hours(2);
    await maintain();
    assert.deepEqual([left(), gw.dump()['blobChunks']?.length], [0, 0]);
  });

  it('every way to name a blob is known: items, their changes, requests, attachments', async () => {
    const story = await Story.begin(gw, { goalId: 'all', hostSessionId: hex('all') });
    const [attached, asked, later] = ['attached', 'asked', 'later'].map((name) => text(name));
    for (const content of [attached!, asked!, later!]) await put(story.host, content);
    await story.host.call('turn/submit', {
      sessionId: story.sessionId, clientTurnId: 'with', text: 'see', attachments: [{ name: 'a.txt', mimeType: 'text/plain', digest: digestOf(attached!), size: attached!.length }],
    });
    await story.claim();
    await story.report([itemStart('edit', edit('x', 'y'))]);
    await story.report([{ op: 'item.update', itemKey: 'edit', data: edit(later!, 'y') }]);
    await story.ask({ kind: 'edit', mode: 'hosted', changes: [edit('x', asked!).change] });
    const refs = gw.store.all<{ digest: string }>('SELECT digest FROM blobRefs WHERE sessionId = ?', story.sessionId).map(({ digest }) => digest);
    for (const content of [attached!, asked!, later!]) assert.ok(refs.includes(digestOf(content)));
  });

  it('at the cap no new turn is taken, and all else goes on: replies, approvals, cancel, the end of what runs', async () => {
    gw.close();
    gw = new CoreHarness(file, 1.2 * MIB);
    cli = gw.client('cli', 'cli');
    const story = await Story.begin(gw);
    const turnId = await story.run();
    const { turn: waits } = await story.submit('waits');
    await put(story.host, text('z', MIB));
    assert.ok(gw.store.isFull());
    const error = await refused(gw, 'storage_full', () => story.submit('no more'));
    assert.match(error.data.next, /Free Up Space/);
    assert.match(storeCheck(gw.core.counts()).detail, /^full/);
    await story.report([itemStart('answer'), { op: 'item.delta', itemKey: 'answer', text: 'still here' }]);
    const approval = await story.ask();
    assert.equal((await story.decide(approval, 'allow')).outcome, 'decided');
    assert.equal((await story.cancel(waits.turnId)).turn?.state, 'cancelled');
    await refused(gw, 'storage_full', () => story.host.call('turn/retry', { commandId: 'r', turnId: waits.turnId, clientTurnId: 'again' as ClientTurnId }));
    await story.complete(turnId);
    await story.onSession('session/close');
    await hours(25);
    await maintain();
    assert.ok(!gw.store.isFull(), 'what nobody named was swept');
    const next = await Story.begin(gw, { goalId: 'next', hostSessionId: hex('next') });
    assert.equal((await next.submit('again')).created, true);
  });
});
