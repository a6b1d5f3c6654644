import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionPlane } from '../../../src/execution/plane.ts';
import { applyRevert, changesOfTurn, planRevert } from '../../../src/execution/revertPlan.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { FileChange } from '../../../src/protocol/item/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { Step } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

describe('edits of an agent', () => {
  let story: HostStory;
  let count = 0;
  let disk: ExecutionPlane;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(steps: readonly Step[], approvals: 'allow' | null = null): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent({ prompts: [{ steps: [...steps, { text: 'done' }] }] }, story.gateway.folder('scripts'), `edit${String((count += 1))}`);
    const plane = (given: ExecutionPlane): ExecutionPlane => (disk = given);
    return { agent, session: await story.session({ agent, plane, ...(approvals === null ? {} : { approvals: { edit: approvals } }) }) };
  }

  const file = async (name: string, text: string | Buffer): Promise<string> => {
    const path = join(story.folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  };

  const changeOf = ({ subject }: Approval): FileChange => {
    assert.ok(subject.kind === 'edit');
    return subject.changes[0]!;
  };

  async function blob(digest: string | null | undefined): Promise<string | null> {
    if (digest === null || digest === undefined) return null;
    const viewer = await story.viewer();
    return Buffer.from((await viewer.call('blob/get', { workspace: story.folder, digest: digest as FileChange['after'] })).base64, 'base64').toString();
  }

  /** The request that is asked after this one. */
  const next = (session: StorySession, earlier: Approval): Promise<Approval> =>
    eventually('another request', async () => (await session.pending()).find(({ approvalId }) => approvalId !== earlier.approvalId));

  const refusals = (agent: FakeAgent): string[] => agent.events('answer').flatMap((entry) => ('error' in entry ? [(entry['error'] as { data: { kind: string } }).data.kind] : []));
  const edits = async (session: StorySession, turn: Turn): Promise<string[]> => (await session.items(turn)).filter(({ data }) => data.kind === 'edit').map(({ state }) => state);

  it('C09 a file that changes on other lines after the request: nothing is written, and the change as it is now is asked', async () => {
    const path = await file('other.txt', '1\n2\n3\n');
    const { session } = await play([{ write: { path, content: '1\n2\nagent\n' } }]);
    const asked = await session.submit('go');
    const [first] = await session.pending();
    assert.equal(changeOf(first!).conflict, undefined);
    await writeFile(path, 'person\n2\n3\n');
    await session.decide(first!, 'allow');
    const second = await next(session, first!);
    assert.equal(await readFile(path, 'utf8'), 'person\n2\n3\n');
    const { before, after, conflict } = changeOf(second);
    assert.deepEqual([await blob(conflict?.base), await blob(before), await blob(conflict?.wanted), await blob(after), conflict?.overlaps], ['1\n2\n3\n', 'person\n2\n3\n', '1\n2\nagent\n', 'person\n2\nagent\n', false]);
    await session.decide(second, 'allow');
    const turn = await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), 'person\n2\nagent\n');
    assert.deepEqual(await edits(session, turn), ['cancelled', 'completed']);
  });

  it('C09 the same lines: the conflict has its three texts, a rule does not answer it, a reject leaves everything', async () => {
    const path = await file('same.txt', 'one\ntwo\n');
    const { agent, session } = await play([{ read: { path } }, { sleep: 700 }, { write: { path, content: 'agent\ntwo\n' } }], 'allow');
    const asked = await session.submit('go');
    await agent.waitFor('the read', (log) => log.some(({ event }) => event === 'answer'));
    await writeFile(path, 'person\ntwo\n');
    const [approval] = await session.pending();
    const { before, after, conflict } = changeOf(approval!);
    assert.deepEqual([await blob(conflict?.base), await blob(before), await blob(conflict?.wanted), await blob(after), conflict?.overlaps], ['one\ntwo\n', 'person\ntwo\n', 'agent\ntwo\n', 'agent\ntwo\n', true]);
    await session.decide(approval!, 'reject');
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), 'person\ntwo\n');
    assert.deepEqual(refusals(agent), ['approval_rejected']);
  });

  for (const { name, go } of [{ name: 'deleted', go: (path: string) => rm(path) }, { name: 'renamed', go: (path: string) => rename(path, `${path}.moved`) }]) {
    it(`C09 a file that is ${name} after the request is not brought back without a new decision`, async () => {
      const path = await file(`${name}.txt`, '1\n');
      const { session } = await play([{ read: { path } }, { write: { path, content: '2\n' } }]);
      const asked = await session.submit('go');
      const [first] = await session.pending();
      await go(path);
      await session.decide(first!, 'allow');
      const second = await next(session, first!);
      assert.deepEqual([changeOf(second).before, changeOf(second).conflict?.overlaps], [null, true]);
      await session.decide(second, 'reject');
      await session.endOf(asked);
      await assert.rejects(readFile(path));
    });
  }

  it('C12 a reject takes back nothing else: earlier edits, a person’s lines, and their text in the proposed file stay', async () => {
    const path = await file('x.txt', 'x=1\n');
    const fresh = join(story.folder, 'y.txt');
    const { session } = await play([{ write: { path, content: 'x=2\n' } }, { write: { path, content: 'x=3\n' } }, { write: { path: fresh, content: 'agent\n' } }]);
    const asked = await session.submit('go');
    const [first] = await session.pending();
    await session.decide(first!, 'allow');
    const second = await next(session, first!);
    await writeFile(path, '# mine\nx=2\n');
    await session.decide(second, 'reject');
    const third = await next(session, second);
    await writeFile(fresh, 'my own words\n');
    await session.decide(third, 'reject');
    const turn = await session.endOf(asked);
    assert.deepEqual([await readFile(path, 'utf8'), await readFile(fresh, 'utf8')], ['# mine\nx=2\n', 'my own words\n']);
    assert.deepEqual(await edits(session, turn), ['completed', 'declined', 'declined']);
    assert.equal(await blob(changeOf(second).after), 'x=3\n');
  });

  it('C12 a file that a person made meanwhile is not written over when its creation was approved', async () => {
    const path = join(story.folder, 'made.txt');
    const { session } = await play([{ write: { path, content: 'agent\n' } }]);
    const asked = await session.submit('go');
    const [first] = await session.pending();
    await writeFile(path, 'my own words\n');
    await session.decide(first!, 'allow');
    const second = await next(session, first!);
    assert.deepEqual([await blob(changeOf(second).before), changeOf(second).conflict?.overlaps], ['my own words\n', true]);
    await session.decide(second, 'reject');
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), 'my own words\n');
  });

  it('what may not be written is refused with its own reason before anybody is asked, also where a rule allows all', async () => {
    await file('.git/config', '[core]\n');
    const locked = await file('locked.txt', 'a\n');
    await chmod(locked, 0o444);
    const outside = story.gateway.folder('outside');
    await symlink(outside, join(story.folder, 'link'));
    const latin = await file('latin.txt', Buffer.from([0xe9, 0x0a]));
    const binary = await file('binary.bin', Buffer.from([0, 1, 2]));
    const paths = [join(story.folder, '.git/config'), join(story.folder, '.git/hooks/post-checkout'), locked, join(outside, 'x'), join(story.folder, 'link/x'), latin, binary];
    const { agent, session } = await play(paths.map((path) => ({ write: { path, content: 'agent\n' } })), 'allow');
    await session.endOf(await session.submit('go'));
    assert.deepEqual(refusals(agent), ['path_protected', 'path_protected', 'file_read_only', 'path_refused', 'link_leaves_folder', 'encoding_refused', 'binary_refused']);
    assert.deepEqual((await session.view()).approvals, []);
    assert.equal(await readFile(join(story.folder, '.git/config'), 'utf8'), '[core]\n');
  });

  it('an agent that writes by itself is not allowed to write there either', async () => {
    const path = join(story.folder, '.git/config');
    const { agent, session } = await play([
      { permission: { id: 'p', toolCall: { toolCallId: 'p', kind: 'edit', title: 'Edit', content: [{ type: 'diff', path, oldText: null, newText: 'x' }] } } },
    ], 'allow');
    const turn = await session.endOf(await session.submit('go'));
    assert.deepEqual(agent.permissions(), ['p=reject']);
    const [notice] = (await session.items(turn)).filter(({ data }) => data.kind === 'notice');
    assert.match(notice!.text, /Git/);
  });

  it('settings of the workspace and files of variables are asked for where a rule allows all', async () => {
    const paths = ['.vscode/settings.json', '.env.local'].map((name) => join(story.folder, name));
    const { session } = await play([
      ...paths.map((path) => ({ write: { path, content: 'x\n' } })),
      { permission: { id: 'p', toolCall: { toolCallId: 'p', kind: 'edit', title: 'Edit', content: [{ type: 'diff', path: paths[0], oldText: null, newText: 'y' }] } } },
    ], 'allow');
    const asked = await session.submit('go');
    for (let count = 0; count < 3; count += 1) await session.decide((await session.pending())[0]!, 'reject');
    await session.endOf(asked);
    for (const path of paths) await assert.rejects(readFile(path));
  });

  it('the bytes before a turn’s first change are kept, and bring everything back', async () => {
    const bytes = Buffer.from('\uFEFFone\r\ntwo');
    const path = await file('kept.txt', bytes);
    const fresh = join(story.folder, 'fresh.txt');
    const own = await file('own.txt', 'a\r\nb\r\n');
    const { session } = await play([
      { write: { path, content: 'ONE\ntwo' } }, { write: { path, content: 'ONE\nTWO' } }, { write: { path: fresh, content: 'new\n' } },
      { permission: { id: 'own', toolCall: { toolCallId: 'own', kind: 'edit', title: 'Edit', content: [{ type: 'diff', path: own, oldText: 'a\nb\n', newText: 'a\nB\n' }] }, then: { allow: [{ applyWrite: { path: own, content: 'a\nB\n' } }] } } },
      { toolUpdate: { toolCallId: 'own', status: 'completed' } },
    ], 'allow');
    const turn = await session.endOf(await session.submit('go'));
    assert.equal(await readFile(path, 'utf8'), '\uFEFFONE\r\nTWO');
    const changes = changesOfTurn(await session.items(turn), (await session.view()).approvals);
    assert.deepEqual(changes.map(({ label, exact, mixed }) => [label, exact, mixed]), [['kept.txt', true, false], ['fresh.txt', true, false], ['own.txt', false, false]]);
    assert.deepEqual(await Promise.all(changes.map(({ kept }) => blob(kept))), [bytes.toString(), null, 'a\r\nb\r\n']);
    for (const { path: changed, before, after, kept, exact, mixed } of changes) {
      const [first, last, stored] = await Promise.all([blob(before), blob(after), blob(kept)]);
      const step = planRevert({ path: changed, before: first, after: last, exact, mixed, ...(stored === null ? {} : { kept: Buffer.from(stored) }) }, await disk.read(changed), []);
      assert.equal(step.verdict, 'clean', changed);
      await applyRevert(disk, step);
    }
    assert.deepEqual(await readFile(path), bytes);
    assert.equal(await readFile(own, 'utf8'), 'a\r\nb\r\n');
    await assert.rejects(readFile(fresh));
  });
});
