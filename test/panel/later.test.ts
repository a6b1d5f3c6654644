import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { change, session } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;
let release: (body?: '') => void;

const finding = () => panel.page.getByRole('textbox', { name: 'Find in Chat' });

/** The page of a session, whose second script comes when `release` says so: as it is, or with nothing in it. */
async function open(script: SessionScript): Promise<void> {
  panel = await stage.open(script.state());
  let waits = true;
  let body: string | undefined;
  const released = new Promise<void>((resolve) => {
    release = (given) => {
      body = given;
      resolve();
    };
  });
  await panel.page.route('**/later.js', async (route) => {
    await released;
    if (waits && body !== undefined) await route.fulfill({ contentType: 'text/javascript', body });
    else await route.continue();
    waits = false;
  });
  await panel.page.reload({ waitUntil: 'commit' });
  await panel.input.waitFor();
  await panel.waitPosted('ready', 2);
  await panel.drawn();
}

describe('a page whose script does not come', () => {
  before(() => stage.start());
  after(() => stage.stop());

  for (const [what, body] of [['is not there', null], ['breaks at once', 'throw new Error("broken");'], ['cannot speak with the editor', undefined]] as const) {
    it(`says so, with a way back: the script ${what}`, async () => {
      const panel = await stage.open(null, { motion: true });
      assert.equal(await panel.page.locator('.not-loaded').count(), 0, 'a page that works has nothing of it');
      if (body === undefined) await panel.page.addInitScript(() => { Object.defineProperty(globalThis, 'acquireVsCodeApi', { get: () => { throw new Error('none'); }, set: () => undefined }); });
      else await panel.page.route('**/chat.js', (route) => (body === null ? route.abort() : route.fulfill({ contentType: 'text/javascript', body })));
      await panel.page.reload({ waitUntil: 'load' });
      const told = panel.page.locator('.not-loaded');
      const [delay] = await told.evaluate((element) => element.getAnimations().map((animation) => {
        const { delay } = animation.effect?.getTiming() ?? {};
        animation.finish();
        return delay;
      }));
      assert.equal(delay, 3000, 'nobody sees it on a page that only takes its time');
      assert.equal(await told.evaluate((element) => getComputedStyle(element).visibility), 'visible');
      assert.match(await panel.page.getByRole('alert').innerText(), /could not be loaded.*nothing is lost.*Reload Panel.*Reload Window/s);
      assert.equal(await panel.page.getByRole('link', { name: 'Reload Panel' }).getAttribute('href'), 'command:workbench.action.webview.reloadWebviewAction');
      await panel.close();
    });
  }
});

describe('what the page loads after its first paint', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('keeps what was asked for before it came: to find, to suggest, to announce', async () => {
    const script = new SessionScript({ agent: { ...session().agent, commands: [{ name: 'compact', description: 'Shortens' }] } });
    const turn = script.start('write it');
    await open(script);
    await panel.input.fill('/c');
    script.ask(script.item(turn, { kind: 'agent_message' }), { kind: 'edit', mode: 'hosted', changes: [change('src/cart.ts')] });
    await panel.play(script);
    await panel.page.keyboard.press('Control+f');
    await panel.drawn();
    assert.equal(await finding().count(), 0);
    assert.equal(await panel.region('suggestions').count(), 0);
    release();
    await finding().waitFor();
    assert.equal(await finding().evaluate((element) => element === document.activeElement), true);
    await panel.region('suggestions').getByText('/compact').waitFor();
    await comesTo(1, () => panel.page.getByRole('log').getByText('asks:').count());
  });

  it('sends without it, says what does not work, and brings it when asked again', async () => {
    const script = new SessionScript();
    await open(script);
    script.start('busy');
    script.queue('change me');
    await panel.play(script);
    const missing = panel.region('toast').getByText('A part of this panel could not be loaded, so finding, suggestions and the changing of queued messages do not work. Try again');
    const dismiss = () => panel.region('toast').getByRole('button', { name: 'Dismiss' }).click();
    release('');
    await missing.waitFor();
    await dismiss();
    await panel.input.fill('/compact');
    await panel.input.press('Enter');
    assert.equal((await panel.waitPosted('submit'))[0]?.text, '/compact');
    await panel.page.unroute('**/later.js');
    await panel.page.route('**/later.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await panel.region('queue').getByRole('button', { name: 'Edit this message' }).click();
    await missing.waitFor();
    await dismiss();
    await panel.page.keyboard.press('Control+f');
    await missing.waitFor();
    assert.equal(await finding().count(), 0);
    await panel.page.unroute('**/later.js');
    await panel.page.keyboard.press('Control+f');
    await finding().waitFor();
  });
});
