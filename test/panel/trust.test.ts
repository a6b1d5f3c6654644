import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();

describe('sub-agents, acts without asking, commands that wait, and held sessions', () => {
  let panel: PanelHarness;
  before(() => stage.start());
  after(() => stage.stop());
  beforeEach(async () => {
    panel = await stage.open(fresh(), { height: 880 });
  });
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('C03 a sub-agent’s request stands in below the call that runs it, says who asks, and is answered by itself', async () => {
    await panel.showScene('nested');
    const card = panel.page.locator('.item[data-kind="tool_call"] > .item[data-kind="tool_call"] [data-approval-id]');
    await comesTo('Asked by a sub-agent: Look into the failing tests', () => card.locator('.asker').innerText());
    const left = async (text: string): Promise<number> => (await panel.page.getByText(text, { exact: true }).first().boundingBox())!.x;
    assert.ok((await left('Read test/cart.test.ts')) > (await left('Look into the failing tests')) + 4);
    await card.getByRole('button', { name: 'Allow once' }).click();
    const [decided] = await panel.waitPosted('decide');
    assert.equal(decided!.approvalId, await card.getAttribute('data-approval-id'));
  });

  it('C42 what was done without asking says so, on its own row', async () => {
    await panel.showScene('nested');
    await comesTo(['did not ask'], () => panel.page.locator('.end.unasked').allInnerTexts());
    await panel.page.getByText('The agent did this without asking: Edit docs/rounding.md', { exact: false }).waitFor();
  });

  it('C25 a command that waits for input says so, and is stopped from its card alone', async () => {
    await panel.showScene('nested');
    const card = panel.page.locator('.card.command');
    await comesTo('waiting for input', () => card.locator('.run-state').innerText());
    await card.getByText('nobody can type', { exact: false }).waitFor();
    await card.getByRole('button', { name: 'Kill this command' }).click();
    const [killed] = await panel.waitPosted('killCommand');
    assert.equal(killed!.itemId, await panel.page.locator('.item[data-kind="command"]').getAttribute('data-item-id'));
    assert.equal(panel.posted('stop').length, 0);
  });

  it('R10 a held session says why once, with the last words of its agent, and Try Again lets it go on', async () => {
    await panel.showScene('held');
    await comesTo(1, () => panel.page.locator('[data-banner]').count());
    const banner = panel.page.locator('[data-banner="held"]');
    await banner.getByText('no licence found', { exact: false }).waitFor();
    await comesTo('Held', () => panel.chip('state').textContent());
    await comesTo(1, () => panel.page.getByText('Held — 1 waiting').count());
    await banner.getByRole('button', { name: 'Try Again' }).click();
    assert.equal((await panel.waitPosted('queueResume')).length, 1);
    await comesTo(true, () => panel.input.isEditable());
  });
});
