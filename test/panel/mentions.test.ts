import assert from 'node:assert/strict';
import type { MentionEntry } from '../../src/protocol/panelAttachment.ts';
import { comesTo } from '../support/comesTo.ts';
import { eventually } from '../support/eventually.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { attached } from '../support/panelHarness/scenes.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

const C1 = 'conversation-1';
const cart: MentionEntry = { ref: { kind: 'file', path: '/home/me/demo/src/cart.ts' }, label: 'cart.ts', detail: 'src', icon: 'file', token: '@src/cart.ts' };
const card: MentionEntry = { ref: { kind: 'file', path: '/home/me/demo/src/card.ts' }, label: 'card.ts', detail: 'src', icon: 'file', token: '@src/card.ts' };
const open4: MentionEntry = { ref: { kind: 'openEditors' }, label: 'Open editors', detail: '4 files', icon: 'files', token: null };

async function open(): Promise<void> {
  panel = await stage.open(fresh());
  await panel.input.click();
}

const list = () => panel.page.getByRole('listbox', { name: 'Context' });
const chips = () => panel.region('attachments').locator('.attached[data-state] .attached-name').allTextContents();
const attachments = (...given: Parameters<typeof attached>[0][]) => panel.send({ type: 'attachments', conversation: C1, attachments: given.map(attached) });

/** What the page asked for last. */
async function asked(query: string) {
  return eventually(`a question for “${query}”`, () => panel.posted('mention').findLast((message) => message.query === query));
}

/** Types an `@` and some letters, and answers. */
async function mention(text: string, query: string, entries: readonly MentionEntry[], done = true): Promise<void> {
  await panel.page.keyboard.type(text);
  const { request } = await asked(query);
  await panel.send({ type: 'mentions', request, entries, done });
  await panel.drawn();
}

describe('what is mentioned in a message', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('is found while it is typed, taken by a key, and stands in the text and beside it', async () => {
    await open();
    await mention('see me@x.org and @ca', 'ca', [cart, card]);
    assert.deepEqual(panel.posted('mention').map(({ query }) => query).filter((query) => query.includes('x.org')), [], 'a mail address is none');
    await comesTo(['cart.ts', 'card.ts'], () => list().locator('.suggestion-label').allTextContents());
    await panel.page.keyboard.press('ArrowDown');
    await comesTo('card.ts', () => list().getByRole('option', { selected: true }).locator('.suggestion-label').textContent());
    await comesTo(true, () => panel.input.evaluate((field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent?.includes('card.ts')));
    await panel.page.keyboard.press('Enter');
    await comesTo('see me@x.org and @src/card.ts ', () => panel.input.inputValue());
    const [attach] = await panel.waitPosted('attach');
    assert.deepEqual([attach?.ref, attach?.token], [card.ref, '@src/card.ts']);
    await list().waitFor({ state: 'detached' });
    await attachments({ id: attach?.id ?? '', name: 'src/card.ts', token: '@src/card.ts' });
    await comesTo(['src/card.ts'], () => chips());
    await panel.page.keyboard.type('please');
    await panel.page.keyboard.press('Enter');
    const [message] = await panel.waitPosted('submit');
    assert.deepEqual([message?.text, message?.attachments], ['see me@x.org and @src/card.ts please', [attach?.id]]);
  });

  it('by the mouse, by Tab, and closed by Escape, which stops nothing', async () => {
    await open();
    await mention('@', '', [open4, cart]);
    await list().getByRole('option', { name: /Open editors/ }).click();
    await comesTo('', () => panel.input.inputValue(), 'what stands for several leaves no word');
    assert.deepEqual((await panel.waitPosted('attach'))[0]?.ref, { kind: 'openEditors' });
    await mention('@c', 'c', [cart]);
    await panel.page.keyboard.press('Tab');
    await comesTo('@src/cart.ts ', () => panel.input.inputValue());
    await comesTo(true, () => panel.input.evaluate((field) => field === document.activeElement));
    await mention('@x', 'x', [card]);
    await panel.page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
    await panel.page.keyboard.type('y');
    await panel.drawn();
    await comesTo(0, () => panel.region('suggestions').count(), 'it stays closed for this @');
    assert.deepEqual([...panel.posted('stop'), ...panel.posted('submit')], []);
    assert.ok(panel.posted('mentionEnd').length > 0, 'the search is ended');
  });

  it('shows the last answer only, says when nothing matches, and lets Enter send then', async () => {
    await open();
    await panel.page.keyboard.type('@c');
    const first = await asked('c');
    await panel.page.keyboard.type('ar');
    const { request } = await asked('car');
    await panel.send({ type: 'mentions', request: first.request, entries: [card], done: true });
    await panel.drawn();
    await comesTo(0, () => list().count(), 'an answer to an older question');
    await comesTo('Searching…', () => panel.region('suggestions').textContent());
    await panel.send({ type: 'mentions', request, entries: [cart], done: false });
    await comesTo(['cart.ts'], () => list().locator('.suggestion-label').allTextContents());
    await panel.page.keyboard.type('zzz');
    const none = await asked('carzzz');
    await comesTo(['cart.ts'], () => list().locator('.suggestion-label').allTextContents(), 'no flicker meanwhile');
    await panel.send({ type: 'mentions', request: none.request, entries: [], done: true });
    await comesTo('Nothing matches “carzzz”.', () => panel.region('suggestions').textContent());
    await panel.page.keyboard.press('Enter');
    assert.equal((await panel.waitPosted('submit'))[0]?.text, '@carzzz');
  });

  it('goes with its word: out of the text is out of the message, and undo brings both back', async () => {
    await open();
    await mention('@ca', 'ca', [cart]);
    await panel.page.keyboard.press('Enter');
    const [attach] = await panel.waitPosted('attach');
    await attachments({ id: attach?.id ?? '', name: 'src/cart.ts', token: '@src/cart.ts' });
    await comesTo(['src/cart.ts'], () => chips());
    await panel.page.keyboard.press('Backspace');
    await panel.page.keyboard.type('x');
    await comesTo(0, () => panel.region('attachments').count(), '@src/cart.tsx is another file');
    await panel.page.keyboard.press('Backspace');
    await comesTo(['src/cart.ts'], () => chips());
    await panel.page.keyboard.press('Control+A');
    await panel.page.keyboard.press('Delete');
    await comesTo(0, () => panel.region('attachments').count());
    await panel.page.keyboard.press('Control+Z');
    await comesTo(['src/cart.ts'], () => chips());
    await panel.page.getByRole('button', { name: 'Remove src/cart.ts' }).click();
    await comesTo('', () => panel.input.inputValue(), 'removed here, it is removed there');
    assert.equal((await panel.waitPosted('detach'))[0]?.id, attach?.id);
  });

  it('C01 no key of an input method reaches the list', async () => {
    await open();
    await mention('@ca', 'ca', [cart, card]);
    await panel.input.evaluate((field) => {
      for (const key of ['Enter', 'Tab', 'ArrowDown', 'Escape']) field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: true }));
    });
    await panel.drawn();
    await comesTo('cart.ts', () => list().getByRole('option', { selected: true }).locator('.suggestion-label').textContent());
    await comesTo('@ca', () => panel.input.inputValue());
    assert.deepEqual(panel.posted('attach'), []);
  });

  it('a button offers it to who does not know the sign', async () => {
    await open();
    await panel.page.keyboard.type('look');
    await panel.page.getByRole('button', { name: 'Add context' }).click();
    await comesTo('look @', () => panel.input.inputValue());
    await asked('');
  });
});
