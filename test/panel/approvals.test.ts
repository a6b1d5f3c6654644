import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { scenes } from '../support/panelHarness/scenes.ts';
import { SessionScript, WITH_ALWAYS } from '../support/panelHarness/script.ts';
import { change } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

const subject = (label = 'src/cart.ts') => ({ kind: 'edit' as const, mode: 'hosted' as const, changes: [change(label)] });

function asking() {
  const script = new SessionScript();
  const turn = script.start('change the prices');
  const ask = (label = 'src/cart.ts', more: Parameters<SessionScript['ask']>[2] = {}) =>
    script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change(label) }), subject(label), more);
  return { script, turn, ask };
}

describe('a request in the chat page', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('shows the answers as the agent gave them: what allows first, what refuses last', async () => {
    const { script, ask } = asking();
    const { approvalId } = ask('src/cart.ts', { options: [...WITH_ALWAYS] });
    panel = await stage.open(script.state());
    const card = panel.approval(approvalId);
    await comesTo(['Allow once', 'Always in this session', 'Reject'], () => card.locator('[data-option-kind]').allTextContents());
    await card.getByText('“Always in this session”: Codex keeps this rule itself. Attaché stores nothing, and cannot list or revoke it.').waitFor();
    await card.getByText('return Math.round(value);').waitFor();
    await card.getByRole('button', { name: 'Open Diff' }).click();
    assert.equal((await panel.waitPosted('openDiff'))[0]?.approvalId, approvalId);
  });

  it('C03 two at once are counted and answered in any order, each to its own id', async () => {
    const { script, ask } = asking();
    const [first, second] = [ask('a.txt'), ask('b.txt')];
    panel = await stage.open(script.state(), { height: 1000 });
    await panel.approval(first.approvalId).getByText('1 of 2').waitFor();
    await panel.approval(second.approvalId).getByText('2 of 2').waitFor();
    await comesTo('Needs you (2)', () => panel.chip('state').textContent());
    await panel.approval(second.approvalId).getByRole('button', { name: 'Allow once' }).click();
    await panel.approval(first.approvalId).getByRole('button', { name: 'Reject', exact: true }).click();
    const answers = await panel.waitPosted('decide', 2);
    assert.deepEqual(answers.map(({ approvalId, optionId, actionDigest }) => [approvalId, optionId, actionDigest]), [
      [second.approvalId, 'once', second.actionDigest], [first.approvalId, 'no', first.actionDigest],
    ]);
    script.settle(second, 'approved');
    script.settle(first, 'rejected');
    await panel.play(script);
    await panel.approval(first.approvalId).getByText('Rejected here').waitFor();
    await comesTo('Working', () => panel.chip('state').textContent());
  });

  it('says which hunks are chosen, answers with just these, never for good, and has nothing to approve when none is left', async () => {
    const { script, turn } = asking();
    const lines = [{ t: '-', text: 'a' }, { t: '+', text: 'b' }, { t: ' ', text: 'c' }, { t: '-', text: 'd' }] as const;
    const hunks = [{ fromStart: 0, fromEnd: 1, toStart: 0, toEnd: 1 }, { fromStart: 2, fromEnd: 3, toStart: 2, toEnd: 2 }];
    const both = change('a.txt', { lines: [...lines], hunks });
    const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: both }), { kind: 'edit', mode: 'hosted', changes: [both] }, { options: [...WITH_ALWAYS] });
    const { approvalId } = approval;
    const state = script.state();
    panel = await stage.open(state, { height: 1000 });
    const card = panel.approval(approvalId);
    await card.getByRole('checkbox', { name: 'Change 2 of 2' }).click();
    assert.deepEqual(await panel.waitPosted('chooseHunk'), [{ type: 'chooseHunk', approvalId, change: 0, hunk: 1, chosen: false }]);
    const leave = (left: string[]): Promise<void> => panel.send({ type: 'chrome', chrome: { ...state.chrome, leftOut: { [approvalId]: left } } });
    await leave(['0.0', '0.1']);
    await card.getByText('Change 1 of 2: left out').waitFor();
    for (const name of ['Allow once (0 of 2 changes)', 'Always in this session']) await card.getByRole('button', { name }).click({ force: true });
    await leave(['0.1']);
    await card.getByRole('button', { name: 'Always in this session' }).click({ force: true });
    await card.getByRole('button', { name: 'Allow once (1 of 2 changes)' }).click();
    assert.deepEqual((await panel.waitPosted('decide')).map(({ optionId, part }) => [optionId, part]), [['once', [[0]]]]);
    script.settle(approval, 'approved', { part: [[0]], optionId: 'once' });
    await panel.play(script);
    await card.getByText(/Approved here: 1 of 2 changes/).waitFor();
  });

  it('takes one press: the buttons rest until the answer is known or has failed', async () => {
    const { script, ask } = asking();
    const { approvalId } = ask();
    panel = await stage.open(script.state());
    const allow = panel.approval(approvalId).getByRole('button', { name: 'Allow once' });
    await allow.dblclick();
    await allow.evaluate((button: HTMLElement) => { button.click(); });
    await panel.drawn();
    assert.equal((await panel.waitPosted('decide')).length, 1);
    await comesTo('true', () => allow.getAttribute('aria-disabled'));
    await panel.send({ type: 'decideFailed', approvalId });
    await panel.drawn();
    await allow.click();
    assert.equal((await panel.waitPosted('decide', 2)).length, 2);
  });

  it('C04 a withdrawn request cannot be pressed, and stays readable', async () => {
    const { script, ask, turn } = asking();
    const approval = ask();
    panel = await stage.open(script.state());
    const old = await panel.approval(approval.approvalId).getByRole('button', { name: 'Allow once' }).elementHandle();
    script.settle(approval, 'cancelled', { cause: 'turn_cancelled' });
    script.endTurn(turn, 'cancelled');
    await panel.play(script);
    const receipt = panel.approval(approval.approvalId);
    await receipt.getByText('Withdrawn: the turn was stopped').waitFor();
    await comesTo('cancelled', () => receipt.getAttribute('data-status'));
    await old?.evaluate((button) => { (button as HTMLElement).click(); });
    assert.deepEqual(panel.posted('decide'), []);
    await comesTo(0, () => receipt.locator('[data-option-kind]').count());
    await receipt.getByRole('button').click();
    await receipt.getByText('return Math.round(value);').waitFor();
  });

  it('C06 a lost request says so and offers nothing but to be read', async () => {
    const { script, ask, turn } = asking();
    const approval = ask();
    script.settle(approval, 'orphaned', { cause: 'executor_restarted' });
    script.endTurn(turn, 'interrupted', { cause: 'executor_restarted' });
    panel = await stage.open(script.state());
    await panel.approval(approval.approvalId).getByText('Not answered; nothing was run: the window that ran it was restarted').waitFor();
    await comesTo(0, () => panel.approval(approval.approvalId).locator('[data-option-kind]').count());
    await panel.page.getByRole('button', { name: 'Retry' }).dblclick();
    assert.deepEqual((await panel.waitPosted('retry')).map(({ turnId }) => turnId), [turn.turnId]);
    await panel.send({ type: 'toast', message: 'The link is lost.', next: '' });
    await panel.drawn();
    await panel.page.getByRole('button', { name: 'Retry' }).click();
    await panel.waitPosted('retry', 2);
    await comesTo(0, () => panel.page.getByText('[object').count());
  });

  it('says who decided when another client was first', async () => {
    const { script, ask } = asking();
    const approval = ask();
    panel = await stage.open(script.state());
    script.settle(approval, 'approved', { decidedBy: { by: 'client', clientId: 'cli-1', clientKind: 'cli', rule: null } });
    await panel.play(script);
    await panel.approval(approval.approvalId).getByText(/Approved in CLI · .*14:02/).waitFor();
  });

  it('says above its buttons why it is asked again, and leaves one clear line of what was approved before', async () => {
    panel = await stage.open(scenes['asked-again']?.() ?? null, { height: 900 });
    const turns = panel.page.locator('[data-turn-id]');
    const said = async (turn: number, status: string): Promise<string> => (await turns.nth(turn).locator(`[data-status="${status}"]`).textContent()) ?? '';
    const card = turns.nth(1).locator('[data-status="pending"]');
    const warning = await card.locator('.card-warning').boundingBox();
    const answers = await card.getByRole('group', { name: 'Answers' }).boundingBox();
    assert.ok(warning && answers && warning.y + warning.height <= answers.y);
    assert.match(await said(1, 'pending'), /changed on the same lines/);
    for (const turn of [0, 1]) assert.match(await said(turn, 'approved'), /Approved here, then asked again: the file had changed · .*14:02$/);
    assert.match(await said(0, 'rejected'), /Rejected here · .*14:02 · “use floor instead”$/);
  });

  it('says that the file changed where nothing more is known', async () => {
    const { script, ask, turn } = asking();
    const tool = script.item(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Edit src/cart.ts', locations: [] });
    script.settle(script.ask(tool, subject()), 'approved');
    const { approvalId } = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }, '', { parentId: tool.itemId }), subject());
    const other = ask('b.txt');
    panel = await stage.open(script.state());
    await panel.approval(approvalId).getByText('The file changed after you approved; this is what applying it now comes to.').waitFor();
    await comesTo(0, () => panel.approval(other.approvalId).locator('.card-warning').count());
  });

  it('makes Reject the first choice of who writes why not', async () => {
    const { script, ask } = asking();
    const { approvalId } = ask();
    panel = await stage.open(script.state());
    const card = panel.approval(approvalId);
    await comesTo('Allow once', () => card.locator('.button.primary').textContent());
    await card.getByRole('button', { name: 'Add a comment to the refusal' }).click();
    await card.getByText('Ctrl Enter rejects').waitFor();
    await comesTo(['Reject'], () => card.locator('.button.primary').allTextContents());
  });

  it('takes a comment with a refusal, and the shortcut that allows does not reach the comment', async () => {
    const { script, ask } = asking();
    const { approvalId } = ask();
    panel = await stage.open(script.state());
    const card = panel.approval(approvalId);
    await card.getByRole('button', { name: 'Allow once' }).focus();
    assert.equal((await panel.waitPosted('focus')).at(-1)?.approvalId, approvalId);
    await card.getByRole('button', { name: 'Add a comment to the refusal' }).click();
    await panel.page.keyboard.type('use the other helper');
    await until(() => panel.posted('focus').at(-1)?.approvalId === null, () => 'the focus to be in the comment');
    await panel.page.keyboard.press('Control+Enter');
    const [answer] = await panel.waitPosted('decide');
    assert.deepEqual([answer?.optionId, answer?.comment], ['no', 'use the other helper']);
  });

  it('C07 never takes keys being typed, nor focus, caret or draft', async () => {
    const { script, ask } = asking();
    panel = await stage.open(script.state());
    const text = 'please add 2 lines and 1 test';
    await panel.input.click();
    const typing = panel.page.keyboard.type(text, { delay: 15 });
    const first = ask('a.txt');
    await panel.play(script);
    ask('b.txt');
    await panel.play(script);
    await typing;
    await panel.page.keyboard.press('ArrowLeft');
    ask('c.txt');
    await panel.play(script);
    await panel.approval(first.approvalId).waitFor();
    for (const key of ['1', 'y', 'Space', 'n', 'a']) await panel.page.keyboard.press(key);
    await comesTo(`${text.slice(0, -1)}1y na${text.slice(-1)}`, () => panel.input.inputValue());
    await comesTo(text.length + 4, () => panel.input.evaluate((field: HTMLTextAreaElement) => field === document.activeElement && field.selectionStart));
    await comesTo(true, () => panel.input.isVisible());
    assert.deepEqual(panel.posted('decide'), []);
    await panel.page.keyboard.press('Enter');
    await panel.waitPosted('submit');
    assert.deepEqual(panel.posted('decide'), []);
  });

  it('C07 keys pressed on the page itself answer nothing', async () => {
    const { script, ask } = asking();
    ask();
    panel = await stage.open(script.state());
    await panel.region('transcript').focus();
    for (const key of ['1', 'y', 'Space', 'Enter', 'Escape', 'Control+Enter']) await panel.page.keyboard.press(key);
    assert.deepEqual(panel.posted('decide'), []);
  });

  it('is reached by Tab and answered there by Enter, and its receipt keeps the focus', async () => {
    const { script, ask } = asking();
    const approval = ask();
    panel = await stage.open(script.state());
    await panel.region('transcript').focus();
    const isOnAllow = () => panel.page.evaluate(() => document.activeElement?.textContent === 'Allow once');
    for (let presses = 0; presses < 12 && !(await isOnAllow()); presses += 1) await panel.page.keyboard.press('Tab');
    await panel.page.keyboard.press('Enter');
    await panel.waitPosted('decide');
    script.settle(approval, 'approved');
    await panel.play(script);
    await panel.approval(approval.approvalId).getByText('Approved here').waitFor();
    await comesTo('approved', () => panel.page.evaluate(() => document.activeElement?.closest('[data-approval-id]')?.getAttribute('data-status')));
  });

  it('C07 its end brings the focus back to nobody who has just called for the command palette', async () => {
    const { script, ask } = asking();
    const approval = ask();
    panel = await stage.open(script.state());
    await panel.approval(approval.approvalId).getByRole('button', { name: 'Allow once' }).focus();
    await panel.page.evaluate(() => {
      const told = globalThis as unknown as { waited: Promise<number> };
      told.waited = new Promise((done) => {
        document.addEventListener('keydown', ({ timeStamp }) => document.addEventListener('focusin', (event) => done(event.timeStamp - timeStamp), { once: true }), { once: true });
      });
    });
    await panel.page.keyboard.press('F1');
    script.settle(approval, 'approved');
    await panel.play(script);
    assert.ok((await panel.page.evaluate(() => (globalThis as unknown as { waited: Promise<number> }).waited)) >= 450);
    await comesTo('approved', () => panel.page.evaluate(() => document.activeElement?.closest('[data-approval-id]')?.getAttribute('data-status')));
  });

  it('comes into view when a person asks for it, and takes the focus only then', async () => {
    const { script, ask, turn } = asking();
    const approval = ask();
    script.done(turn, { kind: 'agent_message' }, 'text\n\n'.repeat(200));
    panel = await stage.open(script.state());
    const card = panel.approval(approval.approvalId);
    await until(async () => !(await isInView(card)), () => 'the card to be out of view');
    await panel.input.focus();
    await panel.send({ type: 'reveal', approvalId: approval.approvalId, focus: false });
    await until(() => isInView(card), () => 'the card to be in view');
    await comesTo(true, () => panel.input.evaluate((field) => field === document.activeElement));
    await panel.chip('state').click();
    await until(() => card.evaluate((element) => element === document.activeElement), () => 'the focus on the card');
    for (const key of ['Space', 'Enter', 'y', '1']) await panel.page.keyboard.press(key);
    await panel.drawn();
    assert.equal(panel.posted('decide').length, 0);
    await panel.page.keyboard.type('1y');
    assert.deepEqual(panel.posted('decide'), []);
  });

  it('C07 is answered by its keys only while the focus is on it: once, never "always"', async () => {
    const { script, ask } = asking();
    const [first, second] = [ask('a.txt', { options: [...WITH_ALWAYS] }), ask('b.txt')];
    panel = await stage.open(script.state(), { height: 1000 });
    await panel.input.focus();
    for (const key of ['Control+Enter', 'Control+Backspace']) await panel.page.keyboard.press(key);
    await panel.send({ type: 'reveal', approvalId: first.approvalId, focus: true });
    await until(() => panel.approval(first.approvalId).evaluate((element) => element === document.activeElement), () => 'the focus on the card');
    for (const key of ['Enter', 'Space', 'Backspace', 'Control+Shift+Enter', 'Control+Alt+Enter']) await panel.page.keyboard.press(key);
    await panel.drawn();
    assert.deepEqual(panel.posted('decide'), []);
    await panel.page.keyboard.press('Control+Enter');
    await panel.page.keyboard.press('Control+Enter');
    await panel.approval(second.approvalId).getByRole('button', { name: 'Open Diff' }).focus();
    await panel.page.keyboard.press('Control+Backspace');
    const answers = await panel.waitPosted('decide', 2);
    assert.deepEqual(answers.map(({ approvalId, optionId }) => [approvalId, optionId]), [[first.approvalId, 'once'], [second.approvalId, 'no']]);
  });

  it('shows the exact command, its folder and the variables it sets, hidden characters too', async () => {
    const { script, turn } = asking();
    const item = script.item(turn, { kind: 'command', command: 'x', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 });
    const command = 'printf "%s" "$A" \u202E&& rm -r build';
    const approval = script.ask(item, { kind: 'command', command, cwd: '/home/me/demo', envNames: ['A', 'LONG_NAME'] });
    panel = await stage.open(script.state());
    const card = panel.approval(approval.approvalId);
    await comesTo(command.replace('\u202E', 'U+202E'), () => card.locator('pre').textContent());
    await comesTo('Folder: /home/me/demo', () => card.locator('.folder').textContent());
    await card.getByText('Sets these variables: A, LONG_NAME').waitFor();
  });

  it('shows a long folder’s beginning and end where the chat is narrow, and the whole of it where there is room', async () => {
    const { script, turn } = asking();
    const cwd = `/home/me/${'far/away/'.repeat(8)}packages/shop`;
    const item = script.item(turn, { kind: 'command', command: 'x', cwd, envNames: [], exitCode: null, signal: null, cut: 0 });
    const { approvalId } = script.ask(item, { kind: 'command', command: 'x', cwd, envNames: [] });
    panel = await stage.open(script.state(), { width: 300 });
    const folder = panel.approval(approvalId).locator('.folder');
    await comesTo(`Folder: ${cwd}`, () => folder.textContent());
    const parts = () => folder.locator('span').evaluateAll((all) => all.map((part) => [part.scrollWidth > part.clientWidth, part.clientWidth > 20, part.getBoundingClientRect().right < window.innerWidth]));
    await comesTo([[true, true, true], [false, true, true]], parts);
    await panel.page.setViewportSize({ width: 1200, height: 700 });
    await comesTo([[false, true, true], [false, true, true]], parts);
  });
});

async function isInView(card: ReturnType<PanelHarness['approval']>): Promise<boolean> {
  return card.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const view = element.closest('main')?.getBoundingClientRect();
    return view !== undefined && box.top < view.bottom && box.bottom > view.top;
  });
}
