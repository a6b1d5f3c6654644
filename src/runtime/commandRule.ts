import { commandText } from './commandText.ts';
import { redactSecrets } from '../base/redact.ts';

/** What a person allowed for good: exactly these words, or every command that begins with them. */
export interface CommandRule {
  readonly match: 'exact' | 'prefix';
  readonly argv: readonly string[];
}

/** A command as it was shown and is to be run. */
export interface RuledCommand {
  /** The line that the approval shows. */
  readonly command: string;
  /** Names of the variables it changes. */
  readonly envNames: readonly string[];
}

export type ShellKind = 'posix' | 'windows';

const maxLine = 8_192;
const maxWords = 200;
// What no shell gives a meaning to, wherever it stands in a word.
const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/;
// Quoted as a whole and without anything that is still live between the quotes.
const quotedWord = /^(?:'([^']*)'|"([^"$`\\!]*)")$/;
// Control, formatting and private characters, half characters, and every blank that is none to a shell.
const unseen = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** Words that begin something other than a simple command. */
const reserved: ReadonlySet<string> = new Set([
  'if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'case', 'esac', 'while', 'until', 'for', 'in', 'select', 'function', 'time', 'coproc', 'repeat', 'foreach', 'end', 'nocorrect', 'noglob',
]);

/** What runs other commands, or text as a program: any word behind it can do anything. */
const carriers: ReadonlySet<string> = new Set([
  'eval', 'exec', 'command', 'builtin', 'source', '.', 'trap', 'alias', 'cd', 'set', 'env', 'sudo', 'doas', 'su', 'runuser', 'chroot', 'nohup', 'nice', 'ionice', 'timeout', 'time', 'stdbuf', 'setsid',
  'unshare', 'nsenter', 'flock', 'watch', 'xargs', 'parallel', 'find', 'fd', 'script', 'strace', 'ltrace', 'gdb', 'ssh', 'docker', 'podman', 'kubectl', 'busybox', 'toybox', 'entr', 'expect', 'screen', 'tmux',
  'sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'fish', 'csh', 'tcsh', 'pwsh', 'powershell', 'cmd', 'osascript', 'awk', 'gawk', 'mawk', 'sed', 'perl', 'ruby', 'python', 'node', 'nodejs', 'deno', 'bun', 'php', 'lua',
  'tclsh', 'vi', 'vim', 'nvim', 'emacs', 'ed', 'ex', 'npx', 'pnpx', 'bunx', 'uvx', 'dlx', 'systemd-run', 'at', 'batch', 'crontab', 'make', 'tar', 'rsync',
]);

/**
 * The argument vector that a POSIX shell would make of a line, or null unless the line is one single simple command in which
 * every word stands for itself: no chain, substitution, redirection, second line, assignment, expansion, or half-quoted word.
 * What Windows' shells make of a line is not known, so there it is always null.
 */
export function parseSimpleCommand(line: string, shell: ShellKind): readonly string[] | null {
  if (shell !== 'posix' || line.length > maxLine || unseen.test(line)) return null;
  const argv: string[] = [];
  for (let rest = line.trim(); rest !== ''; ) {
    const word = /^(?:'[^']*'|"[^"]*"|[^ '"]+)(?= |$)/.exec(rest)?.[0];
    const meant = word === undefined ? null : literal(word);
    if (word === undefined || meant === null || argv.length >= maxWords) return null;
    if (argv.length === 0 && !isProgram(word)) return null;
    argv.push(meant);
    rest = rest.slice(word.length).trimStart();
  }
  return argv.length === 0 ? null : argv;
}

function literal(word: string): string | null {
  if (plainWord.test(word)) return word;
  const quoted = quotedWord.exec(word);
  return quoted === null ? null : (quoted[1] ?? quoted[2] ?? '');
}

/** Never quoted, never an assignment, never a word of the shell's own language, never an option or a job. */
const isProgram = (word: string): boolean => /^[A-Za-z0-9_./@+][A-Za-z0-9_@+:,./-]*$/.test(word) && !reserved.has(word);

/** True when the rule, and nothing but the rule, allows this command. */
export function matchesCommandRule(rule: CommandRule, asked: RuledCommand, shell: ShellKind): boolean {
  if (asked.envNames.length > 0 || rule.argv.length === 0) return false;
  const argv = parseSimpleCommand(asked.command, shell);
  if (argv === null || argv.length < rule.argv.length) return false;
  if (rule.match === 'exact' ? argv.length !== rule.argv.length : !mayBePrefix(rule.argv)) return false;
  return rule.argv.every((word, index) => word === argv[index]);
}

/** A prefix states what is run only when its program does not run what comes behind it. */
const mayBePrefix = (argv: readonly string[]): boolean => {
  const program = (argv[0] ?? '').split('/').at(-1) ?? '';
  return !carriers.has(program) && !carriers.has(program.replace(/[\d.]+$/, ''));
};

/** The rules that may be offered for a command, the narrowest first. None for one that could never match, or that shows a secret. */
export function offeredCommandRules(asked: RuledCommand, shell: ShellKind): readonly CommandRule[] {
  const argv = asked.envNames.length > 0 ? null : parseSimpleCommand(asked.command, shell);
  if (argv === null || redactSecrets(asked.command) !== asked.command) return [];
  const exact: CommandRule = { match: 'exact', argv };
  // `npm test …` is a statement, `npm …` would be a blank cheque.
  const stated = argv.slice(0, 2);
  const isSubcommand = argv.length >= 2 && /^[A-Za-z][\w:-]*$/.test(stated[1] ?? '');
  return isSubcommand && mayBePrefix(stated) ? [exact, { match: 'prefix', argv: stated }] : [exact];
}

/** The rule in the words of a shell, as lists and requests show it. */
export const commandRuleText = ({ match, argv }: CommandRule): string => `${commandText(argv)}${match === 'prefix' ? ' …' : ''}`;
