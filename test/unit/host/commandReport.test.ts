import assert from 'node:assert/strict';
import { Deferred } from '../../../src/base/deferred.ts';
import type { CommandExit, RunningCommand } from '../../../src/execution/plane.ts';
import { CommandReport } from '../../../src/host/commandReport.ts';
import type { Reporter } from '../../../src/host/reporter.ts';
import type { ReportOp } from '../../../src/protocol/host/commands.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { key } from '../../support/testHost.ts';

const data = { kind: 'command', command: 'x', cwd: '/', envNames: [], exitCode: null, signal: null, cut: 0 } as const;

class Rig {
  readonly clock = new FakeClock();
  readonly ops: ReportOp[] = [];
  line = '';
  received = 0;
  waits = false;
  /** How often it was looked whether the command waits. */
  looks = 0;
  settle: (text: string) => void = () => undefined;
  readonly report: CommandReport;

  constructor() {
    const received = (): number => this.received;
    const command: RunningCommand = {
      get received() {
        return received();
      },
      waitsForInput: () => {
        this.looks += 1;
        return Promise.resolve(this.waits);
      },
      exited: new Deferred<CommandExit>().promise,
      output: () => ({ text: '', truncated: false, exit: null }),
      kill: () => Promise.resolve(),
      onSettled: (listener) => { this.settle = listener; },
      unsettled: () => this.line,
      hasLeftovers: () => Promise.resolve(false),
    };
    const reporter = { report: (ops: readonly ReportOp[]) => this.ops.push(...ops) } as unknown as Reporter;
    this.report = new CommandReport(command, { itemKey: key('c'), data: { ...data, envNames: [] }, showsWaiting: true }, reporter, this.clock);
  }

  /** What a client shows by now. */
  get shown(): string {
    return this.ops.reduce((text, op) => (op.op === 'item.delta' ? text + op.text : 'text' in op && op.text !== undefined ? op.text : text), '');
  }

  end(exitCode = 0): Extract<ReportOp, { op: 'item.end' }> {
    this.report.end({ exitCode, signal: null }, 'completed', null);
    return this.ops.findLast((op) => op.op === 'item.end')!;
  }
}

describe('CommandReport', () => {
  it('gives output on as it settles, and nothing twice', () => {
    const rig = new Rig();
    rig.settle('one\n');
    rig.settle('two\n');
    const end = rig.end(7);
    assert.equal(rig.shown, 'one\ntwo\n');
    assert.equal(end.text, undefined);
    assert.deepEqual(end.data, { ...data, exitCode: 7 });
  });

  it('C25 a line that stands still is shown, and grows into its end', async () => {
    const rig = new Rig();
    rig.settle('a\n');
    rig.line = 'Password: ';
    await rig.clock.advance(500);
    assert.equal(rig.shown, 'a\n');
    await rig.clock.advance(500);
    assert.equal(rig.shown, 'a\nPassword: ');
    rig.line = '';
    rig.settle('Password: no\n');
    rig.end();
    assert.equal(rig.shown, 'a\nPassword: no\n');
  });

  it('C26 a line that was overwritten is replaced, and a bar that never stands still costs nothing', async () => {
    const rig = new Rig();
    for (let frame = 0; frame < 500; frame += 1) {
      rig.line = `[##] ${String(frame)}%`;
      await rig.clock.advance(500);
    }
    assert.equal(rig.ops.length, 0);
    await rig.clock.advance(1_000);
    assert.equal(rig.shown, '[##] 499%');
    rig.settle('done\n');
    rig.end();
    assert.equal(rig.shown, 'done\n');
  });

  it('much output keeps its beginning and its end, and counts what is between', async () => {
    const rig = new Rig();
    for (let index = 0; index < 10_000; index += 1) rig.settle(`line ${String(index).padStart(5)}\n`);
    await rig.clock.advance(500);
    const during = rig.ops.at(-1)!;
    assert.ok('data' in during && during.data?.kind === 'command' && during.data.cut === 110_000 - 64_000);
    const end = rig.end();
    assert.ok(end.text!.startsWith('line     0\n') && end.text!.endsWith('line  9999\n') && end.text!.includes('… 46000 characters left out …'));
    assert.ok(end.data?.kind === 'command' && end.data.cut === 46_000);
    assert.ok(rig.ops.reduce((sum, op) => sum + (op.op === 'item.delta' || op.op === 'item.end' ? (op.text ?? '').length : 0), 0) < 100_000);
  });

  it('a character is never cut in two', () => {
    const rig = new Rig();
    rig.settle('x' + '😀'.repeat(60_000));
    const end = rig.end();
    assert.ok(end.text!.isWellFormed());
    assert.ok(rig.ops.every((op) => !('text' in op) || op.text!.isWellFormed()));
  });

  it('its end is the end of its timer', () => {
    const rig = new Rig();
    rig.end();
    assert.equal(rig.clock.pending, 0);
  });

  it('C25 a command that waits for input is shown as waiting as long as it does, and looked at ever more seldom', async () => {
    const rig = new Rig();
    const waits = (): boolean | undefined => rig.ops.reduce<boolean | undefined>((last, op) => ('data' in op && op.data?.kind === 'command' ? op.data.waitsForInput : last), undefined);
    rig.waits = true;
    rig.received = 1;
    await rig.clock.advance(1_500);
    assert.equal(waits(), undefined);
    await rig.clock.advance(1_000);
    assert.equal(waits(), true);
    rig.waits = false;
    rig.received = 2;
    await rig.clock.advance(500);
    assert.equal(waits(), undefined);
    rig.looks = 0;
    await rig.clock.advance(60_000);
    assert.ok(rig.looks >= 5 && rig.looks <= 10, String(rig.looks));
    rig.waits = true;
    await rig.clock.advance(10_000);
    assert.equal(waits(), true);
    assert.deepEqual(rig.end().data, { ...data, exitCode: 0 });
  });

  it('a command that writes is never looked at', async () => {
    const rig = new Rig();
    for (let n = 1; n <= 100; n += 1) {
      rig.received = n;
      await rig.clock.advance(500);
    }
    assert.equal(rig.looks, 0);
  });
});
