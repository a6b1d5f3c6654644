import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { CommandExit, RunningCommand } from '../execution/plane.ts';
import type { ItemKey } from '../protocol/ids.ts';
import type { ItemDataOf } from '../protocol/item/state.ts';
import type { Reporter } from './reporter.ts';

const headChars = 32_000;
const tailChars = 32_000;
const lookMs = 500;
const maxRewrites = 40;
/** In looks: how long it is silent before it is looked whether it waits, and how seldom that becomes. */
const firstSilence = 3;
const maxSilence = 20;

/**
 * Streams a command's output into its item: the first part as it comes, the last part at the end, between them how much was
 * left out. A last line that stands still is shown although it may yet be overwritten.
 */
export class CommandReport implements Disposable {
  readonly #command: RunningCommand;
  readonly #itemKey: ItemKey;
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  #data: ItemDataOf<'command'>;
  #head = '';
  #tail = '';
  #beyond = 0;
  /** The unsettled line that is shown behind the head. */
  #shownLine = '';
  #lastLook = '';
  #rewrites = 0;
  readonly #silence = new Silence();
  #timer: Disposable | null = null;
  readonly #showsWaiting: boolean;
  #ended = false;

  constructor(command: RunningCommand, start: { readonly itemKey: ItemKey; readonly data: ItemDataOf<'command'>; readonly showsWaiting: boolean }, reporter: Reporter, clock: Clock) {
    this.#command = command;
    this.#itemKey = start.itemKey;
    this.#data = start.data;
    this.#showsWaiting = start.showsWaiting;
    this.#reporter = reporter;
    this.#clock = clock;
    command.onSettled((text) => this.#take(text));
    this.#look();
  }

  /** Ends the item. `state` cancelled: it was stopped. */
  end(exit: CommandExit, state: 'completed' | 'cancelled', note: string | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.dispose();
    const { waitsForInput: _waited, ...known } = this.#data;
    const data: ItemDataOf<'command'> = {
      ...known, exitCode: exit.exitCode, signal: exit.signal?.slice(0, 50) ?? null, cut: this.#cut, ...(note === null ? {} : { note: note.slice(0, 2_000) }),
    };
    const whole = this.#cut === 0 ? this.#head + this.#tail : `${this.#head}\n… ${String(this.#cut)} characters left out …\n${this.#tail}`;
    const text = this.#beyond > 0 || this.#shownLine !== '' ? { text: whole } : {};
    this.#reporter.report([{ op: 'effect.end', itemKey: this.#itemKey }, { op: 'item.end', itemKey: this.#itemKey, state, data, ...text }]);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  get #cut(): number {
    return this.#beyond - this.#tail.length;
  }

  #take(text: string): void {
    if (this.#ended) return;
    const room = Math.max(0, headChars - this.#head.length);
    const first = whole(text.slice(0, room));
    if (first !== '') this.#append(first);
    const rest = text.slice(first.length);
    this.#beyond += rest.length;
    this.#tail = wholeEnd((this.#tail + rest).slice(-tailChars));
  }

  #append(text: string): void {
    const shown = this.#shownLine;
    this.#shownLine = '';
    this.#head += text;
    if (!text.startsWith(shown)) return this.#reporter.report([{ op: 'item.update', itemKey: this.#itemKey, text: this.#head }]);
    if (text.length > shown.length) this.#reporter.report([{ op: 'item.delta', itemKey: this.#itemKey, text: text.slice(shown.length) }]);
  }

  #look(): void {
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#ended) return;
      this.#showLine(this.#command.unsettled());
      if (this.#cut !== this.#data.cut) this.#update({ ...this.#data, cut: this.#cut });
      if (this.#showsWaiting && this.#silence.isDue(this.#command.received)) void this.#command.waitsForInput().then((waits) => this.#showWaiting(waits), () => undefined);
      this.#look();
    }, lookMs);
  }

  #showWaiting(waits: boolean): void {
    if (this.#ended || waits === (this.#data.waitsForInput === true)) return;
    const { waitsForInput: _before, ...rest } = this.#data;
    this.#update(waits ? { ...rest, waitsForInput: true } : rest);
  }

  #update(data: ItemDataOf<'command'>): void {
    this.#data = data;
    this.#reporter.report([{ op: 'item.update', itemKey: this.#itemKey, data }]);
  }

  #showLine(line: string): void {
    const standsStill = line !== '' && line === this.#lastLook && line !== this.#shownLine;
    this.#lastLook = line;
    if (!standsStill || this.#head.length + line.length > headChars || this.#rewrites >= maxRewrites) return;
    this.#rewrites += 1;
    const grows = line.startsWith(this.#shownLine);
    const op = grows
      ? ({ op: 'item.delta', itemKey: this.#itemKey, text: line.slice(this.#shownLine.length) } as const)
      : ({ op: 'item.update', itemKey: this.#itemKey, text: this.#head + line } as const);
    this.#shownLine = line;
    this.#reporter.report([op]);
  }
}

/** When it is worth looking at a command that says nothing: soon at first, then more and more seldom. */
class Silence {
  #received = -1;
  #looks = 0;
  #next = firstSilence;

  isDue(received: number): boolean {
    if (received !== this.#received) {
      // What waited has gone on: that is seen with the next look.
      const hadWaited = this.#next > firstSilence;
      [this.#received, this.#looks, this.#next] = [received, 0, firstSilence];
      return hadWaited;
    }
    this.#looks += 1;
    if (this.#looks < this.#next) return false;
    this.#looks = 0;
    this.#next = Math.min(maxSilence, this.#next * 2);
    return true;
  }
}

/** Without half a character at its end. */
const whole = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text);

/** Without half a character at its beginning. */
const wholeEnd = (text: string): string => (/^[\udc00-\udfff]/.test(text) ? text.slice(1) : text);
