/** A piece of text, or the name of a character that must be seen instead of obeyed. */
export interface Segment {
  readonly text: string;
  readonly mark: boolean;
}

// Bidirectional marks, overrides and isolates, zero-width and other invisible characters, and control characters but tab and line
// break. The joiner inside an emoji is part of its picture.
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u180E\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]|(?<!\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D|[\u{E0000}-\u{E007F}]/gu;
// In prose joiners and marks are honest spelling; what reorders the words around it is not.
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/gu;

/** Splits code, a path or a command so that characters which could reorder or hide it are shown by their number. */
export const showHidden = (text: string): Segment[] => split(text, HIDDEN);

/** The same for words, where only what reorders is shown. */
export const showReordering = (text: string): Segment[] => split(text, REORDERING);

function split(text: string, pattern: RegExp): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) segments.push({ text: text.slice(from, match.index), mark: false });
    const code = match[0].codePointAt(0) ?? 0;
    segments.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, mark: true });
    from = match.index + match[0].length;
  }
  if (from < text.length || segments.length === 0) segments.push({ text: text.slice(from), mark: false });
  return segments;
}

/** The beginning and the end of long output, and how many lines are left out between them. */
export interface Folded {
  readonly head: string;
  readonly hidden: number;
  readonly tail: string;
}

export function foldLines(text: string, headLines: number, tailLines: number): Folded {
  const end = text.endsWith('\n') ? text.length - 1 : text.length;
  const lines = countLines(text.slice(0, end));
  // A fold that hides two lines or fewer costs more than it saves.
  if (lines <= headLines + tailLines + 2) return { head: text.slice(0, end), hidden: 0, tail: '' };
  let [from, to] = [-1, end];
  for (let n = 0; n < headLines; n += 1) from = text.indexOf('\n', from + 1);
  for (let n = 0; n < tailLines; n += 1) to = text.lastIndexOf('\n', to - 1);
  return { head: text.slice(0, from), hidden: lines - headLines - tailLines, tail: text.slice(to + 1, end) };
}

/** How many, with the one that has no end yet. Without making them: output of a running command is counted with each frame. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The last part of a path, for a label; the whole path belongs in the title. */
export function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? path;
}

export function firstLine(text: string, limit = 120): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
