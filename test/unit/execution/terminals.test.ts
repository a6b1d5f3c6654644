import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandSpec, RunningCommand } from '../../../src/execution/plane.ts';
import { createProcessTools } from '../../../src/execution/processTools.ts';
import { ProcessTree } from '../../../src/execution/processTree.ts';
import { runCommand } from '../../../src/execution/terminals.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { isAlive, processesWith } from '../../support/processes.ts';
import { realClock } from '../../support/realClock.ts';
import { scratchFolder, type ScratchFolder } from '../../support/scratchFolder.ts';

describe('terminals', function () {
  this.timeout(30_000);
  const tools = createProcessTools(realClock);
  let scratch: ScratchFolder;

  before(async () => {
    scratch = await scratchFolder();
  });
  after(() => scratch.remove());

  const spec = (command: string, change: Partial<CommandSpec> = {}): CommandSpec => ({
    command, args: null, cwd: scratch.path, env: {}, outputBytes: 4 * 1024 * 1024, ...change,
  });

  async function run(command: string, change: Partial<CommandSpec> = {}): Promise<{ text: string; truncated: boolean; code: number | null; settled: string }> {
    const running = await runCommand(spec(command, change), tools);
    let settled = '';
    running.onSettled((piece) => { settled += piece; });
    const exit = await running.exited;
    const { text, truncated } = running.output();
    return { text, truncated, code: exit.exitCode, settled };
  }


  /** The number a command has written into a file of its folder. */
  async function pidIn(name: string): Promise<number> {
    const path = join(scratch.path, name);
    await eventually('the number of the command', async () => (await readFile(path, 'utf8').catch(() => '')).endsWith('\n'));
    return Number(await readFile(path, 'utf8'));
  }

  it('C25 full output and the right code, every time', async () => {
    for (let round = 0; round < 5; round += 1) {
      assert.deepEqual(await run('printf ok'), { text: 'ok', truncated: false, code: 0, settled: 'ok' });
      assert.deepEqual(await run('true'), { text: '', truncated: false, code: 0, settled: '' });
      assert.equal((await run('mkdir -p src && cd src && printf "✅ done"')).text, '✅ done');
      assert.equal((await run('echo out; echo err >&2; exit 7')).code, 7);
    }
  });

  it('C25 an argument vector is run as it is', async () => {
    const script = 'const a = "$HOME"\nconsole.log(a,\n  process.argv[1])';
    assert.equal((await run(process.execPath, { args: ['-e', script, 'x y'] })).text, '$HOME x y\n');
  });

  it('C25 a command that reads its input finds the end of it', async () => {
    assert.deepEqual(await run('cat; read x; echo "code $?"'), { text: 'code 1\n', truncated: false, code: 0, settled: 'code 1\n' });
  });

  it('C25 one megabyte at once is all there', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { text, truncated, settled } = await run(`${process.execPath} -e "process.stdout.write('0123456789abcde\\n'.repeat(65536))"`);
      assert.equal(text.length, 1024 * 1024);
      assert.equal(truncated, false);
      assert.equal(settled, text);
    }
  });

  it('C25 the byte limit cuts between characters and says so', async () => {
    const { text, truncated } = await run('i=0; while [ $i -lt 100 ]; do printf "é€😀\n"; i=$((i+1)); done', { outputBytes: 101 });
    assert.equal(truncated, true);
    assert.ok(Buffer.byteLength(text) <= 101);
    assert.ok('é€😀\n'.repeat(20).endsWith(text));
  });

  it('C26 progress ends as its last state', async () => {
    const { text } = await run(String.raw`i=0; while [ $i -lt 500 ]; do printf '\r\033[2K[##] %s%%' $i; i=$((i+1)); done; printf '\ndone\n'`);
    assert.equal(text, '[##] 499%\ndone\n');
  });

  it('what cannot be started is refused with its name', async () => {
    await assert.rejects(runCommand(spec('/no/such/program', { args: [] }), tools),
      (error) => error instanceof AttacheError && error.kind === 'execution_unavailable' && error.message.includes('/no/such/program'));
  });

  it('the environment is added, and what only concerns an editor is not inherited', async () => {
    process.env['VSCODE_PID'] = '1';
    try {
      assert.equal((await run('echo "$GIVEN-$VSCODE_PID-$PATH"', { env: { GIVEN: 'yes' } })).text, `yes--${process.env['PATH'] ?? ''}\n`);
    } finally {
      delete process.env['VSCODE_PID'];
    }
  });

  it('C24 a loop that ignores SIGINT and SIGTERM is ended, and its file stops growing', async () => {
    const running = await runCommand(spec('trap "" INT TERM; while true; do echo tick >> tick.log; sleep 0.05; done'), tools);
    const size = async (): Promise<number> => (await stat(join(scratch.path, 'tick.log')).catch(() => null))?.size ?? 0;
    await eventually('something to be written', async () => (await size()) > 0);
    await running.kill();
    const ended = await size();
    await delay(300);
    assert.equal(await size(), ended);
    assert.equal((await running.exited).signal, 'SIGKILL');
  });

  it('C24 a command that listens to SIGTERM ends by itself', async () => {
    const running = await runCommand(spec('trap "echo bye; exit 3" TERM; echo ready; while true; do sleep 0.05; done'), tools);
    await eventually('it to be ready', () => running.output().text.includes('ready'));
    await running.kill();
    assert.match(running.output().text, /bye\n$/);
    assert.deepEqual(running.output().exit, { exitCode: 3, signal: null });
  });

  it('C24 killing ends children in the background, also one that left the group', async () => {
    const running = await runCommand(spec('sleep 600 & echo $! > group.pid; setsid sh -c "echo \\$\\$ > own.pid; exec sleep 600" & wait'), tools);
    const pids = [await pidIn('group.pid'), await pidIn('own.pid')];
    await running.kill();
    await eventually('all of them to end', () => pids.every((pid) => !isAlive(pid)));
  });

  it('C24 killing ends what a shell wraps: shells in shells, and one that forked twice, left session and group, and ignores SIGTERM', async () => {
    const deep = 'trap "" TERM; sh -c "trap \"\" TERM; echo \\$\\$ > deep.pid; while :; do sleep 1; done"';
    const running = await runCommand(spec(`sh -c 'sh -c "echo \$\$ > wrapped.pid; sleep 600; true"; true' & setsid sh -c '(${deep.replaceAll("'", "'\\''")}) &' ; wait`), tools);
    const pids = [await pidIn('wrapped.pid'), await pidIn('deep.pid')];
    assert.ok(pids.every(isAlive));
    await running.kill();
    assert.deepEqual(pids.filter(isAlive), []);
  });

  it('C25 a process that reads from a terminal is seen to wait, one that reads its input, sleeps or works is not', async () => {
    const waits = async (command: string, looks: number): Promise<boolean> => {
      const running = await runCommand(spec(command), tools);
      for (let n = 0; n < looks && !(await running.waitsForInput()); n += 1) await delay(25);
      const result = await running.waitsForInput();
      await running.kill();
      assert.equal(await running.waitsForInput(), false);
      return result;
    };
    assert.deepEqual([await waits('sleep 600', 4), await waits('while :; do :; done', 4), await waits('sleep 600 | cat', 4)], [false, false, false]);
    if (process.platform === 'linux') assert.equal(await waits('sleep 600 | script -qfc cat /dev/null', 200), true);
  });

  it('C24 a background job does not keep the command from ending, and is known to be left over', async () => {
    const running: RunningCommand = await runCommand(spec('sleep 600 & echo $! > job.pid; echo started'), tools);
    assert.deepEqual(await running.exited, { exitCode: 0, signal: null });
    assert.equal(running.output().text, 'started\n');
    assert.equal(await running.hasLeftovers(), true);
    const job = await pidIn('job.pid');
    await running.kill();
    await eventually('the job to end', () => !isAlive(job));
    assert.equal(await running.hasLeftovers(), false);
  });

  it('C24 a background job that writes for ever does not keep the command from ending', async () => {
    const running = await runCommand(spec('yes & echo started'), tools);
    await running.exited;
    await running.kill();
  });

  it('C23 a process that is killed outright leaves none of its commands behind', async () => {
    const host = spawn(process.execPath, [join(import.meta.dirname, '../../support/commandHost.ts'), scratch.path], { stdio: 'ignore' });
    const pids = [await pidIn('orphan.pid'), await pidIn('stray.pid')];
    assert.ok(pids.every(isAlive));
    host.kill('SIGKILL');
    await once(host, 'exit');
    await eventually('all of them to end', () => pids.every((pid) => !isAlive(pid)));
  });

  it('B8 many starts and ends at once leave nothing behind', async () => {
    const own = createProcessTools(realClock);
    const name = `b8-${String(process.pid)}`;
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(Array.from({ length: 15 }, async () => {
        const owned = await own.start({ command: '/bin/sh', args: ['-c', `sleep 600 & exec sleep 600 # ${name}`], cwd: scratch.path, env: { MARK: name }, stdin: 'pipe' });
        await owned.kill();
      }));
    }
    assert.deepEqual(processesWith(`MARK=${name}`), []);
  });

  it('B8 a number that was given to somebody else’s process in the meantime is not ended', async () => {
    const foreign = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
    try {
      await once(foreign, 'spawn');
      // As a tree stands whose first process has ended: its number is all that it shares with this one.
      const tree = new ProcessTree(foreign.pid!, 'ATTACHE_PROCESS_TREE=of-another-time.1.', realClock);
      assert.equal(await tree.isAlive(), false);
      await tree.kill();
      assert.equal(await tree.killSince(0), 0);
      assert.equal(isAlive(foreign.pid!), true);
    } finally {
      foreign.kill('SIGKILL');
    }
  });
});
