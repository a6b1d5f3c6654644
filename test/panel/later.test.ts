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

  it('sends without it, says that nothing can be found, and brings it when asked again', async () => {
    const script = new SessionScript();
    await open(script);
    release('');
    await panel.input.fill('/compact');
    await panel.input.press('Enter');
    assert.equal((await panel.waitPosted('submit'))[0]?.text, '/compact');
    await panel.page.unroute('**/later.js');
    await panel.page.route('**/later.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await panel.page.keyboard.press('Control+f');
    await panel.region('toast').getByText('Finding in the chat could not be loaded. Try again').waitFor();
    assert.equal(await finding().count(), 0);
    await panel.page.unroute('**/later.js');
    await panel.page.keyboard.press('Control+f');
    await finding().waitFor();
  });
});
