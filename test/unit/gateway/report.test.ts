import assert from 'node:assert/strict';
import { headOf, splitText } from '../../../src/gateway/items/text.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { CoreHarness, refused, rejection } from './support/coreHarness.ts';
import { answerOf, commandItem, digestOf, itemStart, Story } from './support/story.ts';

describe('report', () => {
  let gw: CoreHarness;
  let story: Story;
  let turnId: string;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    turnId = await story.run();
  });
  afterEach(() => gw.close());


  it('numbers its items in order and names the ones it started', async () => {
    const first = await story.report([itemStart('a'), itemStart('b', { kind: 'thought' })]);
    const second = await story.report([{ op: 'item.start', itemKey: 'c', data: { kind: 'notice', level: 'info' }, text: 'hi', state: 'completed', parent: 'a' }]);
    assert.deepEqual([first.items.map(({ itemKey }) => itemKey), second.items.map(({ itemKey }) => itemKey)], [['a', 'b'], ['c']]);
    const { items } = story.snapshot();
    assert.deepEqual(items.map(({ idx, data, state }) => [idx, data.kind, state]), [[0, 'user_message', 'completed'], [1, 'agent_message', 'started'], [2, 'thought', 'started'], [3, 'notice', 'completed']]);
    assert.equal(items[3]?.parentId, first.items[0]?.itemId);
  });

  it('an equal number replays the stored answer, a gap is refused with the expected one', async () => {
    const first = await story.reportAs(1, [itemStart('a')]);
    const before = gw.dump();
    assert.deepEqual(await story.reportAs(1, [itemStart('a')]), first);
    assert.deepEqual(gw.dump(), before);
    const error = await refused(gw, 'report_gap', () => story.reportAs(3, [itemStart('b')]));
    assert.deepEqual(error.data.entity, { expectedReportSeq: 2 });
    await story.reportAs(2, [itemStart('b')]);
    assert.deepEqual(await story.reportAs(1, [itemStart('a')]), first);
  });

  it('a report is stored whole or not at all', async () => {
    await refused(gw, 'item_not_found', () => story.reportAs(1, [itemStart('a'), { op: 'item.delta', itemKey: 'a', text: 'x' }, { op: 'item.delta', itemKey: 'nothing', text: 'x' }]));
    assert.equal(story.snapshot().items.length, 1);
    assert.equal((await story.reportAs(1, [itemStart('a')])).items.length, 1);
  });

  it('streams text in pieces that fit together, keeps it whole at the end', async () => {
    await story.report([itemStart('a')]);
    const pieces = ['Hello', ' 😀 ', 'wörld\n', '\u0000nul'];
    for (const text of pieces) await story.report([{ op: 'item.delta', itemKey: 'a', text }]);
    const deltas = gw.sessionEvents(story.sessionId).flatMap((event) => (event.type === 'item.delta' ? [event] : []));
    let offset = 0;
    for (const [at, delta] of deltas.entries()) {
      assert.deepEqual([delta.offset, delta.text, delta.rev], [offset, pieces[at], at + 2]);
      offset += delta.text.length;
    }
    assert.equal(gw.dump()['itemChunks']?.length, 0, 'the pieces are kept with their events');
    await story.report([{ op: 'item.end', itemKey: 'a', state: 'completed' }]);
    const [, item] = story.snapshot().items;
    assert.deepEqual([item?.text, item?.textLength, item?.state, item?.rev], [pieces.join(''), pieces.join('').length, 'completed', 6]);
  });

  it('B4 a character cut in two by the stream is whole again', async () => {
    await story.report([itemStart('a'), { op: 'item.delta', itemKey: 'a', text: 'x\ud83d' }]);
    assert.equal(story.snapshot().items[1]?.text.length, 2);
    await story.report([{ op: 'item.delta', itemKey: 'a', text: '\ude00y' }]);
    assert.equal(story.snapshot().items[1]?.text, 'x😀y');
    await story.complete(turnId, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'a' } });
    assert.equal(story.snapshot().items[1]?.text, 'x😀y');
  });

  it('keeps every text as it came, also what SQLite would cut or change', async () => {
    const odd = ['nul \0 inside', '\0', '\ud83d alone', '\u0001"marked"', '\u0001'];
    for (const [at, text] of odd.entries()) {
      await story.report([{ op: 'item.start', itemKey: `i${at}`, data: { kind: 'thought' }, text, state: 'completed' }]);
      await story.submit(text);
    }
    const { items, turns } = story.snapshot();
    assert.deepEqual(items.filter(({ data }) => data.kind === 'thought').map(({ text }) => text), odd);
    assert.deepEqual(turns.slice(1).map(({ text }) => text), odd);
    assert.deepEqual((await story.submit('\0', 'nul')).turn.turnId, (await story.submit('\0', 'nul')).turn.turnId);
  });

  it('sends the head of a long text and gives the whole on demand, piece by piece', async () => {
    const whole = async (itemId: string): Promise<string> => {
      let text = '';
      for (let left = 1; left > 0; ) {
        const { item } = await story.host.call('item/get', { itemId, offset: text.length });
        text += item.text;
        left = item.textLength - text.length;
      }
      return text;
    };
    const long = '€'.repeat(100_000);
    const { items } = await story.report([{ op: 'item.start', itemKey: 'a', data: { kind: 'agent_message' }, text: long }]);
    await story.report([{ op: 'item.delta', itemKey: 'a', text: long }]);
    const { itemId } = items[0]!;
    const shown = story.snapshot().items[1]!;
    assert.deepEqual([shown.textLength, Buffer.byteLength(shown.text) <= LIMITS.inlineDataBytes, long.startsWith(shown.text)], [200_000, true, true]);
    assert.equal(await whole(itemId), long + long);
    for (const event of gw.sessionEvents(story.sessionId)) {
      const text = event.type === 'item.delta' ? event.text : 'item' in event ? event.item.text : '';
      assert.ok(Buffer.byteLength(text) <= LIMITS.inlineDataBytes);
    }
    await story.report([{ op: 'item.end', itemKey: 'a', state: 'completed' }]);
    assert.equal(await whole(itemId), long + long);
  });

  it('replaces data and text of an open item, of the same kind only', async () => {
    await story.report([commandItem('c'), { op: 'item.delta', itemKey: 'c', text: 'old' }]);
    const data = { kind: 'command', command: 'touch a.txt', cwd: '/w/demo', envNames: [], exitCode: 0, signal: null, cut: 7 } as const;
    await story.report([{ op: 'item.update', itemKey: 'c', data, text: 'new' }, { op: 'item.delta', itemKey: 'c', text: 'er' }]);
    const item = story.snapshot().items[1]!;
    assert.deepEqual([item.text, item.data], ['newer', data]);
    await refused(gw, 'item_kind_changed', () => story.reportAs(3, [{ op: 'item.update', itemKey: 'c', data: { kind: 'thought' } }]));
    await story.reportAs(3, [{ op: 'item.end', itemKey: 'c', state: 'failed', text: 'last' }]);
    assert.deepEqual([story.snapshot().items[1]?.text, story.snapshot().items[1]?.state], ['last', 'failed']);
    await refused(gw, 'item_ended', () => story.reportAs(4, [{ op: 'item.delta', itemKey: 'c', text: 'x' }]));
    await refused(gw, 'item_ended', () => story.reportAs(4, [{ op: 'item.end', itemKey: 'c', state: 'completed' }]));
    await refused(gw, 'item_key_used', () => story.reportAs(4, [itemStart('c')]));
  });

  it('is refused once the turn has ended, except for a repeat', async () => {
    const first = await story.report([itemStart('a')]);
    await story.complete(turnId);
    await refused(gw, 'turn_not_active', () => story.reportAs(2, [itemStart('b')]));
    assert.deepEqual((await story.reportAs(1, [itemStart('a')])).items, first.items);
    await refused(gw, 'turn_not_active', () => story.reportAs(1, [itemStart('b')], 'claim-9'));
  });

  it('belongs to its turn also while that is being stopped', async () => {
    await story.cancel(turnId);
    assert.equal((await story.report([itemStart('a')])).turnState, 'cancelling');
  });

  it('keeps what the agent says of itself, in a turn and between turns', async () => {
    await story.report([{ op: 'session.agent', agent: { name: 'Agent', contextUsed: 10 }, agentSessionId: 'secret-conversation' }]);
    const { sessionId, hostRunId } = story;
    await story.host.call('host/agent', { sessionId, hostRunId, agent: { version: '2' } });
    const { session } = story.snapshot();
    assert.deepEqual([session.agent.name, session.agent.version, session.agent.contextUsed], ['Agent', '2', 10]);
    assert.ok(!JSON.stringify(session).includes('secret-conversation'));
    assert.equal((await story.register()).agentSessionId, 'secret-conversation');
  });

  it('text that still streams does not wait for the disk; everything else does', async () => {
    const settings: string[] = [];
    const synchronous = () => String(gw.store.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous);
    gw.observe = ({ kind }) => {
      if (kind !== 'commit') return;
      gw.observe = () => undefined;
      settings.push(synchronous());
    };
    const observe = gw.observe;
    const settingOf = async (action: () => Promise<unknown>): Promise<string | undefined> => {
      gw.observe = observe;
      await action();
      return settings.pop();
    };
    const streams = [[itemStart('a')], [{ op: 'item.delta' as const, itemKey: 'a', text: 'x' }], [itemStart('b', { kind: 'thought' }), { op: 'item.delta' as const, itemKey: 'b', text: 'y' }]];
    for (const ops of streams) assert.equal(await settingOf(() => story.report(ops)), '1', JSON.stringify(ops));
    const stays = [[commandItem('c')], [{ ...itemStart('whole'), text: 'z', state: 'completed' as const }], [{ op: 'item.end' as const, itemKey: 'a', state: 'completed' as const }]];
    for (const ops of stays) assert.equal(await settingOf(() => story.report(ops)), '2', JSON.stringify(ops));
    assert.equal(await settingOf(() => story.submit('more')), '2');
  });

  describe('effect.begin', () => {
    const begin = (approval: { approvalId: string; actionDigest: string }, itemKey = 'c') =>
      story.reportAs(2, [{ op: 'effect.begin', itemKey, approvalId: approval.approvalId, actionDigest: approval.actionDigest }]);
    const begun = () => gw.dump()['effects']?.length;

    beforeEach(async () => {
      await story.reportAs(1, [commandItem('c')]);
    });

    it('starts only from a recorded approval of exactly this act', async () => {
      const approval = await story.ask(undefined, { itemKey: 'c' });
      await refused(gw, 'approval_required', () => begin(approval));
      await story.decide(approval, 'allow');
      await refused(gw, 'approval_required', () => begin({ ...approval, actionDigest: digestOf('something else') }));
      await refused(gw, 'approval_required', () => begin({ ...approval, approvalId: `apr_${'0'.repeat(26)}` }));
      await begin(approval);
      assert.equal(begun(), 1);
      await refused(gw, 'approval_required', () => story.reportAs(3, [{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }]));
      await story.reportAs(3, [{ op: 'effect.end', itemKey: 'c' }]);
      await refused(gw, 'approval_required', () => story.reportAs(4, [{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }]));
      const second = await story.ask(undefined, { itemKey: 'c' });
      await story.decide(second, 'allow');
      await story.reportAs(4, [{ op: 'effect.begin', itemKey: 'c', approvalId: second.approvalId, actionDigest: second.actionDigest }]);
      assert.equal(begun(), 2);
    });

    it('an item that ends without a record of its act’s end is unknown, whatever it says', async () => {
      const approval = await story.ask(undefined, { itemKey: 'c' });
      await story.decide(approval, 'allow');
      await begin(approval);
      await story.reportAs(3, [{ op: 'item.end', itemKey: 'c', state: 'completed' }]);
      assert.equal(story.snapshot().items.find(({ data }) => data.kind === 'command')?.outcome, 'unknown');
    });

    it('is refused for one that was rejected', async () => {
      const approval = await story.ask(undefined, { itemKey: 'c' });
      await story.decide(approval, 'deny');
      await refused(gw, 'approval_required', () => begin(approval));
    });

    it('B3 approve after cancel: no execution-start record exists', async () => {
      const open = await story.ask(undefined, { itemKey: 'c' });
      const given = await story.ask({ kind: 'command', command: 'other', cwd: '/w/demo', envNames: [] });
      await story.decide(given, 'allow');
      await story.cancel(turnId);
      await refused(gw, 'approval_closed', () => story.decide(open, 'allow'));
      await refused(gw, 'approval_required', () => begin(open));
      await refused(gw, 'approval_required', () => begin(given));
      assert.equal(begun(), 0);
    });

    it('is refused with an approval of another turn', async () => {
      const approval = await story.ask(undefined, { itemKey: 'c' });
      await story.decide(approval, 'allow');
      await story.host.call('host/complete', { sessionId: story.sessionId, hostRunId: story.hostRunId, turnId, claimId: 'claim-1', completionId: 'c', lastReportSeq: 1, result: answerOf('x') });
      await story.run('claim-2');
      await story.reportAs(1, [commandItem('c')], 'claim-2');
      const error = await rejection(() => story.reportAs(2, [{ op: 'effect.begin', itemKey: 'c', approvalId: approval.approvalId, actionDigest: approval.actionDigest }], 'claim-2'));
      assert.equal(error.kind, 'approval_required');
      assert.equal(begun(), 0);
    });
  });

  it('cuts texts only between characters', () => {
    assert.equal(headOf('a😀b', 4), 'a');
    assert.equal(headOf('a😀b', 5), 'a😀');
    assert.equal(headOf('€€', 5), '€');
    assert.deepEqual(splitText('a😀😀', 5), ['a😀', '😀']);
    assert.deepEqual(splitText('', 5), []);
  });
});
