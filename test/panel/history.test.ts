import assert from 'node:assert/strict';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

describe('history and take-over in the chat page', () => {
  before(() => stage.start());
  after(() => stage.stop());
  beforeEach(async () => {
    panel = await stage.open(fresh(), { height: 880 });
  });
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('what stood in the box can be read and copied, the reason stands beside it, and no key sends or changes it', async () => {
    await panel.showScene('stale-draft');
    await panel.region('composer').getByText('This session is history: its goal was recreated').waitFor();
    await panel.input.focus();
    for (const key of ['x', 'Backspace', 'ArrowUp', 'Enter', 'Control+Enter']) await panel.page.keyboard.press(key);
    await panel.drawn();
    await comesTo('This was being written when the goal was recreated.', () => panel.input.inputValue());
    assert.deepEqual(panel.posted('submit'), []);
    await comesTo(true, () => panel.page.getByRole('button', { name: 'Send' }).isDisabled());
  });

  it('an offer to carry messages over is put into the box with the caret before it, and can be changed and removed', async () => {
    await panel.send({ type: 'prefill', text: '\n\nWhat was said before', caret: 'start' });
    await comesTo(0, () => panel.input.evaluate((field: HTMLTextAreaElement) => (field === document.activeElement ? field.selectionStart : -1)));
    await panel.page.keyboard.type('go on');
    await comesTo('go on\n\nWhat was said before', () => panel.input.inputValue());
    assert.deepEqual(panel.posted('submit'), []);
    await panel.input.fill('');
    await comesTo('', () => panel.input.inputValue());
  });

  it('a refused take-over is offered again, and only once its time has come', async () => {
    await panel.showScene('take-over-later');
    const again = panel.region('toast').getByRole('button', { name: /Take Over Here/ });
    await comesToMatch(/^Take Over Here in \d+ s$/, () => again.textContent());
    await comesTo(true, () => again.isDisabled());
    await panel.send({ type: 'toast', message: 'It may still come back.', next: '', again: { label: 'Take Over Here', command: 'takeOver', at: Date.now() - 1 } });
    await panel.region('toast').getByRole('button', { name: 'Take Over Here', exact: true }).click();
    assert.deepEqual(await panel.waitPosted('run'), [{ type: 'run', command: 'takeOver' }]);
    await panel.region('toast').waitFor({ state: 'detached' });
  });

  it('a take-over before the first message is told by the session itself', async () => {
    await panel.showScene('taken-over-empty');
    await panel.region('taken-over').getByText('This session was taken over').waitFor();
    await panel.showScene('taken-over');
    await comesTo(0, () => panel.region('taken-over').count());
    await panel.page.getByText('This session was taken over').waitFor();
  });

  it('each source of the readback looks different, not by its colour alone, and says what it is', async () => {
    const seen: (readonly [string | null, string, string])[] = [];
    for (const name of ['answered', 'empty-agent', 'unrecognized']) {
      await panel.showScene(name);
      const chip = panel.chip('mode');
      seen.push([await chip.getAttribute('data-source'), await chip.evaluate((element) => getComputedStyle(element).borderTopStyle), await chip.locator('.codicon').getAttribute('class') ?? '']);
      assert.ok((await chip.getAttribute('title') ?? '').length > 40);
    }
    assert.deepEqual(seen.map(([source, border]) => [source, border]), [['session_readback', 'solid'], ['unbound', 'dashed'], ['unrecognized', 'double']]);
    assert.equal(new Set(seen.map(([, , icon]) => icon)).size, 3);
  });
});
