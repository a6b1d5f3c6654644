import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo } from '../support/comesTo.ts';
import { weakTexts } from '../support/panelHarness/contrast.ts';
import { type HarnessTheme, type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { scenes } from '../support/panelHarness/scenes.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
const themes: readonly HarnessTheme[] = ['dark', 'light', 'hc', 'hc-light'];
const root = path.resolve(import.meta.dirname, '../..');

/** One page for all of them, as a person has one: each is shown after the other. */
async function inEach(names: readonly string[], theme: HarnessTheme, width: number, check: (panel: PanelHarness, name: string) => Promise<void>): Promise<void> {
  const panel = await stage.open(fresh(), { theme, width, height: 880 });
  for (const name of names) {
    await panel.showScene(name);
    await check(panel, name);
  }
  await panel.assertClean();
  await panel.close();
}

/** Those that begin with a state; before the first one there is only the skeleton. */
const shown = Object.keys(scenes).filter((name) => name !== 'loading');

describe('every state of the chat page', () => {
  before(() => stage.start());
  after(() => stage.stop());

  it('fits into 180 px without a sideways scroll bar', async () => {
    await inEach(shown, 'dark', 180, async (panel, name) => {
      const wide = await panel.page.evaluate(() => [...document.querySelectorAll('body, .panel, .scroll, .content, .turn, .card, .banner, .foot, .chips')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0).map((element) => element.className));
      assert.deepEqual(wide, [], name);
    });
  });

  it('says who runs the session in few words where it is narrow', async () => {
    await inEach(['answered'], 'dark', 300, async (panel) => {
      const tops = await panel.page.locator('.chips > li').evaluateAll((chips) => chips.map((chip) => Math.round(chip.getBoundingClientRect().top)));
      // How many rows depends on the machine's fonts; that they share some does not.
      assert.ok(new Set(tops).size < tops.length, `${tops.length} chips, each in a row of its own`);
      await comesTo(false, () => panel.page.locator('[data-chip="mode"] .chip-spare').isVisible());
      await comesTo('Attached · this window', () => panel.chip('mode').textContent());
    });
  });

  it('has the same properties before the first state', async () => {
    const panel = await stage.open(null, { width: 180 });
    await panel.region('loading').waitFor();
    await comesTo(true, () => panel.page.evaluate(() => document.body.scrollWidth <= document.body.clientWidth));
    await comesTo(1, () => panel.page.getByRole('status', { name: 'Loading' }).count());
    await panel.assertClean();
    await panel.close();
  });

  it('names every control and every region for a screen reader', async () => {
    await inEach(shown, 'dark', 420, async (panel, name) => {
      const nameless = await panel.page.evaluate(() => [...document.querySelectorAll('button, textarea, select, [role], section, main')]
        .filter((element) => {
          const label = element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? element.textContent;
          return label === null || label.trim() === '';
        }).map((element) => element.outerHTML.slice(0, 120)));
      assert.deepEqual(nameless, [], name);
      const inline = await panel.page.locator('[style]').evaluateAll((elements) => elements.filter((element) => !(element instanceof HTMLTextAreaElement) && element !== document.documentElement).map((element) => element.outerHTML.slice(0, 80)));
      assert.deepEqual(inline, [], name);
      const foreign = await panel.page.evaluate(() => [
        ...[...document.querySelectorAll('svg, img:not(.thumbnail), canvas, picture')].map((element) => element.outerHTML.slice(0, 120)),
        ...[...document.querySelectorAll('.codicon')].filter((element) => {
          const { content, fontFamily } = getComputedStyle(element, '::before');
          return content === 'none' || content === 'normal' || fontFamily !== 'codicon';
        }).map((element) => element.outerHTML),
        ...[...document.querySelectorAll('body *')].filter((element) => getComputedStyle(element).backgroundImage.includes('url(')).map((element) => element.className),
      ]);
      assert.deepEqual(foreign, [], `${name}: no icon that is no codicon`);
    });
  });

  for (const theme of themes) {
    it(`C32 can be read in the theme ${theme}: text and inline code at 4.5 to 1`, async () => {
      await inEach(['working', 'answered', 'coloured-code', 'requests', 'receipts', 'commands', 'ends', 'queued', 'strange', 'empty-offline', 'failed', 'disconnected', 'stale-goal', 'stale-draft', 'retired-goal', 'no-lifetime', 'unrecognized', 'other-window', 'take-over-refused', 'take-over-later', 'taken-over', 'taken-over-empty'], theme, 420, async (panel, name) => {
        assert.deepEqual(await weakTexts(panel.page, 'body *', 4.5), [], name);
      });
    });
  }

  it('what moves stands still for who asked for less motion, and moves for others', async () => {
    for (const motion of [false, true]) {
      const panel = await stage.open(null, { motion });
      const moving = (): Promise<boolean> => panel.page.evaluate(() => document.getAnimations().some((animation) => animation.playState === 'running'));
      await panel.region('loading').waitFor();
      assert.equal(await moving(), motion, 'the skeleton');
      await panel.showScene('take-over-refused');
      await panel.page.locator('.codicon-loading').first().waitFor();
      assert.equal(await moving(), motion, 'work that goes on');
      await panel.page.locator('.scroll').evaluate((element) => element.setAttribute('data-behavior', getComputedStyle(element).scrollBehavior));
      assert.equal(await panel.page.locator('.scroll').getAttribute('data-behavior'), 'auto');
      await panel.close();
    }
  });

  it('keeps its place when the font of the icons comes late', async () => {
    const panel = await stage.open(null, { width: 320 });
    let release = (): void => undefined;
    const asked = new Promise<void>((resolve) => { release = resolve; });
    await panel.page.route('**/codicon.ttf*', async (route) => {
      await asked;
      await route.continue();
    });
    panel.answer = scenes['answered']?.() ?? null;
    await panel.page.reload({ waitUntil: 'commit' });
    await panel.page.locator('.panel').waitFor();
    await panel.drawn();
    const look = () => panel.page.evaluate(() => ['.head', '.foot', 'main'].map((part) => document.querySelector(part)?.getBoundingClientRect()).map((box) => `${box?.top ?? ''} ${box?.height ?? ''}`));
    const before = await look();
    assert.equal(await panel.page.evaluate(() => document.fonts.check('16px codicon')), false);
    release();
    await comesTo(true, () => panel.page.evaluate(() => document.fonts.check('16px codicon')));
    await panel.drawn();
    assert.deepEqual(await look(), before);
    await panel.close();
  });

  it('an empty session teaches, and a lost link says what happens next', async () => {
    const said: Readonly<Record<string, readonly RegExp[]>> = {
      'empty-offline': [/Say what Offline Agent should do/, /no model and needs no account/, /\/help\s+shows everything it can do/, /Your first message creates a goal/, /Select Agent/],
      'empty-agent': [/Say what Codex should do/, /It works in demo\. Before it changes a file or runs a command, you are asked here\./],
      'carried-over': [/This session works on the goal “/],
      'untrusted': [/Trust this workspace to send messages\./, /no agent is started and nothing is run or changed/],
      'no-folder': [/Open a folder to begin\./, /An agent works in a folder/],
      'disconnected': [/The link to the gateway is lost\. Running work goes on; this panel catches up by itself\. Next attempt in \d+ s/],
      'failed': [/The gateway could not be started or reached\. Run “Attaché: Doctor” to see why\./],
      'folder-gone': [/The folder of this session is not open in this window: it can be read, not continued\. \/home\/me\/demo\/packages\/api/],
      'store-loss': [/could not be read and was left out.*The damaged files are kept; Doctor says where\./],
    };
    await inEach(Object.keys(said), 'dark', 420, async (panel, name) => {
      const text = (await panel.page.locator('.panel').innerText()).replaceAll(/\s+/g, ' ');
      for (const words of said[name] ?? []) assert.match(text, words, name);
    });
  });

  it('offers ways out that the editor understands', async () => {
    const expected: Readonly<Record<string, readonly string[]>> = {
      'untrusted': ['manageTrust'], 'no-folder': ['openFolder'], 'disconnected': ['restartGateway'], 'failed': ['restartGateway', 'doctor', 'showLog'],
      'dead-agent': ['restartAgent', 'showLog'], 'no-agent': ['selectAgent'], 'stale-goal': ['continueInNewSession'], 'no-lifetime': ['continueInNewSession'], 'retired-goal': ['recreateGoal', 'newSession'], 'goal-gone': ['newSession'], 'folder-gone': ['addFolder'], 'store-loss': ['doctor'], 'damaged-goal': ['recreateGoal'],
      'other-window': ['takeOver'], 'closed': ['newSession'], 'no-executor': ['takeOver'], 'unrecognized': ['newSession'],
    };
    await inEach(Object.keys(expected), 'dark', 420, async (panel, name) => {
      const before = panel.posted('run').length;
      const wanted = [...(expected[name] ?? []), 'selectAgent'];
      for (const button of await panel.page.locator('[data-banner] button').all()) await button.click();
      await panel.chip('agent').click();
      assert.deepEqual((await panel.waitPosted('run', before + wanted.length)).slice(before).map(({ command }) => command), wanted, name);
    });
  });

  it('offers a fork only where work is taken', async () => {
    const seen: Record<string, boolean> = {};
    await inEach(['other-window', 'closed', 'stale-goal'], 'dark', 420, async (panel, name) => {
      const forks = panel.page.locator('[data-act="fork"]');
      await forks.first().waitFor({ state: 'attached' });
      seen[name] = await forks.first().isVisible();
    });
    assert.deepEqual(seen, { 'other-window': true, 'closed': false, 'stale-goal': false });
  });

  it('tells a late answer quietly, until it is dismissed', async () => {
    await inEach(['answered'], 'dark', 420, async (panel) => {
      await panel.send({ type: 'toast', message: 'This request was withdrawn.', next: 'Look at the session again.' });
      await panel.region('toast').getByText('This request was withdrawn. Look at the session again.').waitFor();
      await panel.region('toast').getByRole('button', { name: 'Dismiss' }).click();
      await panel.region('toast').waitFor({ state: 'detached' });
    });
  });

  it('uses only colours that VS Code has, and each theme gives the ones that matter', () => {
    const css = fs.globSync('media/chat/**/*.css', { cwd: root }).map((file) => fs.readFileSync(path.join(root, file), 'utf8')).join('\n');
    const known = JSON.parse(fs.readFileSync(path.join(root, 'test/support/panelHarness/themes.json'), 'utf8')) as Record<string, { variables: Record<string, string> }>;
    const all = new Set(Object.values(known).flatMap(({ variables }) => Object.keys(variables)));
    const used = new Set([...css.matchAll(/--vscode-[\w.-]+/g)].map(([name]) => name));
    // Set by VS Code only in some versions.
    const perhaps = new Set(['--vscode-chat-font-size', '--vscode-chat-font-family']);
    assert.deepEqual([...used].filter((name) => !all.has(name) && !perhaps.has(name)), []);
    assert.deepEqual([...css.matchAll(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/gi)].map(([text]) => text), []);
  });
});
