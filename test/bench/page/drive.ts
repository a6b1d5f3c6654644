import type { PanelState, ToPanel } from '../../../src/protocol/panel.ts';
import type { SessionEvent } from '../../../src/protocol/subscription/events.ts';
import { deltasOf, eachFrame, handedOver, longMarkdown, longState, nextFrame, painted, watchTasks } from './fixture.ts';

/** Beside the product's own page: hands over what the extension would, without the copying that a message to a page costs everybody. */
const hand = (message: ToPanel): void => { window.dispatchEvent(new MessageEvent('message', { data: message })); };

/** Of one turn. */
const ANSWERS = 10;

let prepared: PanelState | null = null;

export interface Drive {
  prepare(seed: PanelState, messages: number, generation: number, loaded: 'all' | 'newest'): void;
  /** Shows what was prepared; resolves when it has been painted. */
  show(): Promise<void>;
  /** Streams so many deltas into an open answer, some per frame; the intervals between frames, in ms. */
  stream(seed: PanelState, deltas: number, perFrame: number, generation: number): Promise<readonly number[]>;
  /** Follows a session until so many characters have been said in it, in answers of 64 KiB. */
  longSession(seed: PanelState, chars: number): Promise<void>;
  /** How many tasks of more than 50 ms there were since the last call. */
  longTasks(): number;
  /** 1 when a streamed message, ended, is not what it would have been at once; else 0. */
  differs(seed: PanelState, deltas: number): Promise<number>;
}

declare global {
  var drive: Drive;
}

const tasks = watchTasks();

globalThis.drive = {
  longTasks: tasks,
  prepare(seed, messages, generation, loaded) {
    const state = longState(seed, messages, generation);
    prepared = loaded === 'all' ? state : handedOver(state);
  },
  async show() {
    if (prepared !== null) hand({ type: 'state', state: prepared });
    await nextFrame();
    await painted();
  },
  async stream(seed, deltas, perFrame, generation) {
    const state = { ...structuredClone(seed), generation, conversation: `stream-${generation}` };
    hand({ type: 'state', state });
    await painted();
    const item = state.view?.items.at(-1);
    if (state.view === null || item === undefined) throw new Error('nothing to stream into');
    const events = deltasOf(longMarkdown(deltas * 20), { head: state.view.head, itemId: item.itemId, turnId: item.turnId });
    return eachFrame(Math.ceil(events.length / perFrame), (n) => { hand({ type: 'events', generation, events: events.slice(n * perFrame, (n + 1) * perFrame) }); });
  },
  async longSession(seed, chars) {
    const generation = 2000;
    const state = { ...structuredClone(seed), generation, conversation: 'a long day' };
    hand({ type: 'state', state });
    await painted();
    const [turn, item] = [state.view?.turns.at(-1), state.view?.items.at(-1)];
    if (state.view === null || turn === undefined || item === undefined) throw new Error('nothing to go on from');
    const text = longMarkdown(65_536);
    let seq = state.view.head;
    const base = (): object => ({ seq: seq += 1, at: 0, causedBy: {} });
    for (let n = 1; n * text.length * ANSWERS < chars; n += 1) {
      const place = { turnId: `trn_${String(n).padStart(26, '0')}`, turnIdx: turn.turnIdx + n };
      const next = { ...turn, ...place, state: 'completed', endedAt: 1 };
      const items = Array.from({ length: ANSWERS }, (_, k) => {
        // Texts that are alike must not be one in memory.
        const own = structuredClone(`${n} ${k} ${text.slice(0, -8)}`);
        return { ...item, ...place, idx: k, itemId: `itm_${String(n * 100 + k).padStart(26, '0')}`, state: 'completed', endedAt: 1, text: own, textLength: own.length };
      });
      const events = [{ ...base(), type: 'turn.updated', turn: next }, ...items.map((each) => ({ ...base(), type: 'item.ended', item: each })), { ...base(), type: 'turn.ended', turn: next }];
      hand({ type: 'events', generation, events: events as unknown as SessionEvent[] });
      if (n % 10 === 0) await painted();
    }
    await painted();
  },
  async differs(seed, deltas) {
    await globalThis.drive.stream(seed, deltas, 37, 1001);
    const text = longMarkdown(deltas * 20);
    const state = structuredClone(seed);
    const item = state.view?.items.at(-1);
    if (state.view === null || item === undefined) throw new Error('nothing to stream into');
    const ended = { ...item, text, textLength: text.length, state: 'completed' as const, rev: item.rev + deltas + 1 };
    hand({ type: 'events', generation: 1001, events: [{ type: 'item.ended', seq: state.view.head + Math.ceil(text.length / 20) + 1, at: 0, causedBy: {}, item: ended }] as unknown as SessionEvent[] });
    await painted();
    const streamed = html();
    hand({ type: 'state', state: { ...state, generation: 1002, conversation: 'at once', view: { ...state.view, items: [...state.view.items.slice(0, -1), ended] } } });
    await painted();
    return streamed === html() && streamed.length > text.length ? 0 : 1;
  },
};

const html = (): string => [...document.querySelectorAll('[data-kind="agent_message"] .markdown')].at(-1)?.innerHTML ?? '';
