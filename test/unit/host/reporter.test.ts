import assert from 'node:assert/strict';
import { Deferred } from '../../../src/base/deferred.ts';
import { Reporter, type ReportAnswer } from '../../../src/host/reporter.ts';
import { AttacheError, type ErrorKind } from '../../../src/protocol/errors.ts';
import type { ReportOp } from '../../../src/protocol/host/commands.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { delta, key, startMessage } from '../../support/testHost.ts';

interface Sent {
  readonly seq: number;
  readonly ops: ReportOp[];
  answer(): void;
  refuse(kind: ErrorKind): void;
}

class Rig {
  readonly clock = new FakeClock();
  readonly sent: Sent[] = [];
  readonly dead: string[] = [];
  readonly logged: string[] = [];
  overflows = 0;
  readonly reporter = new Reporter({
    clock: this.clock,
    nextSeq: 1,
    send: (seq, ops) => {
      const answer = new Deferred<ReportAnswer>();
      this.sent.push({ seq, ops, answer: () => answer.resolve({ reportSeq: seq, turnState: 'running', items: [] }), refuse: (kind) => answer.reject(new AttacheError(kind)) });
      return answer.promise;
    },
    onAnswer: () => undefined,
    onDead: (error) => this.dead.push(error.kind),
    onOverflow: () => { this.overflows += 1; },
    log: (line) => this.logged.push(line),
  });

  /** Answers everything until nothing more is sent. */
  async answerAll(): Promise<void> {
    for (let index = 0; index < this.sent.length; index += 1) {
      this.sent[index]!.answer();
      await this.clock.advance(8);
    }
  }

  get texts(): string[] {
    return this.sent.map(({ ops }) => ops.map((op) => ('text' in op ? (op.text ?? '') : op.op)).join('|'));
  }
}

