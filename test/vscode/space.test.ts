import assert from 'node:assert/strict';
import { detailOf, freeUpSpace, sizeText } from '../../src/extension/freeUpSpace.ts';
import type { GatewayCalls } from '../../src/client/gatewayClient.ts';
import { Chat } from './support/chat.ts';

const session = (title: string, bytes: number, closedAt: number) => ({ sessionId: 'ses_0' as never, workspace: '/w', title, closedAt, bytes });

describe('Attaché: Free Up Space…', () => {
  it('says in words what goes and what stays', () => {
    const now = 10 * 24 * 3_600_000;
    const many = Array.from({ length: 12 }, (_, at) => session(`Session ${at}`, 1024 ** 2, now - at * 24 * 3_600_000));
    const lines = detailOf({ sessions: many }, now).split('\n');
    assert.match(lines[0] ?? '', /^The transcripts stay\./);
    assert.deepEqual(lines.slice(1, 4), ['• Session 0: 1.0 MiB, closed today', '• Session 1: 1.0 MiB, closed yesterday', '• Session 2: 1.0 MiB, closed 2 days ago']);
    assert.equal(lines.at(-1), 'and 2 more');
    assert.deepEqual([0, 2000, 5.25 * 1024 ** 2, 2 ** 31].map(sizeText), ['1 KiB', '2 KiB', '5.3 MiB', '2.0 GiB']);
  });

  it('asks for the plan first, and frees nothing where there is nothing', async () => {
    const { calls } = (await Chat.fresh()).window.core;
    const asked: unknown[] = [];
    const listening: GatewayCalls = { ...calls, call: (method, params, signal) => (asked.push([method, params]), calls.call(method, params, signal)), on: calls.on };
    await freeUpSpace(listening);
    const [plan, ...more] = asked as [[string, { dryRun?: boolean }], ...unknown[]];
    assert.deepEqual([plan[0], plan[1].dryRun], ['gateway/freeSpace', true]);
    assert.deepEqual(more, [['gateway/space', {}]]);
  });
});
