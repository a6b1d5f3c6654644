import assert from 'node:assert/strict';
import { Shelf } from '../../../src/extension/sessions/shelf.ts';
import { TranscriptFinder, type Findings } from '../../../src/extension/sessions/transcriptFinder.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import { eventually } from '../../support/eventually.ts';

interface Asked { readonly workspace: string; readonly text: string; readonly cursor?: string }
const hit = (sessionId: string, itemId: string): object => ({ sessionId, turnId: 't', itemId, kind: 'user_message', at: 1, excerpt: 'x', ranges: [] });

/** A gateway that finds ten places of one session in each folder, in two pages. */
function gateway(): { calls: GatewayCalls; asked: Asked[]; aborted: string[]; hold: { wait: Promise<void> } } {
  const asked: Asked[] = [];
  const aborted: string[] = [];
  const hold = { wait: Promise.resolve() };
  const call = async (_method: string, params: Asked, signal: AbortSignal): Promise<unknown> => {
    asked.push(params);
    signal.addEventListener('abort', () => aborted.push(params.text));
    await hold.wait;
    const page = params.cursor === undefined ? 0 : 1;
    const sessionId = `ses_${params.workspace}`;
    return { hits: Array.from({ length: 5 }, (_, n) => hit(sessionId, `itm_${page}.${n}`)), sessions: [{ sessionId }], next: page === 0 ? 'next' : null };
  };
  return { calls: { call } as unknown as GatewayCalls, asked, aborted, hold };
}

describe('looking for words in transcripts', () => {
  it('reads every folder to its end, a few places of each session', async () => {
    const { calls, asked } = gateway();
    const finder = new TranscriptFinder(calls, ['a', 'b']);
    const told: Findings[] = [];
    finder.onChanged((findings) => told.push(findings));
    finder.look('  fig ');
    assert.deepEqual([finder.findings.text, finder.findings.isLooking], ['fig', true]);
    await eventually('it has ended', () => !finder.findings.isLooking);
    assert.deepEqual(asked.map(({ workspace, text, cursor }) => [workspace, text, cursor]), [['a', 'fig', undefined], ['a', 'fig', 'next'], ['b', 'fig', undefined], ['b', 'fig', 'next']]);
    assert.deepEqual(finder.findings.places.map(({ hit: { sessionId } }) => sessionId), ['ses_a', 'ses_a', 'ses_a', 'ses_b', 'ses_b', 'ses_b']);
    assert.equal(finder.findings.hasMore, false);
    finder.dispose();
  });

  it('a newer text ends the older search, at the gateway, too; what it still finds is not shown', async () => {
    const { calls, asked, aborted, hold } = gateway();
    let release = (): void => undefined;
    hold.wait = new Promise((resolve) => { release = resolve; });
    const finder = new TranscriptFinder(calls, ['a']);
    finder.look('first');
    await eventually('it is asked', () => asked.length === 1);
    finder.look('second');
    assert.deepEqual([aborted, finder.findings.places], [['first'], []]);
    release();
    await eventually('the second has ended', () => !finder.findings.isLooking && finder.findings.places.length > 0);
    assert.deepEqual(new Set(asked.slice(1).map(({ text }) => text)), new Set(['second']));
    finder.look('');
    assert.deepEqual([finder.findings.places, finder.findings.isLooking], [[], false]);
    finder.dispose();
  });
});

describe('a shelf', () => {
  it('is read a page at a time, follows the events, and takes nothing back that an event took away', async () => {
    const archived = (n: number): object => ({ sessionId: `ses_${n}`, workspace: '/w', archivedAt: 1, status: 'ready' });
    let answer = (): void => undefined;
    const asked: unknown[] = [];
    const calls = { call: (_method: string, params: { cursor?: string }) => {
      asked.push(params);
      const page = { sessions: [params.cursor === undefined ? archived(1) : archived(2), archived(3)], next: params.cursor === undefined ? 'two' : null };
      return new Promise((resolve) => { answer = () => resolve(page); });
    } } as unknown as GatewayCalls;
    const shelf = new Shelf('archived', calls);
    const ids = (): string[] => shelf.sessions(['/w']).map(({ sessionId }) => sessionId);
    shelf.note(archived(9) as never);
    assert.deepEqual([ids(), shelf.hasMore(['/w'])], [[], true], 'nobody has looked yet');
    const reading = shelf.more(['/w']);
    shelf.note({ ...archived(3), archivedAt: null } as never);
    answer();
    await reading;
    assert.deepEqual([ids(), shelf.hasMore(['/w'])], [['ses_1'], true]);
    const more = shelf.more(['/w']);
    answer();
    await more;
    assert.deepEqual([ids(), shelf.hasMore(['/w'])], [['ses_1', 'ses_2'], false]);
    shelf.note(archived(4) as never);
    shelf.note({ ...archived(2), deleted: true } as never);
    assert.deepEqual(ids(), ['ses_1', 'ses_4']);
    assert.deepEqual(asked, [{ archived: 'only', includeClosed: true, workspace: '/w', limit: 100 }, { archived: 'only', includeClosed: true, workspace: '/w', limit: 100, cursor: 'two' }]);
    shelf.forget('/w');
    assert.deepEqual([ids(), shelf.hasMore(['/w'])], [[], true]);
  });
});
