import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { silentLogger } from '../../../../src/base/logger.ts';
import { AttacheError } from '../../../../src/protocol/errors.ts';
import { AcpRuntime } from '../../../../src/runtime/acp/acpRuntime.ts';
import { realClock } from '../../../support/realClock.ts';

/** A program that writes this and ends. */
function program(output: string): ChildProcess {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const child = Object.assign(new EventEmitter(), { stdin: new PassThrough(), stdout, stderr, exitCode: null, signalCode: null });
  stdout.write(output);
  stderr.end('licence for token=open-sesame is over');
  stdout.once('end', () => setTimeout(() => {
    child.emit('exit', 1, null);
    child.emit('close', 1, null);
  }, 20));
  setImmediate(() => stdout.end());
  return child as unknown as ChildProcess;
}

describe('AcpRuntime', () => {
  it('C35 what an agent prints beside its messages is logged without the secrets it was given, and without what looks like one', async () => {
    const logged: string[] = [];
    const owned = { child: program('debug: got open-sesame\npassword=hunter2 accepted\n'), kill: () => Promise.resolve(), mark: () => 0, killSince: () => Promise.resolve(0) };
    const runtime = new AcpRuntime({ processes: { start: () => Promise.resolve(owned) }, clock: realClock, logger: { ...silentLogger, info: (line) => logged.push(line) }, version: '0' });
    const launch = { agentId: 'noisy', label: 'Noisy', command: 'noisy', args: [], env: { NOISY_KEY: 'open-sesame' }, cwd: '/' };
    // It closes its output before it ends: what is told is how it ended, not that a pipe broke.
    await assert.rejects(runtime.start({ launch, resume: null }), (error) => {
      assert.ok(error instanceof AttacheError && error.kind === 'execution_unavailable');
      assert.equal(error.message, 'Noisy ended unexpectedly with code 1. Its last words: licence for token=[secret] is over.');
      assert.match(error.data.next, /^Check that its command speaks the Agent Client Protocol/);
      return true;
    });
    assert.equal(logged.filter((line) => line.includes('no message')).length, 2);
    assert.ok(!/open-sesame|hunter2/.test(logged.join()), logged.join('\n'));
  });
});
