import assert from 'node:assert/strict';
import { everyApproval } from '../../../src/client/everyApproval.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { laterDigests, readTurn } from '../../../src/extension/turns/readTurn.ts';
import type { ApprovalSubject } from '../../../src/protocol/approval/state.ts';
import { CoreHarness, WORKSPACE, type Loose } from '../gateway/support/coreHarness.ts';
import { answerOf, command, digestOf, itemStart, Story } from '../gateway/support/story.ts';

const REQUESTS = 520;
const FILE = `${WORKSPACE}/a.txt`;
const LARGE = 7;

const edit = (before: string, after: string, path = FILE, lines = 0): Loose<ApprovalSubject> => ({
  kind: 'edit', mode: 'agentApplied', changes: [{
    path, label: 'a.txt', before: digestOf(before), after: digestOf(after), added: 1, removed: 1, linesCut: false, lines: Array.from({ length: lines }, () => ({ t: '+' as const, text: 'x'.repeat(900) })),
  }],
});

describe('what a turn of a long session did to files', () => {
  let gw: CoreHarness;
  let story: Story;
  const calls = (): GatewayCalls => story.host as unknown as GatewayCalls;

  before(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  after(() => gw.close());

  /** A turn in which the agent asked for each of these and, once allowed, did it by itself. */
  async function turnOf(at: number, subjects: readonly Loose<ApprovalSubject>[]): Promise<string> {
    const claimId = `claim-${at}`;
    const turnId = await story.run(claimId, `message ${at}`);
    for (const [index, subject] of subjects.entries()) {
      const itemKey = `tool-${index}`;
      await story.report([itemStart(itemKey, { kind: 'tool_call', toolKind: 'edit', title: 'Edit', locations: [] })], claimId);
      await story.decide(await story.ask(subject, { claimId, itemKey }), 'allow');
    }
    await story.complete(turnId, answerOf('done'), { claimId, completionId: `c${at}` });
    return turnId;
  }

  /** A turn whose requests are all refused by a setting. */
  async function turnOfMany(at: number): Promise<void> {
    const claimId = `claim-${at}`;
    const turnId = await story.run(claimId, `message ${at}`);
    for (let n = 0; n < REQUESTS; n += 1) await story.ask(command(`true ${n}`), { claimId, auto: { optionId: 'deny', rule: 'policy:attache.approvals.command' } });
    await story.complete(turnId, answerOf('done'), { claimId, completionId: `c${at}` });
  }

  it('is found behind more requests than a list names, and so is what later turns did', async () => {
    const first = await turnOf(1, [edit('one', 'two')]);
    const second = await turnOf(2, [edit('two', 'three'), edit('three', 'four')]);
    await turnOfMany(3);
    const last = await turnOf(4, [edit('four', 'five')]);
    const read = await readTurn(calls(), first as never);
    assert.deepEqual(read.changes.map(({ path, before, after, exact }) => [path, before, after, exact]), [[FILE, digestOf('one'), digestOf('two'), false]]);
    assert.deepEqual((await readTurn(calls(), second as never)).changes.map(({ before, after, mixed }) => [before, after, mixed]), [[digestOf('two'), digestOf('four'), false]]);
    assert.deepEqual([...(await laterDigests(calls(), read.turn)).get(FILE) ?? []].sort(), [digestOf('four'), digestOf('five')].sort());
    assert.equal((await laterDigests(calls(), (await readTurn(calls(), last as never)).turn)).size, 0);
  });

  it('a list of requests leads on from page to page, whether many or large, and each is named once', async () => {
    await turnOf(5, Array.from({ length: LARGE }, () => edit('one', 'two', `${WORKSPACE}/b.txt`, 390)));
    for (const [which, count] of [[{}, REQUESTS + LARGE + 4], [{ sessionId: story.sessionId as never }, REQUESTS + LARGE + 4], [{ status: 'approved' }, LARGE + 4], [{ status: 'rejected' }, REQUESTS]] as const) {
      const all = await everyApproval(calls(), { workspace: WORKSPACE as never, ...which });
      assert.equal(all.length, count);
      assert.deepEqual(all.map(({ approvalId }) => approvalId), [...new Set(all.map(({ approvalId }) => approvalId))].sort());
    }
    const { approvals, next } = await story.host.call('approval/list', { workspace: WORKSPACE });
    assert.ok(approvals.length < LARGE && next === approvals[0]?.approvalId);
    assert.deepEqual(await everyApproval(calls(), { workspace: WORKSPACE as never, status: 'pending' }), []);
  });
});
