/** One turn of the conversation as a model sees it, free of any wire format. */
export type ModelTurn = { readonly role: string; readonly text: string };

/** What the model answers. */
export type ModelPlan =
  | { readonly kind: 'text'; readonly parts: readonly string[]; readonly delayMs: number }
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** `hang`: says a little and never ends. `cut`: says a little and drops the line. `error`: drops the line at once. */
  | { readonly kind: 'hang' | 'cut' | 'error'; readonly parts: readonly string[]; readonly delayMs: number };

const shellTools = ['bash', 'Bash', 'run_shell_command', 'exec_command', 'shell_command', 'shell', 'execute', 'local_shell'];
const writeTools = ['write', 'Write', 'write_file', 'apply_patch', 'create_file'];
const editTools = ['edit', 'Edit', 'replace', 'apply_patch'];
const taskTools = ['Agent', 'Task', 'task'];
const readTools = ['read', 'Read', 'read_file', ...shellTools];

export const writtenText = 'hello from the model\n';

type Directive = { readonly op: string; readonly rest: string; readonly toolResults: readonly string[] };

/**
 * Decides the answer from the directive `FAKE:<op> …` in the newest user text:
 * `stream N SIZE [DELAY_MS]`, `shell CMD` (also `ask CMD`), `write PATH`, `edit PATH FIND => REPLACE`, `read PATH`,
 * `task TEXT` (a sub-agent that is told TEXT), `hang`, `cut`, `error`. After a tool's result it says `TOOL-DONE: …`.
 */
export function planAnswer(turns: readonly ModelTurn[], tools: readonly string[]): ModelPlan {
  const directive = newestDirective(turns);
  if (directive === null) return say('Hello', ' from', ' the scripted', ' model.');
  const { op, rest, toolResults } = directive;
  if (op === 'stream') return streamed(rest);
  // Agents ask for a title of the conversation too, with the same words and without tools.
  if (tools.length === 0) return say('A title');
  // Some agents refuse to edit a file that was not read before.
  const reads = op === 'edit' && tools.includes('Edit');
  const done = toolResults.at(-1);
  if (done !== undefined && toolResults.length > (reads ? 1 : 0)) return say('TOOL-DONE: ', done.slice(0, 200));
  if (reads && done === undefined) return toolCall('read', splitEdit(rest).path, tools);
  if (op === 'hang' || op === 'cut' || op === 'error') return { kind: op, parts: ['partial '], delayMs: 0 };
  return toolCall(op, rest, tools);
}

function newestDirective(turns: readonly ModelTurn[]): Directive | null {
  return turns.reduce<Directive | null>((found, { role, text }) => {
    if (role === 'tool') return found === null ? null : { ...found, toolResults: [...found.toolResults, text] };
    const match = role === 'user' ? [...text.matchAll(/FAKE:(\w+)[ \t]*([^\n<]*)/g)].at(-1) : undefined;
    return match === undefined ? found : { op: match[1] ?? '', rest: (match[2] ?? '').trim(), toolResults: [] };
  }, null);
}

function say(...parts: string[]): ModelPlan {
  return { kind: 'text', parts, delayMs: 0 };
}

function streamed(rest: string): ModelPlan {
  const [count = 10, size = 20, delayMs = 0] = rest.split(/\s+/).map(Number).filter((value) => !Number.isNaN(value));
  const parts = Array.from({ length: count }, (_, index) => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(Math.ceil(size / 20));
    return `${`${String(index)} ${filler}`.slice(0, Math.max(1, size - 1))}${index % 12 === 11 ? '\n' : ' '}`;
  });
  return { kind: 'text', parts, delayMs };
}

function toolCall(op: string, rest: string, tools: readonly string[]): ModelPlan {
  const candidates = { task: taskTools, write: [...writeTools, ...shellTools], edit: [...editTools, ...shellTools], read: readTools }[op] ?? shellTools;
  const name = candidates.find((candidate) => tools.includes(candidate));
  if (name === undefined) return say(`NO-TOOL among ${tools.join(',')}`);
  return { kind: 'tool', name, args: toolArguments(op, rest, name) };
}

function toolArguments(op: string, rest: string, name: string): Record<string, unknown> {
  if (op === 'task') return { description: 'Look into it', prompt: rest, subagent_type: name === 'task' ? 'general' : 'general-purpose' };
  if (op === 'write' || op === 'edit') return changeArguments(op, rest, name);
  if (op === 'read' && !shellTools.includes(name)) return pathArgument(name, rest);
  return shellArguments(name, op === 'read' ? `cat ${rest}` : rest);
}

function changeArguments(op: 'write' | 'edit', rest: string, name: string): Record<string, unknown> {
  const { path, find, replace } = splitEdit(rest);
  const patch = op === 'write' ? addFilePatch(rest) : updateFilePatch(path, find, replace);
  if (shellTools.includes(name)) return { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` };
  if (name === 'apply_patch') return { input: patch };
  if (op === 'write') return { ...pathArgument(name, rest), content: writtenText };
  const camel = isCamel(name);
  return { ...pathArgument(name, path), [camel ? 'oldString' : 'old_string']: find, [camel ? 'newString' : 'new_string']: replace };
}

/** Tools named in small letters take `filePath`, the others `file_path`; both refuse what they do not know. */
function pathArgument(name: string, path: string): Record<string, string> {
  return { [isCamel(name) ? 'filePath' : 'file_path']: path };
}

function isCamel(name: string): boolean {
  return ['write', 'edit', 'read'].includes(name);
}

function splitEdit(rest: string): { path: string; find: string; replace: string } {
  const [path = '', find = '', replace = ''] = /^(\S+)\s+(.*) => (.*)$/.exec(rest)?.slice(1) ?? [];
  return { path, find, replace };
}

function addFilePatch(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+${writtenText.trimEnd()}\n*** End Patch`;
}

/** Patches are about whole lines: FIND and REPLACE have to be whole lines for agents that patch. */
function updateFilePatch(path: string, find: string, replace: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${find}\n+${replace}\n*** End Patch`;
}

function shellArguments(name: string, command: string): Record<string, unknown> {
  if (name === 'shell') return { command: ['bash', '-lc', command] };
  if (name === 'exec_command') return { cmd: command };
  return { command, description: `run ${command}` };
}
