import type { FromPanel } from '../../../src/protocol/panel.ts';
import type { MentionEntry } from '../../../src/protocol/panelAttachment.ts';

/** What is being looked for: the letters after the `@` that stands at `start` of the text. */
interface Mention {
  readonly start: number;
  readonly query: string;
}

export interface MentionList extends Mention {
  readonly entries: readonly MentionEntry[];
  readonly done: boolean;
}

const QUIET_MS = 60;
const MAX_QUERY = 200;

/** The `@` before the caret that begins a word: not the one of a mail address. */
export function mentionAt(text: string, caret: number): Mention | null {
  const found = /(?:^|[\s([{<"'“‘「（])@([^\s@]*)$/u.exec(text.slice(0, caret));
  const query = found?.[1];
  return query === undefined || query.length > MAX_QUERY ? null : { start: caret - query.length - 1, query };
}

/** Asks the extension what an `@` may mean while it is being written. Only the last question counts. */
export class Mentions {
  readonly #post: (message: FromPanel) => void;
  readonly #changed: () => void;
  #request = 0;
  #list: MentionList | null = null;
  /** Where a person closed the list, or took something: there it stays closed. */
  #closedAt: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(post: (message: FromPanel) => void, changed: () => void) {
    this.#post = post;
    this.#changed = changed;
  }

  get list(): MentionList | null {
    return this.#list;
  }

  /** To be called with every change of the text or the caret. `finished`: words that stand for something already, wherever in them the caret is. */
  follow(conversation: string, text: string, caret: number, finished: readonly string[]): void {
    const mention = mentionAt(text, caret);
    if (mention === null || finished.some((token) => text.startsWith(token, mention.start))) {
      this.#closedAt = null;
      return this.#end();
    }
    if (mention.start === this.#closedAt) return;
    this.#closedAt = null;
    if (mention.start === this.#list?.start && mention.query === this.#list.query) return;
    // What was found stays until the next answer, so that the list does not flicker.
    const entries = mention.start === this.#list?.start ? this.#list.entries : [];
    this.#list = { ...mention, entries, done: false };
    this.#ask(conversation, mention.query);
    this.#changed();
  }

  receive(request: number, entries: readonly MentionEntry[], done: boolean): void {
    if (this.#list === null || request !== this.#request) return;
    // The first answers of a new question are few; the old ones are better than nothing for a moment.
    if (entries.length === 0 && !done) return;
    this.#list = { ...this.#list, entries, done };
    this.#changed();
  }

  /** It stays closed for this `@`. */
  close(): void {
    this.#closedAt = this.#list?.start ?? null;
    this.#end();
  }

  #ask(conversation: string, query: string): void {
    this.#request += 1;
    const request = this.#request;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#post({ type: 'mention', conversation, request, query }), query === '' ? 0 : QUIET_MS);
  }

  #end(): void {
    if (this.#list === null) return;
    this.#list = null;
    clearTimeout(this.#timer);
    this.#post({ type: 'mentionEnd' });
    this.#changed();
  }
}