describe('Reporter', () => {
  it('the first piece on an idle link goes out at once, the next ones together after 8 ms', async () => {
    const rig = new Rig();
    rig.reporter.report([delta('m', 'a')]);
    assert.deepEqual(rig.texts, ['a']);
    rig.sent[0]!.answer();
    await rig.clock.advance(0);
    rig.reporter.report([delta('m', 'b')]);
    rig.reporter.report([delta('m', 'c')]);
    await rig.clock.advance(7);
    assert.deepEqual(rig.texts, ['a']);
    await rig.clock.advance(1);
    assert.deepEqual(rig.texts, ['a', 'bc']);
  });

  it('what came while a batch was on its way waits as long, and no longer', async () => {
    const rig = new Rig();
    rig.reporter.report([delta('m', 'a')]);
    await rig.clock.advance(3);
    rig.reporter.report([delta('m', 'b')]);
    await rig.clock.advance(2);
    rig.sent[0]!.answer();
    await rig.clock.advance(5);
    assert.deepEqual(rig.texts, ['a']);
    await rig.clock.advance(1);
    assert.deepEqual(rig.texts, ['a', 'b']);
  });

  it('64 pieces, 16 KiB, or anything that is no text, go out at once', async () => {
    for (const [name, ops] of [
      ['64 pieces', Array.from({ length: 64 }, () => delta('m', 'x'))],
      ['16 KiB', [delta('m', 'x'.repeat(16 * 1024))]],
      ['an end', [delta('m', 'x'), { op: 'item.end', itemKey: key('m'), state: 'completed' }]],
    ] as [string, ReportOp[]][]) {
      const rig = new Rig();
      rig.reporter.report([delta('m', 'first')]);
      rig.sent[0]!.answer();
      await rig.clock.advance(0);
      rig.reporter.report(ops);
      assert.equal(rig.sent.length, 2, name);
    }
  });

  it('one batch at a time, numbered without a gap, in order, with nothing lost', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('m', '0')]);
    for (let index = 1; index <= 500; index += 1) rig.reporter.report([delta('m', ` ${String(index)}`)]);
    assert.equal(rig.sent.length, 1);
    await rig.answerAll();
    assert.deepEqual(rig.sent.map(({ seq }) => seq), rig.sent.map((_, index) => index + 1));
    assert.equal(rig.texts.join(''), Array.from({ length: 501 }, (_, index) => String(index)).join(' '));
    assert.equal(rig.reporter.lastSeq, rig.sent.length);
    assert.ok(rig.sent.length <= 3);
  });

  it('text of different items is not merged', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('a'), startMessage('b')]);
    rig.reporter.report([delta('a', '1'), delta('b', '2'), delta('a', '3')]);
    await rig.answerAll();
    assert.equal(rig.texts[1], '1|2|3');
  });

  it('an intent record goes alone and waits for its own answer', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('m')]);
    const begin = rig.reporter.confirmed({ op: 'effect.begin', itemKey: key('m'), approvalId: 'x' as never, actionDigest: 'y' as never });
    rig.reporter.report([delta('m', 'later')]);
    await rig.answerAll();
    assert.deepEqual(rig.texts, ['', 'effect.begin', 'later']);
    assert.equal((await begin).reportSeq, 2);
  });

  it('a refused intent is told to who asked, uses no number up, and the rest goes on', async () => {
    const rig = new Rig();
    const begin = rig.reporter.confirmed({ op: 'effect.begin', itemKey: key('m'), approvalId: 'x' as never, actionDigest: 'y' as never });
    rig.reporter.report([startMessage('n', 'n')]);
    rig.sent[0]!.refuse('approval_required');
    await assert.rejects(begin, (error) => error instanceof AttacheError && error.kind === 'approval_required');
    await rig.clock.advance(0);
    assert.deepEqual(rig.sent.map(({ seq }) => seq), [1, 1]);
    assert.deepEqual(rig.dead, []);
  });

  it('of a refused batch only the report at fault is lost', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('a', 'a')]);
    rig.reporter.report([startMessage('b', 'b'), { op: 'item.end', itemKey: key('ghost'), state: 'completed' }, startMessage('c', 'c')]);
    rig.sent[0]!.answer();
    await rig.clock.advance(0);
    rig.sent[1]!.refuse('item_not_found');
    await rig.clock.advance(0);
    rig.sent[2]!.answer();
    await rig.clock.advance(0);
    rig.sent[3]!.refuse('item_not_found');
    await rig.clock.advance(0);
    rig.sent[4]!.answer();
    await rig.reporter.settled();
    assert.deepEqual(rig.sent.map(({ seq }) => seq), [1, 2, 2, 3, 3]);
    assert.equal(rig.logged.length, 1);
    assert.equal(rig.reporter.lastSeq, 3);
  });

  it('a turn that is over ends it: everything that waits is told', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('a')]);
    const waiting = rig.reporter.confirmed({ op: 'effect.begin', itemKey: key('m'), approvalId: 'x' as never, actionDigest: 'y' as never });
    const settled = rig.reporter.settled();
    rig.sent[0]!.refuse('turn_not_active');
    await settled;
    await assert.rejects(waiting);
    assert.deepEqual(rig.dead, ['turn_not_active']);
    rig.reporter.report([delta('m', 'late')]);
    await rig.clock.advance(100);
    assert.equal(rig.sent.length, 1);
    await assert.rejects(rig.reporter.confirmed({ op: 'effect.end', itemKey: key('m') }));
  });

  it('what waits is bounded', () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('m')]);
    for (let index = 0; index < 100; index += 1) rig.reporter.report([delta('m', 'x'.repeat(1024 * 1024))]);
    assert.equal(rig.overflows, 1);
  });

  it('no batch is larger than a frame, however much waits', async () => {
    const rig = new Rig();
    rig.reporter.report([startMessage('m')]);
    for (let index = 0; index < 3_000; index += 1) rig.reporter.report([startMessage(`m${String(index)}`, 'x'.repeat(2_000))]);
    await rig.answerAll();
    assert.ok(rig.sent.length > 5);
    assert.ok(rig.sent.every(({ ops }) => ops.length <= 1_000 && JSON.stringify(ops).length < 2 * 1024 * 1024));
  });
});
