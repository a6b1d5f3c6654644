import type { VNode } from 'preact';
import type { MentionEntry } from '../../../src/protocol/panelAttachment.ts';
import type { AgentCommand } from '../../../src/protocol/session/state.ts';
import type { MentionList } from '../composer/mentions.ts';
import { t } from '../l10n.ts';
import { el, icon, spoken } from './dom.ts';

const MAX_SHOWN = 50;

/** One thing that may be put into the message. */
interface Offer {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  /** A codicon; null: the label is what would be typed. */
  readonly icon: string | null;
  readonly take: () => void;
}

/** The list that belongs to what is being written; null when nothing is offered. */
export interface Suggestions {
  readonly list: VNode;
  /** For the text field: which list is its own and which entry is marked. */
  readonly field: { readonly 'aria-autocomplete': 'list'; readonly 'aria-controls': string; readonly 'aria-activedescendant'?: string };
  /** True when the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Commands whose name begins with what stands after a slash that begins the text. */
export function matching(commands: readonly AgentCommand[], text: string): AgentCommand[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  return typed === undefined ? [] : commands.filter(({ name }) => name.toLowerCase().startsWith(typed)).slice(0, MAX_SHOWN);
}

/** Which entry is marked, while this is being written. */
export interface Place {
  readonly text: string;
  /** Of the entry; null: the first. */
  readonly key: string | null;
  /** A person walked to it, or closed the list. */
  readonly moved: boolean;
  readonly closed: boolean;
}

/** What the list is made from: what is being written and where a person is in it. */
interface SuggestionParts {
  readonly commands: readonly AgentCommand[];
  readonly text: string;
  readonly mention: MentionList | null;
  readonly place: Place | null;
  readonly setPlace: (place: Place) => void;
  readonly choose: (text: string) => void;
  readonly take: (entry: MentionEntry) => void;
  readonly close: () => void;
}

/** Offers the agent's commands while a message that is one is being written, and what an `@` may mean. Another text begins anew. */
export function suggestions(parts: SuggestionParts): Suggestions | null {
  const { commands, text, mention } = parts;
  if (mention !== null) return mentions(parts, mention);
  const found = matching(commands, text);
  const offers = found.map(({ name, description, hint }): Offer => ({
    key: name, label: `/${name}`, detail: hint === undefined ? description : `${hint} · ${description}`, icon: null, take: () => parts.choose(`/${name} `),
  }));
  const place = placeOf(parts, text);
  if (offers.length === 0 || place.closed) return null;
  // A command that is written out is sent, not completed.
  const isWhole = found.some(({ name }) => `/${name}` === text);
  return listOf({ id: 'commands', label: t('Commands'), offers, place, setPlace: parts.setPlace, close: () => parts.setPlace({ ...place, closed: true }), leavesEnter: isWhole, note: null });
}

function mentions(parts: SuggestionParts, { start, query, entries, done }: MentionList): Suggestions | null {
  const offers = entries.slice(0, MAX_SHOWN).map((entry): Offer => ({ key: JSON.stringify(entry.ref), label: entry.label, detail: entry.detail, icon: entry.icon, take: () => parts.take(entry) }));
  const place = placeOf(parts, `@${start} ${query}`);
  const note = offers.length > 0 ? null : done ? t('Nothing matches “{0}”.', query) : t('Searching…');
  return listOf({ id: 'mentions', label: t('Context'), offers, place, setPlace: parts.setPlace, close: parts.close, leavesEnter: false, note });
}

const placeOf = ({ place }: SuggestionParts, text: string): Place => (place?.text === text ? place : { text, key: null, moved: false, closed: false });

interface ListParts {
  readonly id: string;
  readonly label: string;
  readonly offers: readonly Offer[];
  readonly place: Place;
  readonly setPlace: (place: Place) => void;
  readonly close: () => void;
  /** Enter is the message's as long as nobody walked through the list. */
  readonly leavesEnter: boolean;
  /** Said where there is nothing to choose. */
  readonly note: string | null;
}

function listOf(parts: ListParts): Suggestions {
  const { id, label, offers, place, note } = parts;
  const marked = Math.max(0, offers.findIndex(({ key }) => key === place.key));
  const rows = offers.map((offer, index) => row(offer, `${id}-${index}`, index === marked));
  const list = el('div', { class: 'suggestions-box', 'data-region': 'suggestions' },
    offers.length > 0 && el('ul', { class: 'suggestions', role: 'listbox', id, 'aria-label': label }, rows),
    note !== null && el('p', { class: 'suggestion-note', role: 'status' }, note),
    note === null && el('span', { role: 'status' }, spoken(offers.length === 1 ? t('1 suggestion') : t('{0} suggestions', offers.length))));
  const field = { 'aria-autocomplete': 'list' as const, 'aria-controls': id, ...(offers.length === 0 ? {} : { 'aria-activedescendant': `${id}-${marked}` }) };
  return { list, field, onKey: (event) => onKey(event, parts, marked) };
}

function row({ key, label, detail, icon: name, take }: Offer, id: string, isMarked: boolean): VNode {
  return el('li', {
    class: 'suggestion', role: 'option', id, key, 'aria-selected': isMarked, ref: isMarked ? showMarked : unmarked, title: detail === '' ? label : `${label} — ${detail}`,
    onMouseDown: (event) => { event.preventDefault(); take(); },
  }, name !== null && icon(name), name === null ? el('code', null, label) : el('span', { class: 'suggestion-label', dir: 'auto' }, label), el('span', { class: 'suggestion-detail', dir: name === null ? 'auto' : 'ltr' }, detail));
}

function onKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent, { offers, place, setPlace, close, leavesEnter }: ListParts, marked: number): boolean {
  if (shiftKey || ctrlKey || metaKey || altKey) return false;
  if (key === 'Escape') {
    close();
    return true;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const offer = offers[marked];
  if (offer === undefined) return false;
  if (step !== undefined) setPlace({ ...place, key: offers[(marked + step + offers.length) % offers.length]?.key ?? null, moved: true });
  else if (key === 'Tab' || (key === 'Enter' && (place.moved || !leavesEnter))) offer.take();
  else return false;
  return true;
}

const showMarked = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });
const unmarked = (): void => undefined;
