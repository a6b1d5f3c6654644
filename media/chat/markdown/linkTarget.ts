/** Where a link in an agent's text leads, as far as the page lets it lead anywhere. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly href: string }
  | { readonly kind: 'file'; readonly path: string; readonly place: FilePlace }
  | { readonly kind: 'none' };

/** A place in a file, counted from 1. All but `line` mean nothing without it. */
export interface FilePlace {
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
}

const NONE: LinkTarget = { kind: 'none' };
const WEB = /^(?:https?:\/\/|mailto:)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
// A name of a machine would be contacted just by opening the path.
const LOCAL_FILE = /^file:\/\/(?:localhost)?\//i;
// file:///C:/a.ts is C:/a.ts.
const URI_DRIVE = /^\/(?=[a-z]:[\\/])/i;
const WINDOWS_DRIVE = /^[a-z]:[\\/]/i;
// #L3, #L3-L5, #L3C2-L5C7, :3, :3:2, :3-5
const LINE = /(?:#L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?|:(\d{1,9})(?::(\d{1,9})|-(\d{1,9}))?)$/i;
// A name with a line, such as cart.ts:12, looks like a scheme but is none.
const FILE_AND_LINE = /^(?!(?:tel|sms|callto):)[\w@.-]+:\d+(?:[:-]\d+)?$/i;

/** Web links and file paths lead somewhere; command:, javascript:, data: and every other scheme do not. */
export function linkTarget(raw: string): LinkTarget {
  const href = raw.trim();
  if (href === '' || href.startsWith('#') || href.length > 4096) return NONE;
  if (WEB.test(href)) return isWhole(href) ? { kind: 'web', href } : NONE;
  if (LOCAL_FILE.test(href)) return fileTarget(href.replace(LOCAL_FILE, '/'));
  if (FILE_AND_LINE.test(href) || WINDOWS_DRIVE.test(href)) return fileTarget(href);
  if (SCHEME.test(href) || href.startsWith('//') || href.startsWith('\\\\')) return NONE;
  return fileTarget(href);
}

function isWhole(href: string): boolean {
  return URL.canParse(href);
}

function fileTarget(text: string): LinkTarget {
  const match = LINE.exec(text);
  // Only then: an encoded # or : belongs to the name.
  const path = decoded(match === null ? text : text.slice(0, match.index)).replace(URI_DRIVE, '');
  if (path === '' || path.includes('\0')) return NONE;
  return { kind: 'file', path, place: match === null ? {} : placeOf(match) };
}

function placeOf([, hashLine, hashEnd, line = hashLine, column, end = hashEnd]: RegExpExecArray): FilePlace {
  const numbers = { line, column, endLine: end };
  return Object.fromEntries(Object.entries(numbers).flatMap(([name, digits]) => (digits === undefined ? [] : [[name, Number(digits)]])));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
