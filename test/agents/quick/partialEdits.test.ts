import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionPlane } from '../../../src/execution/plane.ts';
import { applyRevert, changesOfTurn, planRevert } from '../../../src/execution/revertPlan.ts';
import { choosableChanges } from '../../../src/protocol/approval/part.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { FileChange } from '../../../src/protocol/item/state.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { FakeScript, Step } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

const OLD = 'one\r\ntwo\r\nthree\r\nfour\r\nfive';
const NEW = 'ONE\ntwo\nTHREE\nfour\nFIVE\n';

describe('an edit that is approved in part', () => {
  let story: HostStory;
  let disk: ExecutionPlane;
  let count = 0;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(steps: readonly Step[], more: Partial<FakeScript> = {}): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent({ ...more, prompts: [{ steps: [...steps, { text: 'done' }] }] }, story.gateway.folder('scripts'), `part${String((count += 1))}`);
    return { agent, session: await story.session({ agent, plane: (given) => (disk = given) }) };
  }

  async function file(name: string, text = OLD): Promise<string> {
    const path = join(story.folder, name);
    await writeFile(path, text);
    return path;
  }

  async function blob(digest: string | null | undefined): Promise<string | null> {
    if (digest === null || digest === undefined) return null;
    return Buffer.from((await (await story.viewer()).call('blob/get', { workspace: story.folder, digest: digest as FileChange['after'] })).base64, 'base64').toString();
  }

  const errors = (agent: FakeAgent): string[] => agent.events('answer').flatMap((entry) => ('error' in entry ? [(entry['error'] as { message: string }).message] : []));
  const offered = ({ subject }: Approval): readonly number[] | undefined => choosableChanges(subject)?.map(({ hunks }) => hunks.length);
  const ask = (path: string, more: Record<string, unknown> = {}): Step => ({ permission: { id: 'p', toolCall: { toolCallId: 'call', kind: 'edit', title: 'Edit', content: [{ type: 'diff', path, oldText: OLD, newText: NEW }], ...more } } });
  const speaks = { initialize: { agentCapabilities: { _meta: { 'attache/parts': true } } } };

  it('writes just the chosen hunks, tells the agent so, and says so to everybody; it can be taken back', async () => {
    const path = await file('direct.txt');
    const { agent, session } = await play([{ read: { path } }, { write: { path, content: NEW } }, { write: { path, content: NEW } }]);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    assert.deepEqual(offered(request!), [3]);
    await session.decide(request!, 'allow', [[0, 2]]);
    // What was left out is no part of what it knows: it is asked about once more, by itself.
    const [again] = (await session.pending()).filter(({ approvalId }) => approvalId !== request!.approvalId);
    assert.equal(await readFile(path, 'utf8'), 'ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE');
    assert.ok(again!.subject.kind === 'edit');
    assert.deepEqual(again!.subject.changes[0]!.lines.filter(({ t }) => t === '+' || t === '-').map(({ t, text }) => t + text), ['-three', '+THREE']);
    assert.equal(offered(again!), undefined);
    await session.decide(again!, 'reject');
    const turn = await session.endOf(asked);
    assert.match(errors(agent)[0]!, /^Only 2 of the 3 changes of direct\.txt were approved, and just these were written\. Left out: what was meant for line 3 of the file as it was\. Read the file again/);
    assert.equal(await readFile(path, 'utf8'), 'ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE');
    const decided = (await session.view()).approvals.find(({ approvalId }) => approvalId === request!.approvalId)!;
    assert.deepEqual([decided.status, decided.part, decided.decidedBy?.clientKind], ['approved', [[0, 2]], 'cli']);
    const [edit] = (await session.items(turn)).filter(({ data }) => data.kind === 'edit');
    assert.ok(edit?.data.kind === 'edit' && request!.subject.kind === 'edit');
    assert.deepEqual([edit.state, edit.outcome, edit.data.note], ['completed', 'known', 'Only 2 of 3 changes were approved and written.']);
    assert.deepEqual([await blob(edit.data.change.after), await blob(request!.subject.changes[0]!.after)], ['ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE', 'ONE\r\ntwo\r\nTHREE\r\nfour\r\nFIVE']);
    const [change] = changesOfTurn(await session.items(turn), (await session.view()).approvals);
    const step = planRevert({ ...change!, before: await blob(change!.before), after: await blob(change!.after), kept: Buffer.from(OLD) }, await disk.read(path), []);
    assert.equal(step.verdict, 'clean');
    await applyRevert(disk, step);
    assert.equal(await readFile(path, 'utf8'), OLD);
  });

  it('holds for what the agent asks before it writes through us, and is used up by that write', async () => {
    const path = await file('asks.txt');
    const { agent, session } = await play([{ read: { path } }, ask(path), { write: { path, content: NEW } }, { toolUpdate: { toolCallId: 'call', status: 'completed' } }], speaks);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    assert.deepEqual(offered(request!), [3]);
    await session.decide(request!, 'allow', [[1]]);
    const turn = await session.endOf(asked);
    assert.deepEqual(agent.permissions(), ['p=allow']);
    assert.equal(await readFile(path, 'utf8'), 'one\r\ntwo\r\nTHREE\r\nfour\r\nfive');
    assert.match(errors(agent)[0]!, /^Only 1 of the 3 changes/);
    assert.equal((await session.view()).approvals.length, 1);
    assert.deepEqual((await session.items(turn)).filter(({ data }) => data.kind === 'notice'), []);
  });

  it('of several files leaves those alone of which nothing was chosen', async () => {
    const [first, second] = [await file('first.txt'), await file('second.txt')];
    const content = [first, second].map((path) => ({ type: 'diff', path, oldText: OLD, newText: NEW }));
    const { agent, session } = await play([{ read: { path: first } }, { read: { path: second } }, ask(first, { content }), { write: { path: first, content: NEW } }, { write: { path: second, content: NEW } }], speaks);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    assert.deepEqual(offered(request!), [3, 3]);
    await session.decide(request!, 'allow', [[0], []]);
    await session.endOf(asked);
    assert.deepEqual([await readFile(first, 'utf8'), await readFile(second, 'utf8')], [OLD.replace('one', 'ONE'), OLD]);
    assert.match(errors(agent)[1]!, /^The change of second\.txt was not approved/);
  });

  it('is not offered to an agent of which nobody knows that it writes through us, until it has', async () => {
    const path = await file('unknown.txt');
    const { session } = await play([{ read: { path } }, ask(path), { write: { path, content: 'all\nnew\n' } }, { write: { path, content: OLD } }, ask(path)]);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    assert.equal(offered(request!), undefined);
    await assert.rejects(session.decide(request!, 'allow', [[0]]), { kind: 'approval_part_not_possible' });
    const seen = new Set<string>();
    const next = async (answer: 'allow' | 'reject'): Promise<Approval> => {
      for (;;) {
        const found = (await session.pending()).find(({ approvalId }) => !seen.has(approvalId));
        if (found === undefined) continue;
        seen.add(found.approvalId);
        await session.decide(found, answer);
        return found;
      }
    };
    await next('reject');
    await next('allow');
    await next('allow');
    assert.deepEqual(offered(await next('reject')), [3]);
    await session.endOf(asked);
  });

  it('is flagged when the agent writes all of it by itself', async () => {
    const path = await file('liar.txt');
    const { session } = await play([{ read: { path } }, ask(path), { applyWrite: { path, content: NEW } }, { toolUpdate: { toolCallId: 'call', status: 'completed' } }], speaks);
    const asked = await session.submit('go');
    await session.decide((await session.pending())[0]!, 'allow', [[1]]);
    const turn = await session.endOf(asked);
    assert.deepEqual((await session.items(turn)).flatMap(({ data }) => (data.kind === 'notice' ? [data.code] : [])), ['edit_differs']);
  });

  it('is found again when the answer came while the link was cut', async () => {
    const path = await file('cut.txt');
    const { agent, session } = await play([{ read: { path } }, { write: { path, content: NEW } }]);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    session.link.cut();
    await session.decide(request!, 'allow', [[2]]);
    await session.link.open();
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), OLD.replace('five', 'FIVE'));
    assert.equal(errors(agent).length, 1);
  });

  it('a file that moved on after the answer is not written, and the choice is made anew', async () => {
    const path = await file('moved.txt');
    const { session } = await play([{ read: { path } }, { write: { path, content: NEW } }]);
    const asked = await session.submit('go');
    const [request] = await session.pending();
    await writeFile(path, OLD.replace('two', 'mine'));
    await session.decide(request!, 'allow', [[0]]);
    const [again] = (await session.pending()).filter(({ approvalId }) => approvalId !== request!.approvalId);
    assert.equal(await readFile(path, 'utf8'), OLD.replace('two', 'mine'));
    await session.decide(again!, 'allow', [[2]]);
    await session.endOf(asked);
    assert.equal(await readFile(path, 'utf8'), OLD.replace('two', 'mine').replace('five', 'FIVE'));
  });
});
