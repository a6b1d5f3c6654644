import { GLOBAL_OPTIONS, type Command, type OptionSpecs } from './command.ts';
import { accent, bold, dim, type Line } from './output/spans.ts';
import { displayWidth, padded } from './output/width.ts';

/** Columns of two, the first as wide as its widest. */
function rows(entries: readonly (readonly [string, string])[], width: number): Line[] {
  const left = Math.min(34, Math.max(0, ...entries.map(([name]) => displayWidth(name))) + 2);
  return entries.flatMap(([name, about]) => wrapped(about, Math.max(24, width - left - 2)).map((text, at): Line => ['  ', accent(padded(at === 0 ? name : '', left)), text]));
}

/** Breaks between words. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function optionRows(options: OptionSpecs, width: number): Line[] {
  return rows(Object.entries(options).map(([name, { short, value, about }]) => [`${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, about] as const), width);
}

export function generalHelp(commands: readonly Command[], width: number): Line[] {
  return [
    [bold('attache'), ' talks to the agent sessions of your editor windows from a terminal.'],
    [],
    [dim('Usage')],
    ['  attache <command> [arguments] [options]'],
    [],
    [dim('Commands')],
    ...rows(commands.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary] as const), width),
    [],
    [dim('Options of every command')],
    ...optionRows(GLOBAL_OPTIONS, width),
    [],
    ['Ids may be shortened to their first or last characters, as long as only one is meant.'],
    ['“attache <command> --help” says more about one command.'],
  ];
}

export function commandHelp({ name, usage, summary, about = [], options, examples }: Command, width: number): Line[] {
  return [
    [bold(`attache ${name}`), ` ${usage}`],
    [],
    ...[summary.endsWith('.') ? summary : `${summary}.`, ...about].flatMap((text) => wrapped(text, width).map((line): Line => [line])),
    ...(Object.keys(options).length === 0 ? [] : [[], [dim('Options')], ...optionRows(options, width)]),
    [],
    [dim('Examples')],
    ...examples.map((example): Line => [`  ${example}`]),
    [],
    [dim('“attache --help” lists the options of every command.')],
  ];
}
