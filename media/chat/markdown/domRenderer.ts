import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from './entities.ts';
import { checkbox, codeBlock, codeText, image, inlineCode, link, make, words } from './inertNodes.ts';

// Deeper than anybody reads; below it the text stands as it was written.
const MAX_DEPTH = 60;

/** What a token stands in. */
interface Place {
  readonly depth: number;
  /** A link in a link would be pressed with it. */
  readonly inLink: boolean;
}

const TOP: Place = { depth: 0, inLink: false };

/** One token of the parser as nodes. Every element is one of those named here: no text of an agent is ever parsed as HTML, nor becomes an attribute that does anything. */
export function nodesOf(token: Token, at: Place = TOP): Node[] {
  if (at.depth > MAX_DEPTH) return words(token.raw);
  const known = token as MarkedToken;
  return blockOf(known, at) ?? inlineOf(known, at) ?? words(token.raw);
}

const allOf = (tokens: readonly Token[] | undefined, { depth, inLink }: Place): Node[] => (tokens ?? []).flatMap((token) => nodesOf(token, { depth: depth + 1, inLink }));

function blockOf(token: MarkedToken, at: Place): Node[] | null {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'paragraph':
      return [prose('p', allOf(token.tokens, at))];
    case 'heading':
      return [heading(token, at)];
    case 'code':
      // The parser marks an empty last line by one more line break.
      return [codeBlock(token.text.replace(/\n$/, ''), /^[\w+#.-]{1,30}/.exec(token.lang ?? '')?.[0] ?? '')];
    case 'blockquote':
      return [prose('blockquote', allOf(token.tokens, at))];
    case 'list':
      return [list(token, at)];
    case 'table':
      return [table(token, at)];
    case 'hr':
      return [make('hr')];
    case 'html':
      return html(token);
    default:
      return null;
  }
}

function inlineOf(token: MarkedToken, at: Place): Node[] | null {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? words(token.escaped === true ? token.text : decodeEntities(token.text)) : allOf(token.tokens, at);
    case 'escape':
      return words(token.text);
    case 'strong':
    case 'em':
    case 'del':
      return [make(token.type, '', ...allOf(token.tokens, at))];
    case 'codespan':
      return [at.inLink ? make('code', '', ...codeText(token.text)) : inlineCode(token.text)];
    case 'br':
      return [make('br')];
    case 'checkbox':
      return [checkbox(token.checked)];
    case 'link':
      return [link(addressOf(token.href), token.autolink === true ? words(token.text) : allOf(token.tokens, { ...at, inLink: true }))];
    case 'image':
      return [image(decodeEntities(token.href), decodeEntities(token.text))];
    default:
      return null;
  }
}

/** Looks as the agent meant it and stands, for who hears it, below the heading of its turn. */
function heading({ depth, tokens }: Tokens.Heading, at: Place): HTMLElement {
  const element = prose(`h${depth}` as 'h1', allOf(tokens, at));
  element.setAttribute('aria-level', String(Math.min(6, depth + 2)));
  return element;
}

/** What an agent writes as HTML is shown as it was written. */
function html(token: Tokens.HTML | Tokens.Tag): Node[] {
  if (/^<br\s*\/?>$/i.test(token.text.trim())) return [make('br')];
  if (!token.block) return words(token.text);
  const block = prose('p', words(token.text.trimEnd()));
  block.className = 'plain-text';
  return [block];
}

function prose<T extends keyof HTMLElementTagNameMap>(tag: T, children: readonly Node[]): HTMLElementTagNameMap[T] {
  const element = make(tag, '', ...children);
  element.dir = 'auto';
  return element;
}

function list({ ordered, start, items }: Tokens.List, at: Place): HTMLElement {
  const element = make(ordered ? 'ol' : 'ul', '', ...items.map((item) => itemNode(item, at)));
  if (ordered && start !== 1) element.setAttribute('start', String(start));
  return element;
}

export const itemNode = ({ tokens }: Tokens.ListItem, at: Place = TOP): HTMLElement => prose('li', allOf(tokens, at));

/** Scrolls by itself where it is wider than the page. */
function table({ header, rows }: Tokens.Table, at: Place): HTMLElement {
  const body = rows.length === 0 ? [] : [make('tbody', '', ...rows.map((cells) => rowNode('td', cells, at)))];
  const frame = make('div', 'table-scroll', make('table', '', make('thead', '', rowNode('th', header, at)), ...body));
  frame.tabIndex = 0;
  return frame;
}

export const rowNode = (tag: 'th' | 'td', cells: readonly Tokens.TableCell[], at: Place = TOP): HTMLElement => make('tr', '', ...cells.map((cell) => {
  const element = prose(tag, allOf(cell.tokens, at));
  if (cell.align !== null) element.align = cell.align;
  return element;
}));

/** An address as the browser would send it, so that two that look alike are told apart. */
function addressOf(href: string): string {
  const written = decodeEntities(href);
  try {
    return encodeURI(written).replaceAll('%25', '%');
  } catch {
    return written;
  }
}
