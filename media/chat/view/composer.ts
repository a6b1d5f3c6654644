import { type VNode } from 'preact';
import type { PanelState } from '../../../src/protocol/panel.ts';
import type { ComposerAttachment, MentionEntry } from '../../../src/protocol/panelAttachment.ts';
import type { AgentOption } from '../../../src/protocol/session/state.ts';
import type { Actions } from '../actions.ts';
import { pastedIn } from '../composer/drops.ts';
import type { Mentions } from '../composer/mentions.ts';
import type { Tray } from '../composer/tray.ts';
import { sendBlocked } from '../format/banners.ts';
import { t } from '../l10n.ts';
import { later } from '../later.ts';
import { TrayView } from './attachments.ts';
import { el, icon, iconButton, draw, kept, type Surroundings, SurroundingsContext } from './dom.ts';
import { isComposing, isMac } from './keys.ts';
import type { PromptHistory } from './promptHistory.ts';
import type { Place, Suggestions } from './suggestions.ts';

type Input = HTMLTextAreaElement;
type InputKey = KeyboardEvent & { readonly currentTarget: Input };

interface ComposerProps {
  readonly state: PanelState;
  readonly text: string;
  readonly running: boolean;
  readonly stopping: boolean;
  readonly history: PromptHistory;
  readonly tray: Tray;
  readonly mentions: Mentions;
  readonly input: { current: Input | null };
}

/** Where a person writes. Nothing but their own keys changes or sends what stands in it. Where nothing can be sent it can be read and copied. */
export function Composer(props: ComposerProps, { actions, agentLabel }: Surroundings): VNode {
  const { state, text, running, tray, mentions, input } = props;
  const blocked = sendBlocked(state);
  const shown = tray.shown(text);
  const writing = new Writing(props, actions, shown);
  return kept<Place | null>(null, (place, setPlace) => {
    const suggestions = blocked !== null ? null : later()?.suggestions({
      commands: state.view?.session.agent.commands ?? [], text, mention: mentions.list, place, setPlace,
      choose: (chosen) => actions.type(chosen), take: (entry) => writing.take(entry), close: () => mentions.close(),
    }) ?? null;
    return el('div', { class: 'box', 'data-region': 'composer' },
      suggestions?.list,
      draw(TrayView, { tray, shown, remove: (attachment) => writing.remove(attachment), focusInput: () => input.current?.focus() }),
      el('textarea', {
        class: 'message', rows: 1, 'aria-label': t('Message'), dir: 'auto', value: text, readOnly: blocked !== null, ref: input,
        placeholder: blocked ?? placeholder(running, agentLabel), ...suggestions?.field,
        onInput: (event) => { actions.type(event.currentTarget.value); writing.follow(); },
        onKeyDown: (event) => blocked === null && writing.onKey(event, suggestions),
        onKeyUp: () => writing.follow(),
        onClick: () => writing.follow(),
        onPaste: (event) => blocked === null && writing.paste(event),
        onBlur: () => actions.keepDraft(),
      }),
      draw(Bar, { ...props, blocked, shown, writing }));
  });
}
Composer.contextType = SurroundingsContext;

/** The names of two keys do not fit under every width; the button says the rest. */
const placeholder = (running: boolean, agent: string): string => (running ? t('Queue a message for {0}…', agent) : t('Message {0}…', agent));

interface BarProps extends ComposerProps {
  readonly blocked: string | null;
  readonly shown: readonly ComposerAttachment[];
  readonly writing: Writing;
}

function Bar({ state, text, running, stopping, input, blocked, shown, writing }: BarProps, { actions }: Surroundings): VNode {
  const problem = blocked ?? shown.find((attachment) => attachment.problem !== null)?.problem ?? null;
  const keys = keysOf(state);
  const act = running ? t('Queue this message') : t('Send');
  return el('div', { class: 'bar' },
    blocked === null ? [draw(AddContext, { writing, key: 'context' }), ...pickers(state)] : text !== '' && el('span', null, blocked),
    el('span', { class: 'grow' }),
    blocked === null && el('span', { 'class': 'send-hint', 'data-hint': 'send', 'aria-hidden': true }, running ? t('{0} to queue', keys) : t('{0} to send', keys)),
    running && el('button', { class: 'stop', type: 'button', title: t('Stop the running turn'), 'aria-disabled': stopping, onClick: () => !stopping && actions.stop() }, icon(stopping ? 'loading' : 'debug-stop'), stopping ? t('Stopping') : t('Stop')),
    el('button', {
      'class': 'icon-button send', 'type': 'button', 'title': problem ?? `${act} (${keys})`, 'aria-label': act, 'disabled': problem !== null || text.trim() === '',
      'onClick': () => { actions.submit(); input.current?.focus(); },
    }, icon('send')));
}
Bar.contextType = SurroundingsContext;

