import assert from 'node:assert/strict';
import type { TerminalStep } from './fakeScript.ts';

export type Program = Pick<TerminalStep, 'command' | 'args'>;

/** A command with the whole output and the end that are told to the agent. */
export interface CommandCase {
  readonly step: TerminalStep;
  readonly output: string;
  readonly exitCode: number;
  /** What the transcript shows where that is more. */
  readonly shown?: string;
}

/** Node running a script. `program`: where this process is no Node itself, as in the editor. */
export const node = (script: string, program = process.execPath): Program => ({ command: program, args: ['-e', script] });

const MEGABYTE = '0123456789abcde\n'.repeat(65_536);

/** C25: short, chained, multi-line, long, failing and reading commands. */
export const commandCases = (program?: string): readonly CommandCase[] => [
  { step: { command: 'printf ok' }, output: 'ok', exitCode: 0 },
  { step: { command: 'true' }, output: '', exitCode: 0 },
  { step: { command: "mkdir -p src && cd src && printf '✅ done'" }, output: '✅ done', exitCode: 0 },
  { step: node('console.log(1)\nconsole.log("zwei 😀")\nconsole.log(3)', program), output: '1\nzwei 😀\n3\n', exitCode: 0 },
  { step: node("process.stdout.write('0123456789abcde\\n'.repeat(65536))", program), output: MEGABYTE, exitCode: 0 },
  { step: { command: 'echo out; exit 7' }, output: 'out\n', exitCode: 7 },
  { step: { command: 'cat; read x; echo "read: $?"' }, output: 'read: 1\n', exitCode: 0 },
  { step: { command: "printf 'é€😀é€😀'", outputByteLimit: 10 }, output: 'é€😀', exitCode: 0, shown: 'é€😀é€😀' },
];

/** C26: five hundred frames of a coloured progress bar, a title and a link, and what is left of them to be read. */
export const PROGRESS_BAR = String.raw`let i = 0; const t = setInterval(() => {
  process.stdout.write('\r\x1b[2K\x1b[32m[##   ] ' + (++i) + '%\x1b[0m');
  if (i < 500) return;
  clearInterval(t);
  process.stdout.write('\n\x1b]0;title\x07\x1b]8;;http://x.test\x1b\\link\x1b]8;;\x1b\\ \x1b[31mdone\n');
}, 2);`;
export const PROGRESS_BAR_SHOWN = '[##   ] 500%\nlink done\n';

/** C25: another program's own terminal, where a program that reads waits for a person; without one its input is at its end. Linux. */
export const READS_FROM_TERMINAL = 'sleep 600 | script -qfc "echo Name:; cat" /dev/null';

/** What the transcript shows of an output: all of it, or its beginning and end with the number of characters between them. */
export function assertShown(text: string, output: string, cut: number): void {
  if (cut === 0) return assert.ok(text === output, text.slice(0, 200));
  const [head = '', tail = ''] = text.split(`\n… ${cut} characters left out …\n`);
  assert.ok(head !== '' && tail !== '' && output.startsWith(head) && output.endsWith(tail), `${head.length} and ${tail.length} characters of the output`);
  assert.equal(head.length + cut + tail.length, output.length);
}
