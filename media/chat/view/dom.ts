import { type AllHTMLAttributes, Component, type ComponentChildren, type ComponentType, type VNode, createContext, h } from 'preact';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import type { Actions } from '../actions.ts';
import type { Pictures } from '../composer/pictures.ts';

type DataAttributes = { readonly [name: `data-${string}`]: string | number | boolean | undefined };
type ElementAttributes<E extends HTMLElement> = Omit<AllHTMLAttributes<E>, 'key' | 'ref'> & DataAttributes & {
  readonly key?: string | number;
  readonly ref?: ((element: E | null) => void) | { current: E | null };
};

/** One HTML element. Text is always text: there is no way to give it markup. */
export function el<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: ElementAttributes<HTMLElementTagNameMap[T]> | null,
  ...children: ComponentChildren[]
): VNode {
  return h(tag as string, attributes as AllHTMLAttributes<HTMLElement>, ...children) as VNode;
}

/** A part of the page with what it is drawn from. */
export const draw = <P>(component: ComponentType<P>, props: P & { readonly key?: string | number }): VNode => h(component as ComponentType<unknown>, props) as VNode;

/** A codicon. It says nothing to a screen reader: the words beside it do. */
export function icon(name: string, extra = ''): VNode {
  const spin = name === 'loading' ? ' codicon-modifier-spin' : '';
  return el('span', { class: `codicon codicon-${name}${spin}${extra === '' ? '' : ` ${extra}`}`, 'aria-hidden': 'true' });
}

type ButtonAttributes = Omit<ElementAttributes<HTMLButtonElement>, 'class' | 'type' | 'onClick'>;

/** A button that looks like a link. */
export const linkButton = (label: ComponentChildren, onClick: () => void, more: ButtonAttributes = {}): VNode =>
  el('button', { class: 'link', type: 'button', onClick, ...more }, label);

/** A button that is only a picture: its words are its name and its hint. */
export const iconButton = (name: string, words: string, onClick: ElementAttributes<HTMLButtonElement>['onClick'], more: ButtonAttributes = {}): VNode =>
  el('button', { class: 'icon-button', type: 'button', title: words, 'aria-label': words, onClick, ...more }, icon(name));

/** A button with a frame. */
export const pushButton = (look: 'primary' | 'secondary' | 'primary small' | 'secondary small', label: ComponentChildren, onClick: () => void, more: ButtonAttributes = {}): VNode =>
  el('button', { class: `button ${look}`, type: 'button', onClick, ...more }, label);

const focused = new WeakSet<HTMLElement>();

/** For a field that a person asked for: it has the focus once it is there, and only then. */
export function focusOnce(element: HTMLElement | null): void {
  if (element === null || focused.has(element)) return;
  focused.add(element);
  element.focus();
}

/** Words for screen readers only. */
export const spoken = (text: string): VNode => el('span', { class: 'spoken' }, text);

/** What every part of the page needs to know besides its own data. */
export interface Surroundings {
  readonly actions: Actions;
  readonly pictures: Pictures;
  readonly windowClientId: string;
  readonly windowId: string;
  readonly agentLabel: string;
  readonly retrying: ReadonlySet<string>;
  readonly deciding: ReadonlyMap<string, string>;
  /** Every request that waits, oldest first. */
  readonly pending: readonly string[];
  readonly marked: string | null;
  /** Of requests that wait, by their ids: the hunks that are left out, as `change.hunk`. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
}

/** A part whose `contextType` this is gets them as its second argument, and is drawn anew whenever they change. */
export const SurroundingsContext = createContext<Surroundings | null>(null);

/** The turn around a part. */
export const TurnContext = createContext<Turn | null>(null);

interface KeptProps<S> {
  readonly name: string | undefined;
  readonly first: S;
  readonly body: (value: S, set: (value: S) => void) => VNode;
}

/** What a person opened or closed, by the name of the part: it is drawn again when they come back to it. */
const remembered = new Map<string, unknown>();

class Kept<S> extends Component<KeptProps<S>, { value: S }> {
  override state = { value: recall(this.props) };

  override render({ body, name }: KeptProps<S>, { value }: { value: S }): VNode {
    return body(value, (next) => {
      if (name !== undefined) remembered.set(name, next);
      this.setState({ value: next });
    });
  }
}

const recall = <S>({ name, first }: KeptProps<S>): S => (name !== undefined && remembered.has(name) ? (remembered.get(name) as S) : first);

/** A part with a value of its own, which lives as long as it is shown, or as the page when it has a name. (`preact/hooks` can do more, and weighs it.) */
export const kept = <S>(first: S, body: KeptProps<S>['body'], name?: string): VNode => draw(Kept<S>, { first, body, name });
