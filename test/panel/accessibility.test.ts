import assert from 'node:assert/strict';
import { acted, leaveActed, showActed } from '../support/panelHarness/acted.ts';
import { findings } from '../support/panelHarness/axe.ts';
import { comesTo } from '../support/comesTo.ts';
import { type HarnessTheme, type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { scenes } from '../support/panelHarness/scenes.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
const themes: readonly HarnessTheme[] = ['dark', 'light', 'hc', 'hc-light'];
const shown = Object.keys(scenes).filter((name) => name !== 'loading');

/** Everything that can be opened, is. */
async function unfold(panel: PanelHarness): Promise<void> {
  await panel.page.evaluate(() => { for (const fold of document.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')) fold.click(); });
  await panel.drawn();
}

/** A session of so many answered messages. */
function long(turns: number): SessionScript {
  const script = new SessionScript({ title: 'Long' });
  for (let n = 0; n < turns; n += 1) {
    const turn = script.start(`question ${n}`);
    script.done(turn, { kind: 'agent_message' }, `answer ${n}`);
    script.endTurn(turn);
  }
  return script;
}

interface Stop {
  readonly what: string;
  readonly part: string;
  /** Something tells it from the same thing without the focus. */
  readonly ring: boolean;
  readonly seen: boolean;
}

/** Every place that Tab goes to, from the top. */
async function walk(panel: PanelHarness): Promise<Stop[]> {
  await panel.page.evaluate(() => { for (const element of document.querySelectorAll('[data-walked]')) element.removeAttribute('data-walked'); });
  await panel.page.locator('.head').evaluate((element) => { element.tabIndex = -1; element.focus(); });
  const stops: Stop[] = [];
  for (let presses = 0; presses < 200; presses += 1) {
    await panel.page.keyboard.press('Tab');
    const stop = await panel.page.evaluate(() => {
      const element = document.querySelector(':focus:not(body, [data-walked])');
      if (element === null) return null;
      element.setAttribute('data-walked', '');
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
      // The composer's frame stands for its text field.
      const frame = element.matches('.message') ? element.closest('.box') : null;
      const look = (): string => (frame === null ? '' : [getComputedStyle(frame).borderColor, getComputedStyle(frame).outline].join());
      const focused = look();
      if (frame !== null) (element as HTMLElement).blur();
      const plain = look();
      if (frame !== null) (element as HTMLElement).focus();
      const ring = focused !== plain || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !outlineColor.endsWith(', 0)'));
      const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
      const part = ['head', 'banner', 'scroll', 'jump-row', 'foot'].find((name) => element.closest(`.${name}`) !== null) ?? '';
      return { what: element.outerHTML.slice(0, 120), part, ring, seen: Math.min(width, height, bottom, right, innerHeight - top, innerWidth - left) > 0 };
    });
    if (stop === null) break;
    stops.push(stop);
  }
  return stops;
}

describe('the chat page for everybody', () => {
  before(() => stage.start());
  after(() => stage.stop());

  it('C33 has no serious finding of axe-core in any state', async () => {
    const panel = await stage.open(fresh(), { height: 880 });
    const found: unknown[] = [];
    for (const name of shown) {
      await panel.showScene(name);
      // Folded, a state shows less of the same; two say so for all.
      if (name === 'working' || name === 'answered') found.push(...(await findings(panel.page)).map((finding) => ({ name, ...finding })));
      await unfold(panel);
      found.push(...(await findings(panel.page)).map((finding) => ({ name, ...finding })));
    }
    assert.deepEqual(found, []);
    await panel.close();
  });

  for (const theme of themes.slice(1)) {
    it(`C32 C33 has none in the theme ${theme} either, and can be read in any state`, async () => {
      const panel = await stage.open(fresh(), { theme, height: 880 });
      const found: unknown[] = [];
      for (const name of shown) {
        await panel.showScene(name);
        await unfold(panel);
        // Names, roles and order are the same in each theme; only colours differ.
        found.push(...(await findings(panel.page, ['color-contrast', 'link-in-text-block'])).map((finding) => ({ name, ...finding })));
      }
      assert.deepEqual(found, []);
      await panel.close();
    });
  }

  it('has none where a person writes, answers, chooses or has scrolled away', async () => {
    const panel = await stage.open(fresh(), { height: 880 });
    const clean = async (what: string): Promise<void> => assert.deepEqual(await findings(panel.page), [], what);
    for (const name of Object.keys(acted)) {
      await showActed(panel, name);
      await clean(name);
      await leaveActed(panel);
    }
    await panel.showScene('suggesting');
    await panel.region('suggestions').waitFor();
    await clean('commands are offered');
    await panel.show(long(400), { conversation: 'long' });
    await panel.region('transcript').evaluate((element) => { element.scrollTop = element.scrollHeight / 2; });
    await panel.region('jump').waitFor();
    await clean('a long transcript is read in its middle');
    await panel.close();
  });

  it('gives each message a heading of its own below the title, and cards theirs below that', async () => {
    const panel = await stage.open(fresh(), { height: 880 });
    await panel.showScene('working');
    const headings = await panel.page.locator('h1, h2, h3').evaluateAll((all) => all.filter((element) => !element.hasAttribute('aria-level')).map((element) => `${element.tagName} ${element.textContent ?? ''}`.slice(0, 40)));
    assert.deepEqual(headings.map((heading) => heading.slice(0, 2)), ['H1', 'H2', 'H3', 'H3']);
    assert.match(headings[1] ?? '', /Message 1: Prices are rounded/);
    await panel.close();
  });

  for (const theme of themes) {
    it(`can be walked with Tab from top to bottom in the theme ${theme}, and shows where one is`, async () => {
      const panel = await stage.open(fresh(), { theme, height: 880 });
      for (const name of ['working', 'requests', 'queued', 'ends', 'disconnected', 'empty-offline', 'suggesting']) {
        await panel.showScene(name);
        const stops = await walk(panel);
        assert.ok(stops.length > 4, `${name}: ${stops.length} stops`);
        assert.deepEqual(stops.filter(({ ring, seen }) => !ring || !seen), [], name);
        const parts = stops.map(({ part }) => part).filter((part, index, all) => part !== all[index - 1]);
        assert.deepEqual(parts, ['head', 'banner', 'scroll', 'jump-row', 'foot'].filter((part) => parts.includes(part)), name);
      }
      await panel.close();
    });
  }

  it('leaves the keyboard where it was when a request comes', async () => {
    const panel = await stage.open(fresh(), { height: 880 });
    await panel.showScene('answered');
    await panel.input.focus();
    await panel.showScene('requests');
    await panel.page.locator('[data-approval-id]').first().waitFor();
    await panel.drawn();
    assert.equal(await panel.input.evaluate((input) => input === document.activeElement), true);
    await panel.close();
  });

  it('goes on in the composer when what had the keyboard is gone, but takes it from nowhere else', async () => {
    const panel = await stage.open(fresh(), { height: 880 });
    const script = new SessionScript({ queue: { paused: true, pending: 1, oldestAt: 1 } });
    script.endTurn(script.start('Work.'), 'cancelled');
    const waiting = script.queue('Later.');
    await panel.show(script, { conversation: 'paused' });
    await panel.region('queue').getByRole('button', { name: 'Resume' }).focus();
    script.updateTurn(waiting, { state: 'running' });
    await panel.play(script);
    await panel.region('queue').waitFor({ state: 'detached' });
    await comesTo(true, () => panel.input.evaluate((input) => input === document.activeElement));

    const next = script.queue('Later still.');
    await panel.play(script);
    await panel.region('queue').getByRole('button', { name: 'Remove this message' }).focus();
    await panel.page.evaluate(() => { window.dispatchEvent(new Event('blur')); });
    script.updateTurn(next, { state: 'running' });
    await panel.play(script);
    await panel.region('queue').waitFor({ state: 'detached' });
    await panel.drawn();
    await comesTo(false, () => panel.input.evaluate((input) => input === document.activeElement));
    await panel.close();
  });

  it('has none before the first state, nor after a failure', async () => {
    const panel = await stage.open(null);
    assert.deepEqual(await findings(panel.page), []);
    await panel.page.evaluate(() => { window.dispatchEvent(new ErrorEvent('error', { message: 'x', error: new Error('planted') })); });
    await panel.region('page-error').waitFor();
    assert.deepEqual(await findings(panel.page), []);
    await panel.close();
  });
});
