import assert from 'node:assert/strict';
import type { SessionPage } from '../../src/protocol/subscription/state.ts';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { change } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

const bar = () => panel.region('find');
const input = () => panel.page.getByRole('textbox', { name: 'Find in Chat' });
const count = (): Promise<string> => bar().getByRole('status').innerText();
/** What is marked as the present match, and whether a person sees it. */
const current = () => panel.page.evaluate(() => {
  const [range] = [...(CSS.highlights.get('found-current') ?? [])] as Range[];
  const view = document.querySelector('main')?.getBoundingClientRect();
  if (range === undefined || view === undefined) return null;
  const { top, bottom } = range.getBoundingClientRect();
  return { text: range.toString(), item: range.startContainer.parentElement?.closest('[data-item-id]')?.getAttribute('data-item-id'), seen: top >= view.top && bottom <= view.bottom && bottom > top };
});
const marked = (): Promise<number> => panel.page.evaluate(() => CSS.highlights.get('found')?.size ?? 0);

async function findFor(words: string): Promise<void> {
  await panel.page.keyboard.press('Control+f');
  await input().fill(words);
}

function long(turns: number): SessionScript {
  const script = new SessionScript();
  for (let n = 0; n < turns; n += 1) script.done(script.queue(`question ${n}`, { state: 'completed', startedAt: 1, endedAt: 1 }), { kind: 'agent_message' }, n % 50 === 7 ? `answer ${n} with a **nee**dle in it` : `answer ${n}`);
  script.take();
  return script;
}

/** A part of a session as the gateway gives it for what is before. */
function pageOf({ view }: SessionScript, from: number, to: number): SessionPage {
  const inside = ({ turnIdx }: { readonly turnIdx: number }): boolean => turnIdx >= from && turnIdx < to;
  return { turns: view.turns.filter(inside), items: view.items.filter(inside), approvals: [], earlier: from > 1 ? from : null };
}

