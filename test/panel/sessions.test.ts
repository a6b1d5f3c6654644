import assert from 'node:assert/strict';
import type { SessionPage } from '../../src/protocol/subscription/state.ts';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { chrome } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

/** So many answered messages from a number on. */
function answered(count: number, first: number): SessionScript {
  const script = new SessionScript({}, first);
  for (let n = 0; n < count; n += 1) {
    const turn = script.start(`question ${first + n + 1}`);
    script.done(turn, { kind: 'agent_message' }, `answer\n\n${'more of it\n\n'.repeat(6)}`);
    script.endTurn(turn);
  }
  return script;
}

/** A script's items begin with the same ids: those of an older page are others. */
function pageOf({ view: { turns, items, approvals } }: SessionScript, page: string, earlier: number | null): SessionPage {
  const other = <T extends string>(id: T): T => `${id.slice(0, 4)}${page}${id.slice(5)}` as T;
  return { turns: turns.map((turn) => ({ ...turn, turnId: other(turn.turnId) })), items: items.map((item) => ({ ...item, itemId: other(item.itemId), turnId: other(item.turnId) })), approvals, earlier };
}

describe('sessions in the chat page', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('a place that was found in the transcript is shown, however far up it is, and nothing is followed any more', async () => {
    const recent = answered(20, 40);
    recent.view.earlier = 41;
    panel = await stage.open(recent.state(), { height: 600 });
    const [middle, oldest] = [pageOf(answered(20, 20), '1', 21), pageOf(answered(20, 0), '2', null)];
    const target = oldest.items[7] ?? assert.fail();
    await panel.send({ type: 'revealItem', itemId: target.itemId });
    await panel.waitPosted('history');
    await panel.region('toast').getByText('Looking for the message…').waitFor();
    await panel.send({ type: 'history', generation: 1, page: middle });
    const asked = await panel.waitPosted('history', 2);
    assert.deepEqual(asked.map(({ before }) => before), [41, 21]);
    await panel.send({ type: 'history', generation: 1, page: oldest });
    const found = panel.page.locator('.item.found');
    await found.waitFor();
    assert.equal(await found.getAttribute('data-item-id'), target.itemId);
    const top = (await found.boundingBox())?.y ?? 0;
    const edge = (await panel.region('transcript').boundingBox())?.y ?? 0;
    assert.ok(top >= edge && top <= edge + 60, `${top - edge} px below the edge`);
    await panel.region('jump').waitFor();
    await comesTo(0, () => panel.region('toast').count());
    assert.equal(await panel.page.evaluate(() => document.scrollingElement?.scrollTop), 0, 'the page itself stays where it is');
  });

  it('a place that is not there is said so, once, and asked for no longer', async () => {
    const recent = answered(3, 10);
    recent.view.earlier = 11;
    panel = await stage.open(recent.state());
    await panel.send({ type: 'revealItem', itemId: 'itm_0000000000000000000000none' });
    await panel.waitPosted('history');
    await panel.send({ type: 'history', generation: 1, page: pageOf(answered(10, 0), '1', null) });
    await panel.region('toast').getByText('The message was not found in this session.').waitFor();
    await panel.drawn();
    assert.equal(panel.posted('history').length, 1);
  });

  it('each turn that ended can be forked from, by mouse and keyboard; one that runs cannot', async () => {
    const script = answered(2, 0);
    script.start('still running');
    panel = await stage.open(script.state());
    const forks = panel.page.locator('[data-act="fork"]');
    await comesTo(2, () => forks.count());
    const opacity = (): Promise<string> => forks.last().evaluate((button) => getComputedStyle(button.parentElement ?? button).opacity);
    await comesTo('0', opacity);
    await forks.last().focus();
    await comesTo('1', opacity);
    await panel.page.keyboard.press('Enter');
    assert.deepEqual(await panel.waitPosted('run'), [{ type: 'run', command: 'forkSession', about: script.view.turns[1]?.turnId }]);
    await comesToMatch(/^Fork from Here/, () => forks.last().getAttribute('aria-label'));
  });

  it('C27 says in which of several folders it works, lets it be chosen before the first message, and marks a removed one', async () => {
    const folder = { name: 'other', path: '/w/other', isOpen: true };
    panel = await stage.open(new SessionScript().state({ view: null, chrome: chrome({ folder }) }));
    await comesToMatch(/other/, () => panel.chip('folder').innerText());
    await panel.chip('folder').click();
    assert.deepEqual(await panel.waitPosted('run'), [{ type: 'run', command: 'chooseFolder' }]);
    await panel.send({ type: 'state', state: answered(1, 0).state({ generation: 2, chrome: chrome({ folder: { ...folder, isOpen: false } }) }) });
    await comesToMatch(/other · not open/, () => panel.chip('folder').innerText());
    await panel.page.locator('[data-banner="folder-gone"]').getByRole('button', { name: 'Add Folder Back' }).click();
    assert.deepEqual((await panel.waitPosted('run', 2)).at(-1), { type: 'run', command: 'addFolder' });
    await comesTo(true, () => panel.page.getByRole('button', { name: 'Send' }).isDisabled());
    await panel.send({ type: 'chrome', chrome: chrome() });
    await comesTo(0, () => panel.chip('folder').count());
  });
});
