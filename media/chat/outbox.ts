import type { OutboxEntry } from '../../src/protocol/panel.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import type { Submission } from './host.ts';

const MAX_KEPT = 50;

/** Where submissions are kept over a reload of the page. */
interface SubmissionShelf {
  load(): readonly Submission[];
  save(submissions: readonly Submission[]): void;
}

/** Messages that left the composer and are not in the transcript yet. None is forgotten before its turn was seen. */
export class Outbox {
  readonly #shelf: SubmissionShelf;
  #submissions: readonly Submission[];
  /** Of an earlier life of the page: nobody can say whether they arrived. */
  #unsure: ReadonlySet<string>;

  constructor(shelf: SubmissionShelf) {
    this.#shelf = shelf;
    this.#submissions = shelf.load();
    this.#unsure = new Set(this.#submissions.map(({ clientTurnId }) => clientTurnId));
  }

  add(submission: Submission): void {
    this.#set([...this.#submissions, submission].slice(-MAX_KEPT));
  }

  remove(clientTurnId: string): void {
    if (this.#submissions.some((entry) => entry.clientTurnId === clientTurnId)) {
      this.#set(this.#submissions.filter((entry) => entry.clientTurnId !== clientTurnId));
    }
  }

  find(clientTurnId: string): Submission | undefined {
    return this.#submissions.find((entry) => entry.clientTurnId === clientTurnId);
  }

  /** Forgets those that became turns. */
  acknowledge(turns: readonly Pick<Turn, 'clientTurnId'>[]): void {
    if (this.#submissions.length === 0) return;
    const arrived = new Set<string>(turns.map(({ clientTurnId }) => clientTurnId));
    const left = this.#submissions.filter(({ clientTurnId }) => !arrived.has(clientTurnId));
    if (left.length < this.#submissions.length) this.#set(left);
  }

  /** Those to hand over once more, with their old ids so that nothing runs twice. Each is given out once. */
  takeUnsure(conversation: string, known: readonly OutboxEntry[]): Submission[] {
    const held = new Set(known.map(({ clientTurnId }) => clientTurnId));
    const again = this.#submissions.filter((entry) => this.#unsure.has(entry.clientTurnId) && entry.conversation === conversation);
    this.#unsure = new Set([...this.#unsure].filter((id) => !again.some(({ clientTurnId }) => clientTurnId === id)));
    return again.filter(({ clientTurnId }) => !held.has(clientTurnId));
  }

  /** What to show: what the extension holds, then what it has not mentioned yet, without what became a turn. */
  entries(conversation: string, known: readonly OutboxEntry[], turns: readonly Pick<Turn, 'clientTurnId'>[]): OutboxEntry[] {
    if (known.length === 0 && this.#submissions.length === 0) return [];
    const arrived = new Set<string>(turns.map(({ clientTurnId }) => clientTurnId));
    const held = known.filter(({ clientTurnId }) => !arrived.has(clientTurnId));
    const ids = new Set(held.map(({ clientTurnId }) => clientTurnId));
    const own = this.#submissions
      .filter((entry) => entry.conversation === conversation && !arrived.has(entry.clientTurnId) && !ids.has(entry.clientTurnId))
      .map(({ clientTurnId, text, names }): OutboxEntry => ({ clientTurnId, text, ...(names === undefined ? {} : { attachments: names }), state: 'sending', message: null }));
    return [...held, ...own];
  }

  #set(submissions: readonly Submission[]): void {
    this.#submissions = submissions;
    this.#shelf.save(submissions);
  }
}