describe('finding in a chat', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('reaches what is not drawn, counts all of it, goes around, and marks what is shown', async () => {
    const script = long(400);
    panel = await stage.open(script.state(), { height: 600 });
    await findFor('needle');
    await comesTo('8 of 8', count);
    for (const [key, place, answer] of [['Enter', 1, 7], ['Enter', 2, 57], ['Shift+Enter', 1, 7], ['Shift+Enter', 8, 357], ['F3', 1, 7], ['Shift+F3', 8, 357]] as const) {
      await input().press(key);
      await comesTo(`${place} of 8`, count);
      await comesTo({ text: 'needle', item: script.view.items.find(({ text }) => text.startsWith(`answer ${answer} with`))?.itemId, seen: true }, current);
    }
    assert.equal(await input().evaluate((element) => element === document.activeElement), true);
    assert.ok(await panel.page.evaluate(() => document.querySelectorAll('body *').length) <= 500);
    await input().fill('QUESTION 39');
    await comesTo('2 of 11', count);
    await until(async () => await marked() > 3, () => 'more of them to be marked');
    await input().fill('no such words');
    await comesTo('No results', count);
    await comesTo(null, current);
  });

  it('has older messages loaded, and counts on', async () => {
    const script = long(300);
    const { turns, items, earlier } = pageOf(script, 201, 301);
    panel = await stage.open({ ...script.state(), view: { ...script.view, turns, items, earlier } }, { height: 600 });
    await findFor('needle');
    let answered = 0;
    for (const before of [201, 101]) {
      await panel.waitPosted('history', ++answered);
      assert.equal(panel.posted('history').at(-1)?.before, before);
      await panel.send({ type: 'history', generation: 1, page: pageOf(script, before - 100, before) });
    }
    await comesTo('6 of 6', count);
    await input().press('Enter');
    await comesTo('1 of 6', count);
    await comesTo(script.view.items.find(({ text }) => text.startsWith('answer 7 with'))?.itemId, async () => (await current())?.item);
    assert.equal(panel.posted('history').length, 2);
  });

  it('opens what is folded: outputs, changes and long code', async () => {
    const script = new SessionScript();
    const turn = script.start('look');
    const rows = (word: string): string => Array.from({ length: 90 }, (_, n) => (n === 50 ? `row with ${word}` : `row ${n}`)).join('\n');
    script.done(turn, { kind: 'tool_call', toolKind: 'read', title: 'Read', locations: [] }, rows('alpha'));
    script.done(turn, { kind: 'edit', mode: 'hosted', change: change('src/a.ts', { lines: rows('beta').split('\n').map((text) => ({ t: '+' as const, text })) }) });
    script.done(turn, { kind: 'agent_message' }, `\`\`\`ts\n${rows('gamma')}\n\`\`\``);
    script.done(turn, { kind: 'command', command: 'make', cwd: '/', envNames: [], exitCode: 0, signal: null, cut: 0 }, rows('delta'));
    panel = await stage.open(script.state(), { height: 600 });
    for (const word of ['alpha', 'beta', 'gamma', 'delta']) {
      await findFor(word);
      await comesTo('1 of 1', count);
      await comesTo({ text: word, seen: true }, async () => { const { text, seen } = await current() ?? {}; return { text, seen }; });
    }
  });

  it('moves nothing when it opens, and gives the keyboard back when it closes', async () => {
    panel = await stage.open(long(100).state(), { height: 600 });
    await panel.input.focus();
    const top = (): Promise<number | undefined> => panel.page.locator('.turn').last().boundingBox().then((box) => box?.y);
    const before = await top();
    await panel.page.keyboard.press('Control+f');
    await bar().waitFor();
    assert.equal(await top(), before);
    await input().press('Escape');
    await comesTo(0, () => bar().count());
    assert.equal(await panel.input.evaluate((element) => element === document.activeElement), true);
    await comesTo(0, marked);
    await panel.page.locator('.turn p').last().selectText();
    await panel.page.keyboard.press('Control+f');
    await comesTo('answer 99', () => input().inputValue());
  });

  it('waits for words that are being composed, and leaves their keys to the input method', async () => {
    panel = await stage.open(long(60).state());
    await panel.page.keyboard.press('Control+f');
    const session = await panel.page.context().newCDPSession(panel.page);
    await session.send('Input.imeSetComposition', { text: 'needl', selectionStart: 5, selectionEnd: 5 });
    await panel.drawn();
    assert.equal(await count(), '');
    await session.send('Input.insertText', { text: 'needle' });
    await comesTo('2 of 2', count);
    await input().evaluate((element) => element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 229, bubbles: true, cancelable: true })));
    await panel.drawn();
    assert.equal(await bar().count(), 1);
  });

  it('C40 keeps its keys from the editor around it, and leaves it every other one', async () => {
    panel = await stage.open(long(3).state());
    await panel.page.evaluate(() => {
      const seen: string[] = [];
      window.addEventListener('keydown', (event) => seen.push(event.key));
      Object.assign(globalThis, { seen });
    });
    for (const key of ['Control+f', 'F3', 'Escape', 'F3', 'Control+Shift+f', 'Escape']) await panel.page.keyboard.press(key);
    assert.deepEqual(await panel.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.map((key) => key.toLowerCase()).filter((key) => key !== 'control' && key !== 'shift')), ['f3', 'f', 'escape']);
  });

  it('goes on counting while text streams in, and starts anew in another session', async () => {
    const script = new SessionScript();
    const item = script.item(script.start('go'), { kind: 'agent_message' }, 'one needle');
    panel = await stage.open(script.state());
    await findFor('needle');
    await comesTo('1 of 1', count);
    script.delta(item, ' and a needle more');
    await panel.play(script);
    await comesTo('1 of 2', count);
    const other = new SessionScript();
    other.done(other.start('x'), { kind: 'agent_message' }, 'needle needle needle');
    await panel.send({ type: 'state', state: other.state({ generation: 2, conversation: 'two' }) });
    await until(async () => / of 3$/.test(await count()), () => 'three');
  });
});
