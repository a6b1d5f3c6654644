import assert from 'node:assert/strict';
import type { ClientTurnId } from '../../src/protocol/ids.ts';
import type { Item } from '../../src/protocol/item/state.ts';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { change } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

const lines = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join('');
const scroll = (): Promise<{ top: number; fromEnd: number }> =>
  panel.region('transcript').evaluate((view) => ({ top: view.scrollTop, fromEnd: view.scrollHeight - view.scrollTop - view.clientHeight }));

/** Remembers the line of text near the upper edge; a later look tells how far it moved, even if it was drawn anew. */
async function mark(): Promise<() => Promise<number>> {
  const at = await panel.region('transcript').evaluate((view) => {
    const box = view.getBoundingClientRect();
    const place = document.caretRangeFromPoint(box.left + 40, box.top + 60);
    const item = place?.startContainer.parentElement?.closest<HTMLElement>('[data-item-id]');
    if (place === null || item === null || item === undefined) throw new Error('no text there');
    return { id: item.dataset['itemId'] ?? '', text: place.startContainer.textContent ?? '' };
  });
  const where = (): Promise<number> => panel.page.locator(`[data-item-id="${at.id}"]`).evaluate((item, text) => {
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() !== null && walker.currentNode.textContent !== text);
    const range = document.createRange();
    range.selectNode(walker.currentNode);
    return range.getBoundingClientRect().top;
  }, at.text);
  const before = await where();
  return async () => Math.abs(await where() - before);
}

/** Remembers the very letter at the upper edge, as lines may break anew; a later look tells how far it moved. */
async function markEdge(): Promise<() => Promise<number>> {
  await panel.region('transcript').evaluate((view) => {
    const box = view.getBoundingClientRect();
    const place = document.caretPositionFromPoint(box.left + 20, box.top + 2);
    if (!(place?.offsetNode instanceof Text)) throw new Error('no text there');
    const range = document.createRange();
    range.setStart(place.offsetNode, place.offset);
    range.setEnd(place.offsetNode, Math.min(place.offset + 1, place.offsetNode.length));
    Object.assign(globalThis, { edgeRange: range });
  });
  const where = (): Promise<number> => panel.page.evaluate(() => (globalThis as unknown as { edgeRange: Range }).edgeRange.getBoundingClientRect().top);
  const before = await where();
  return async () => Math.abs(await where() - before);
}

async function wheel(pixels: number): Promise<void> {
  const before = (await scroll()).top;
  await panel.region('transcript').hover();
  await panel.page.mouse.wheel(0, pixels);
  await until(async () => (await scroll()).top !== before, () => `the view to move by ${pixels}`);
  await settled();
}

/** True when a press on the middle of the answer reaches it. */
const isPressable = (approvalId: string, name: string): Promise<boolean> =>
  panel.approval(approvalId).getByRole('button', { name, exact: true }).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });

/** A wheel's movement is drawn out over some frames. */
async function settled(): Promise<void> {
  let last = Number.NaN;
  await until(async () => {
    await panel.drawn();
    const { top } = await scroll();
    const same = top === last;
    last = top;
    return same;
  }, () => 'the view to rest');
}

async function stream(script: SessionScript, item: Item, from: number, to: number): Promise<void> {
  for (let at = from; at <= to; at += 10) {
    script.delta(item, lines(at, Math.min(at + 9, to)));
    await panel.play(script);
    await panel.drawn();
  }
}

async function streaming() {
  const script = new SessionScript();
  const turn = script.start('stream 400 lines');
  const tool = script.done(turn, { kind: 'tool_call', toolKind: 'read', title: 'Read a file', locations: [] }, lines(1, 12));
  const item = script.item(turn, { kind: 'agent_message' });
  panel = await stage.open(script.state(), { height: 600 });
  await stream(script, item, 1, 50);
  return { script, turn, item, tool };
}