function keysOf({ chrome }: PanelState): string {
  if (chrome.sendWith === 'enter') return 'Enter';
  return isMac ? '⌘Enter' : 'Ctrl+Enter';
}

const AddContext = ({ writing }: { readonly writing: Writing }): VNode =>
  iconButton('mention', t('Add context'), () => writing.openMentions(), { 'title': t('Add context (@)'), 'data-act': 'mention' });

const pickers = ({ view }: PanelState): VNode[] => (view?.session.agent.options ?? []).map((option) => draw(OptionPicker, { option, key: option.id }));

/** What the keys and presses of the composer do. */
class Writing {
  readonly #props: ComposerProps;
  readonly #actions: Actions;
  readonly #shown: readonly ComposerAttachment[];

  constructor(props: ComposerProps, actions: Actions, shown: readonly ComposerAttachment[]) {
    this.#props = props;
    this.#actions = actions;
    this.#shown = shown;
  }

  /** The caret or the text has changed. */
  follow(): void {
    const { input: { current: input }, state, mentions } = this.#props;
    if (input === null || sendBlocked(state) !== null) return;
    if (input.selectionStart !== input.selectionEnd) return mentions.close();
    mentions.follow(state.conversation, input.value, input.selectionStart, this.#shown.flatMap(({ token }) => token ?? []));
  }

  /** Puts the word for it in place of what was typed, as one step that can be undone. */
  take({ ref, label, token }: MentionEntry): void {
    const { mentions, tray, input: { current: input } } = this.#props;
    const { list } = mentions;
    if (list === null || input === null) return;
    mentions.close();
    input.focus();
    input.setSelectionRange(list.start, list.start + 1 + list.query.length);
    insert(input, token === null ? '' : `${token} `);
    tray.attach(ref, token?.slice(1) ?? label, token);
  }

  remove(attachment: ComposerAttachment): void {
    const { tray, text } = this.#props;
    tray.remove(attachment.id);
    const { token } = attachment;
    if (token !== null) this.#actions.type(text.replace(`${token} `, '').replace(token, ''));
  }

  openMentions(): void {
    const { input: { current: input } } = this.#props;
    if (input === null) return;
    input.focus();
    const before = input.value.slice(0, input.selectionStart);
    if (/(?:^|\s)@$/.test(before)) return this.follow();
    insert(input, before === '' || /\s$/.test(before) ? '@' : ' @');
    this.follow();
  }

  paste(event: ClipboardEvent): void {
    const files = event.clipboardData === null ? [] : pastedIn(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    this.#props.tray.addFiles(files, this.#props.text);
  }

  onKey(event: InputKey, suggestions: Suggestions | null): void {
    // Enter and Escape that end a word of an input method belong to that word.
    if (isComposing(event)) return;
    if (suggestions?.onKey(event) === true || this.#isSend(event) || this.#isHistory(event) || this.#isBackToTray(event)) event.preventDefault();
  }

  #isSend(event: InputKey): boolean {
    const wantsControl = this.#props.state.chrome.sendWith === 'ctrlEnter';
    const control = event.ctrlKey || event.metaKey;
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || control !== wantsControl) return false;
    this.#actions.submit();
    return true;
  }

  #isHistory({ key, currentTarget }: InputKey): boolean {
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return false;
    const other = this.#props.history.step(key === 'ArrowUp' ? -1 : 1, currentTarget);
    if (other === null) return false;
    this.#actions.type(other);
    return true;
  }

  /** From the very beginning of the text the attachments are one key away. */
  #isBackToTray({ key, currentTarget }: InputKey): boolean {
    if (key !== 'Backspace' || currentTarget.selectionEnd > 0 || this.#shown.length === 0) return false;
    const chips = currentTarget.closest('.box')?.querySelectorAll<HTMLElement>('.attached-open');
    chips?.item(chips.length - 1).focus();
    return true;
  }
}

/** As if it were typed: the field's own undo takes it back. */
function insert(input: Input, words: string): void {
  // Old, and the only way into a field's undo history.
  if (!document.execCommand(words === '' ? 'delete' : 'insertText', false, words)) {
    input.setRangeText(words, input.selectionStart, input.selectionEnd, 'end');
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
}

/** A mode, model or other choice the agent offers, in its own words. */
function OptionPicker({ option }: { readonly option: AgentOption }, { actions }: Surroundings): VNode | null {
  if (option.choices.length < 2) return null;
  const current = option.choices.find(({ value }) => value === option.value);
  const title = current?.description === undefined ? option.name : t('{0}: {1}', option.name, current.description);
  return el('span', { class: 'option', title },
    el('select', { 'aria-label': option.name, value: option.value, 'data-option-id': option.id, onChange: (event) => actions.setOption(option.id, event.currentTarget.value) },
      option.choices.map(({ value, name }) => el('option', { value, key: value }, name))),
    icon('chevron-down'));
}
OptionPicker.contextType = SurroundingsContext;
