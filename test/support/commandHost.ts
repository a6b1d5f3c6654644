// Starts two commands that would run for ten minutes, and waits to be killed.
import { createProcessTools } from '../../src/execution/processTools.ts';
import { runCommand } from '../../src/execution/terminals.ts';
import { realClock } from './realClock.ts';

const cwd = process.argv[2] ?? '.';
const tools = createProcessTools(realClock);
for (const command of ['trap "" TERM; echo $$ > orphan.pid; sleep 600; sleep 600', 'setsid sh -c "echo \\$\\$ > stray.pid; exec sleep 600" & wait']) {
  await runCommand({ command, args: null, cwd, env: {}, outputBytes: 1000 }, tools);
}
setInterval(() => undefined, 60_000);
