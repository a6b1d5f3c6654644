import { visibleLine, visibleText } from '../visibleText.ts';

/** A text as it is, in a fence longer than any run of backticks in it, so that nothing in it is taken for Markdown. */
export function fenced(text: string, info: string): string {
  const shown = visibleText(text);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${info}\n${shown}${shown.endsWith('\n') || shown === '' ? '' : '\n'}${fence}`;
}

/** A short text on the line it stands in, with everything that Markdown or HTML could act on taken for what it is. */
export const inline = (text: string): string => visibleLine(text).replace(/[\\`*_{}[\]<>()#+\-.!|~&:@]/g, '\\$&');

/** A short text as code on the line it stands in, also within a table. */
export function code(text: string): string {
  const shown = visibleLine(text).replaceAll('|', '\u2502');
  if (shown === '') return '—';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const room = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${ticks}${room}${shown}${room}${ticks}`;
}


/** Milliseconds as a time that means the same everywhere. */
export const time = (at: number | null): string => (at === null ? '—' : new Date(at).toISOString());
