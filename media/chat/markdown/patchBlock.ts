import type { MarkedToken, Token, Tokens } from 'marked';
import { itemNode, rowNode } from './domRenderer.ts';

/**
 * Brings a list or a table that was drawn from one token to another that begins alike, so that a long one costs what was added to it and what is marked
 * in it stays marked. False, and nothing done, where it has to be drawn anew.
 */
export function patchBlock(node: Node | undefined, before: Token, after: Token): boolean {
  if (!(node instanceof HTMLElement)) return false;
  const [old, next] = [before as MarkedToken, after as MarkedToken];
  if (old.type === 'list' && next.type === 'list') return patchList(node, old, next);
  return old.type === 'table' && next.type === 'table' && patchTable(node, old, next);
}

function patchList(node: HTMLElement, old: Tokens.List, next: Tokens.List): boolean {
  // Whether an item holds paragraphs is decided by all of them.
  if (old.ordered !== next.ordered || old.start !== next.start || old.loose !== next.loose) return false;
  const same = common(old.items, next.items, (a, b) => a.raw === b.raw && a.loose === b.loose && a.task === b.task);
  replaceFrom(node, same, next.items.slice(same).map((item) => itemNode(item)));
  return true;
}

function patchTable(node: HTMLElement, old: Tokens.Table, next: Tokens.Table): boolean {
  const body = node.querySelector('tbody');
  const alike = (a: readonly Tokens.TableCell[], b: readonly Tokens.TableCell[]): boolean => a.length === b.length && common(a, b, (x, y) => x.text === y.text && x.align === y.align) === a.length;
  if (body === null || next.rows.length === 0 || !alike(old.header, next.header)) return false;
  const same = common(old.rows, next.rows, alike);
  replaceFrom(body, same, next.rows.slice(same).map((cells) => rowNode('td', cells)));
  return true;
}

function common<T>(a: readonly T[], b: readonly T[], alike: (a: T, b: T) => boolean): number {
  const at = a.findIndex((entry, index) => { const other = b[index]; return other === undefined || !alike(entry, other); });
  return at < 0 ? a.length : at;
}

function replaceFrom(parent: HTMLElement, from: number, nodes: readonly Node[]): void {
  for (const child of [...parent.children].slice(from)) child.remove();
  parent.append(...nodes);
}
