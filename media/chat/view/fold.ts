import type { ComponentChildren, VNode } from 'preact';
import { el, icon, kept } from './dom.ts';

interface FoldProps {
  readonly className: string;
  /** Of its own on the page; whether it is open is remembered by it. */
  readonly name: string;
  readonly summary: ComponentChildren;
  readonly icon?: VNode;
  /** Drawn only while open. */
  readonly body: () => ComponentChildren;
}

/** A quiet row that opens downwards. */
export const Fold = ({ className, name, summary, icon: own, body }: FoldProps): VNode => kept(false, (open, set) =>
  el('div', { class: `fold ${className}` },
    el('button', { class: 'row', type: 'button', 'aria-expanded': open, 'aria-controls': `fold-${name}`, onClick: () => set(!open) },
      own ?? icon(open ? 'chevron-down' : 'chevron-right'),
      el('span', { class: 'summary' }, summary),
      own !== undefined && icon(open ? 'chevron-down' : 'chevron-right', 'twistie')),
    el('div', { class: 'fold-body', id: `fold-${name}`, hidden: !open }, open && body())), name);