describe('the scroll position', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('follows the end while nobody scrolls', async () => {
    const { script, item } = await streaming();
    await stream(script, item, 51, 120);
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
    await comesTo(0, () => panel.region('jump').count());
  });

  for (const [name, first] of [['a wheel notch', -120], ['a move of 3 px', -3]] as const) {
    it(`C19 stays where the reader is after ${name} upwards, until Jump to latest`, async () => {
      const { script, item } = await streaming();
      await wheel(first);
      let moved = await mark();
      await stream(script, item, 51, 150);
      assert.ok(await moved() <= 2, `moved by ${await moved()} px`);
      await panel.page.locator('[data-region="jump"][data-unseen="true"]').waitFor();
      await wheel(-2000);
      moved = await mark();
      await stream(script, item, 151, 400);
      assert.ok(await moved() <= 2, `moved by ${await moved()} px`);
      await panel.region('jump').click();
      await panel.region('jump').waitFor({ state: 'detached' });
      await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
      script.delta(item, lines(401, 450));
      await panel.play(script);
      await panel.drawn();
      await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
    });
  }

  it('C19 stays where the reader is after a key or the scroll bar moved it', async () => {
    const { script, item } = await streaming();
    await panel.region('transcript').focus();
    await panel.page.keyboard.press('PageUp');
    await settled();
    const moved = await mark();
    await stream(script, item, 51, 150);
    assert.ok(await moved() <= 2, `moved by ${await moved()} px`);
  });

  for (const key of ['ArrowUp', 'PageUp', 'Home', 'Shift+Space']) it(`C19 gives way to ${key} while text streams in`, async () => {
    const { script, item } = await streaming();
    await panel.region('transcript').focus();
    const before = (await scroll()).top;
    await panel.page.keyboard.press(key);
    await stream(script, item, 51, 150);
    await settled();
    assert.ok((await scroll()).top < before, 'it moved up');
    await panel.region('jump').waitFor();
  });

  it('C19 leaves a text field its keys', async () => {
    const { script, turn } = await streaming();
    const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
    await panel.play(script);
    await panel.approval(approval.approvalId).getByRole('button', { name: 'Add a comment to the refusal' }).click();
    const comment = panel.page.getByRole('textbox', { name: 'Comment for the agent' });
    await comment.fill('one\ntwo');
    for (const key of ['ArrowUp', 'Home']) await comment.press(key);
    await settled();
    await comesTo(0, () => panel.region('jump').count());
  });

  it('C19 does not move the line that is read when the panel gets another width, the letters another size or a picture above its own', async () => {
    const script = new SessionScript();
    const prose = (n: number): string => Array.from({ length: 12 }, (_, at) => `${n}.${at} ${'some words of a long paragraph '.repeat(9)}`).join('\n\n');
    const first = script.item(script.start('picture', {}), { kind: 'agent_message' }, prose(0));
    const turn = script.start('prose');
    for (let n = 1; n < 8; n += 1) script.done(turn, { kind: 'agent_message' }, prose(n));
    const late = script.item(turn, { kind: 'agent_message' }, `${'one paragraph without an end '.repeat(200)}`);
    script.take();
    panel = await stage.open(script.state(), { height: 600 });
    await wheel(-2400);
    let moved = await markEdge();
    for (const width of [300, 700, 250, 420]) {
      await panel.page.setViewportSize({ width, height: 600 });
      await settled();
      assert.ok(await moved() <= 2, `${width} px wide moved it by ${await moved()} px`);
    }
    for (const size of [18, 11, null]) {
      const chrome = { ...script.state().chrome, font: { family: null, size } };
      await panel.send({ type: 'chrome', chrome });
      await settled();
      assert.ok(await moved() <= 2, `letters of ${size} px moved it by ${await moved()} px`);
    }
    await wheel(-1800);
    moved = await markEdge();
    const picture = await panel.page.evaluate(() => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [300, 900];
      return canvas.toDataURL('image/png');
    });
    script.delta(first, `\n\n![a picture](${picture})\n\nbelow it`);
    script.delta(late, 'and more');
    await panel.play(script);
    await settled();
    assert.ok(await moved() <= 2, `the picture moved it by ${await moved()} px`);
    await panel.region('transcript').evaluate((view) => { view.scrollTop = 0; });
    await comesTo(900, () => panel.page.getByRole('img', { name: 'a picture' }).evaluate((image: HTMLImageElement) => image.naturalHeight));
  });

  it('C19 gives way to a wheel that turns while text arrives in the same frame', async () => {
    const { script, item } = await streaming();
    const before = (await scroll()).top;
    script.delta(item, lines(51, 90));
    await panel.page.evaluate((events) => {
      document.querySelector('main')?.dispatchEvent(new WheelEvent('wheel', { deltaY: -3, bubbles: true }));
      window.postMessage({ type: 'events', generation: 1, events }, '*');
    }, script.take());
    await panel.page.getByText('line 90').waitFor();
    await panel.drawn();
    assert.equal((await scroll()).top, before);
    await panel.region('jump').waitFor();
  });

  it('C19 does not move the text when a message waits, a request comes or a card above changes', async () => {
    const { script, item, turn } = await streaming();
    const edit = script.item(turn, { kind: 'edit', mode: 'hosted', change: change() });
    const approval = script.ask(edit, { kind: 'edit', mode: 'hosted', changes: [change()] });
    const late = script.item(turn, { kind: 'agent_message' }, lines(1, 200));
    await panel.play(script);
    await panel.drawn();
    await wheel(-1500);
    const moved = await mark();
    script.queue('a message of another client');
    await panel.play(script);
    await panel.drawn();
    assert.ok(await moved() <= 2, `the message moved it by ${await moved()} px`);
    await comesTo('false', () => panel.region('jump').getAttribute('data-unseen'), 'a message that waits is no new output');
    script.settle(approval, 'approved');
    script.endItem(edit);
    await panel.play(script);
    await panel.drawn();
    assert.ok(await moved() <= 2, `the receipt above moved it by ${await moved()} px`);
    await stream(script, late, 201, 260);
    script.endItem(item);
    await panel.play(script);
    await panel.drawn();
    assert.ok(await moved() <= 2, `new text moved it by ${await moved()} px`);
  });

  it('C19 stays where the reader is when they send while the agent works, and follows again with Jump to latest', async () => {
    const { script, item } = await streaming();
    await wheel(-700);
    const moved = await mark();
    await panel.input.fill('next');
    await panel.input.press('Enter');
    const [message] = await panel.waitPosted('submit');
    script.queue('next', { clientTurnId: message?.clientTurnId as ClientTurnId });
    await panel.play(script);
    await panel.region('queue').waitFor();
    await stream(script, item, 51, 80);
    await settled();
    assert.ok(await moved() <= 2, `sending moved it by ${await moved()} px`);
    await comesTo('true', () => panel.region('jump').getAttribute('data-unseen'));
    await panel.region('jump').click();
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
    await stream(script, item, 81, 100);
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end: it follows');
  });

  for (const [name, act] of [
    ['sends a message to an agent that rests', async () => { await panel.input.fill('next'); await panel.input.press('Enter'); }],
    ['lets the queue go on', async () => { await panel.region('queue').getByRole('button', { name: 'Resume' }).click(); }],
  ] as const) {
    it(`shows the end again, and follows it, when the reader ${name}`, async () => {
      const { script, item: first, turn: ended } = await streaming();
      script.endItem(first);
      script.endTurn(ended);
      script.queue('waiting');
      script.updateSession({ queue: { paused: true, pending: 1, oldestAt: 1 } });
      await panel.play(script);
      await wheel(-700);
      await act();
      const turn = script.start('next');
      const item = script.item(turn, { kind: 'agent_message' }, lines(1, 50));
      await panel.play(script);
      await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
      await panel.region('jump').waitFor({ state: 'detached' });
      await stream(script, item, 51, 80);
      const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
      await panel.play(script);
      await panel.drawn();
      await until(() => isPressable(approval.approvalId, 'Reject'), () => 'Reject to be pressable');
    });
  }

  it('shows the end again when the reader retries a turn', async () => {
    const { script, item, turn } = await streaming();
    script.endItem(item, 'interrupted');
    script.endTurn(turn, 'interrupted', { cause: 'executor_lost' });
    script.done(script.start('long'), { kind: 'agent_message' }, lines(1, 60));
    await panel.play(script);
    await panel.page.getByRole('button', { name: 'Retry' }).scrollIntoViewIfNeeded();
    await settled();
    await panel.page.getByRole('button', { name: 'Retry' }).click();
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
    await panel.region('jump').waitFor({ state: 'detached' });
  });

  for (const width of [180, 300, 420]) {
    it(`never covers a button with Jump to latest at ${width} px, and keeps following through one’s own acts on a card`, async () => {
      const { script, turn } = await streaming();
      await panel.page.setViewportSize({ width, height: 520 });
      const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
      await panel.play(script);
      await panel.drawn();
      const card = panel.approval(approval.approvalId);
      await card.getByRole('button', { name: 'Add a comment to the refusal' }).click();
      await panel.page.getByRole('textbox', { name: 'Comment for the agent' }).waitFor();
      await settled();
      await until(async () => (await scroll()).fromEnd <= 2, () => 'the end: the comment unstuck it');
      await comesTo(0, () => panel.region('jump').count());
      for (const name of ['Allow once', 'Reject']) await until(() => isPressable(approval.approvalId, name), () => `${name} to be pressable`);
      await panel.page.mouse.move(width / 2, 200);
      await panel.page.mouse.wheel(0, -12);
      await panel.region('jump').waitFor();
      await settled();
      const covered = await panel.page.evaluate(() => {
        const pill = document.querySelector('[data-region="jump"]')?.getBoundingClientRect();
        const view = document.querySelector('main')?.getBoundingClientRect();
        return pill !== undefined && view !== undefined && pill.top < view.bottom;
      });
      assert.equal(covered, false);
      await panel.region('jump').click();
      await panel.region('jump').waitFor({ state: 'detached' });
      script.settle(approval, 'rejected');
      script.done(turn, { kind: 'agent_message' }, 'You rejected it.');
      await panel.play(script);
      await settled();
      await until(async () => (await scroll()).fromEnd <= 2, () => 'the end: the answer unstuck it');
      await comesTo(0, () => panel.region('jump').count());
    });
  }

  it('follows again when an answer leaves nothing below', async () => {
    const { script, turn } = await streaming();
    await panel.page.setViewportSize({ width: 300, height: 420 });
    const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
    await panel.play(script);
    await settled();
    await wheel(-60);
    await panel.region('jump').waitFor();
    script.settle(approval, 'approved');
    await panel.play(script);
    await panel.region('jump').waitFor({ state: 'detached' });
    await settled();
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
  });

  it('keeps the beginning of what is opened at the end in view', async () => {
    const { script, item, turn } = await streaming();
    script.endItem(item);
    const tool = script.done(turn, { kind: 'tool_call', toolKind: 'read', title: 'Read a long file', locations: Array.from({ length: 150 }, (_, n) => ({ path: `/a/${n}` })) }, 'x');
    await panel.play(script);
    await panel.drawn();
    const row = panel.page.locator(`[data-item-id="${tool.itemId}"]`).getByRole('button').first();
    await row.click();
    await panel.region('jump').waitFor();
    await settled();
    const top = await panel.region('transcript').evaluate((view) => view.getBoundingClientRect().top);
    assert.ok(((await row.boundingBox())?.y ?? 0) >= top - 1);
  });

  it('C19 gives way to a reader who walks up with Tab in a long transcript', async () => {
    const script = new SessionScript();
    for (let n = 0; n < 40; n += 1) {
      const old = script.start(`question ${n}`);
      script.done(old, { kind: 'tool_call', toolKind: 'read', title: `Read ${n}`, locations: [] }, lines(1, 12));
      script.done(old, { kind: 'agent_message' }, lines(1, (n % 4) * 15 + 1));
      script.endTurn(old);
    }
    panel = await stage.open(script.state(), { height: 500 });
    await panel.input.focus();
    for (let n = 0; n < 12; n += 1) await panel.page.keyboard.press('Shift+Tab');
    await panel.region('jump').waitFor();
    await settled();
    assert.ok((await scroll()).fromEnd > 100);
  });

  it('begins at the end of a long transcript, however it is shown first', async () => {
    const script = new SessionScript();
    for (let n = 0; n < 30; n += 1) {
      const old = script.start(`question ${n}`);
      const text = lines(1, (n % 5) * 20 + 1);
      script.done(old, { kind: 'agent_message' }, n % 3 === 0 ? `\`\`\`\n${text}\`\`\`` : text);
      script.endTurn(old);
    }
    panel = await stage.open(script.state({ scroll: null }), { height: 600 });
    await settled();
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end');
    await comesTo(0, () => panel.region('jump').count());
    await panel.page.setViewportSize({ width: 900, height: 20 });
    await panel.drawn();
    await panel.page.setViewportSize({ width: 900, height: 700 });
    await settled();
    await until(async () => (await scroll()).fromEnd <= 2, () => 'the end: after it was small');
    await comesTo(0, () => panel.region('jump').count());
  });

  it('keeps what is pressed under the pointer when it opens', async () => {
    const { script, item, tool } = await streaming();
    script.endItem(item);
    await panel.play(script);
    await panel.region('transcript').evaluate((view) => { view.scrollTop = 0; });
    await panel.drawn();
    const row = panel.page.locator(`[data-item-id="${tool.itemId}"]`).getByRole('button').first();
    const before = await row.boundingBox();
    await row.click();
    await panel.page.getByRole('group', { name: 'Output' }).waitFor();
    await panel.drawn();
    const after = await row.boundingBox();
    assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 0)) <= 2);
  });

  for (const place of ['near the top', 'at the very top'] as const) it(`loads earlier messages ${place} without shifting what is read`, async () => {
    const recent = new SessionScript({}, 50);
    for (let n = 0; n < 20; n += 1) {
      const turn = recent.start(`question ${n}`);
      recent.done(turn, { kind: 'agent_message' }, lines(1, 8));
      recent.endTurn(turn);
    }
    recent.view.earlier = 51;
    panel = await stage.open(recent.state(), { height: 600 });
    if (place === 'near the top') while (panel.posted('history').length === 0) await wheel(-400);
    else await panel.region('transcript').evaluate((view) => { view.scrollTop = 0; });
    await panel.waitPosted('history');
    await settled();
    // There the browser itself keeps nothing in place.
    if (place === 'at the very top') await panel.region('transcript').evaluate((view) => { view.scrollTop = 0; });
    await settled();
    const moved = await mark();
    assert.deepEqual(panel.posted('history'), [{ type: 'history', conversation: 'conversation-1', before: 51 }]);
    const early = new SessionScript();
    for (let n = 0; n < 20; n += 1) {
      const turn = early.start(`earlier question ${n}`);
      early.done(turn, { kind: 'agent_message' }, lines(1, 8));
      early.endTurn(turn);
    }
    const { turns, items, approvals } = early.view;
    const other = <T extends string>(id: T): T => `${id.slice(0, 4)}1${id.slice(5)}` as T;
    await panel.send({ type: 'history', generation: 1, page: { turns: turns.map((turn) => ({ ...turn, turnId: other(turn.turnId) })), items: items.map((item) => ({ ...item, itemId: other(item.itemId), turnId: other(item.turnId) })), approvals, earlier: null } });
    await panel.region('earlier').waitFor({ state: 'detached' });
    await panel.drawn();
    assert.ok(await moved() <= 2, `moved by ${await moved()} px`);
  });

  it('C17 is kept for each conversation and told to the editor', async () => {
    const { script, item } = await streaming();
    await stream(script, item, 51, 150);
    await wheel(-700);
    const { top } = await scroll();
    await until(() => panel.posted('scroll').at(-1)?.place?.itemId !== undefined, () => 'a place');
    const place = panel.posted('scroll').at(-1)?.place ?? null;
    const other = new SessionScript();
    other.endTurn(other.start('pong'));
    await panel.send({ type: 'state', state: other.state({ generation: 2, conversation: 'other' }) });
    await panel.drawn();
    await comesTo(0, () => panel.page.getByText('line 7', { exact: false }).count());
    await panel.send({ type: 'state', state: script.state({ generation: 3, scroll: place }) });
    await panel.drawn();
    await panel.drawn();
    assert.ok(Math.abs((await scroll()).top - top) <= 2, `at ${(await scroll()).top} instead of ${top}`);
    await panel.region('jump').waitFor();
  });
});
