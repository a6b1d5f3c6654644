import type { PanelState } from '../../../src/protocol/panel.ts';
import type { SessionEvent } from '../../../src/protocol/subscription/events.ts';

/** What both sides of a comparison show; made in the page, so that none of it has to be carried there. */

/** A session of so many messages, questions and answers in turn, from one that has two. */
export function longState(seed: PanelState, messages: number, generation: number): PanelState {
  const view = structuredClone(seed.view);
  const [turn] = view?.turns ?? [];
  const [question, answer] = view?.items ?? [];
  if (view === null || turn === undefined || question === undefined || answer === undefined) throw new Error('the seed has no question and answer');
  const name = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, '0')}`;
  const numbers = Array.from({ length: messages / 2 }, (_, n) => n + 1);
  const turns = numbers.map((n) => ({ ...turn, turnId: name('trn', n), turnIdx: n, text: `Question ${n}: what does this do?`, userItemId: name('itm', 2 * n) }));
  const items = numbers.flatMap((n) => [
    { ...question, turnId: name('trn', n), turnIdx: n, itemId: name('itm', 2 * n), text: `Question ${n}: what does this do?` },
    { ...answer, turnId: name('trn', n), turnIdx: n, itemId: name('itm', 2 * n + 1), text: `Answer ${n}: it adds up the prices and rounds the sum.` },
  ]).map((item) => ({ ...item, textLength: item.text.length }));
  return { ...seed, generation, conversation: `long-${generation}`, view: { ...view, turns, items } as unknown as PanelState['view'] };
}

/** The same as the gateway hands it over: its newest 50 turns, the others on demand. */
export function handedOver(state: PanelState): PanelState {
  if (state.view === null) return state;
  const turns = state.view.turns.slice(-50);
  const first = turns[0]?.turnIdx ?? 0;
  return { ...state, view: { ...state.view, turns, items: state.view.items.filter(({ turnIdx }) => turnIdx >= first), earlier: first } };
}

const PARAGRAPH = 'The function **rounds** each price by itself, so that `total` may differ from the sum by a cent; see [the notes](docs/notes.md:12) and *all* that follows from it. ';
const CODE = '  const value = round(items.map((item) => item.price * item.count).reduce((sum, price) => sum + price, 0)); // in cents\n';

/** Markdown as agents write it, of at least so many characters: prose, lists, tables, and code of a hundred lines now and then. */
export function longMarkdown(chars: number): string {
  let text = '';
  for (let n = 0; text.length < chars; n += 1) {
    text += `## Part ${n}\n\n${PARAGRAPH.repeat(3)}\n\n- one\n- **two**\n  - three\n- [ ] four\n\n| a | b |\n|---|---|\n| ${n} | \`x\` |\n\n`;
    text += `\`\`\`ts\nexport function part${n}(items: Item[]): number {\n${CODE.repeat(n % 5 === 4 ? 100 : 8)}  return value;\n}\n\`\`\`\n\n`;
  }
  return text.slice(0, chars);
}

/** The events that bring a text to an open item, 20 characters each. */
export function deltasOf(text: string, { head, itemId, turnId }: { readonly head: number; readonly itemId: string; readonly turnId: string }): SessionEvent[] {
  const events: unknown[] = [];
  for (let at = 0; at < text.length; at += 20) {
    events.push({ type: 'item.delta', seq: head + events.length + 1, at: 0, causedBy: {}, itemId, turnId, rev: events.length + 2, offset: at, text: text.slice(at, at + 20) });
  }
  return events as SessionEvent[];
}

export const nextFrame = (): Promise<void> => new Promise((resolve) => { requestAnimationFrame(() => { resolve(); }); });

/** Resolves when what is on the page now has been painted. */
export async function painted(): Promise<void> {
  await nextFrame();
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { resolve(); };
    port2.postMessage(null);
  });
}

/** Does something in each frame, as often as there is something to do; the intervals between frames, in ms. Within the frame's own task: what a promise runs later counts nowhere. */
export function eachFrame(times: number, act: (n: number) => void): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const at: number[] = [];
    const step = (): void => {
      if (at.length < times) act(at.length);
      at.push(performance.now());
      if (at.length <= times) requestAnimationFrame(step);
      else void painted().then(() => { resolve(at.slice(1).map((time, n) => time - (at[n] ?? 0))); });
    };
    requestAnimationFrame(step);
  });
}

/** Counts the browser's long tasks; each call begins anew. */
export function watchTasks(): () => number {
  let count = 0;
  const observer = new PerformanceObserver((list) => { count += list.getEntries().length; });
  observer.observe({ type: 'longtask' });
  return () => {
    const seen = count + observer.takeRecords().length;
    count = 0;
    return seen;
  };
}
