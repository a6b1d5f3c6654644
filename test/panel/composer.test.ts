import assert from 'node:assert/strict';
import type { PanelState } from '../../src/protocol/panel.ts';
import type { ClientTurnId } from '../../src/protocol/ids.ts';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { scenes } from '../support/panelHarness/scenes.ts';
import { attached } from '../support/panelHarness/scenes.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { NOON, change, chrome, fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();
let panel: PanelHarness;

async function open(state: PanelState): Promise<PanelHarness> {
  panel = await stage.open(state);
  return panel;
}

/** What an input method does to a text field: a composition, and a key that belongs to it. */
async function composeWithEnter(key: 'Enter' | 'Escape', form: 'isComposing' | 'keyCode229', label: string): Promise<void> {
  await panel.page.getByRole('textbox', { name: label, exact: true }).evaluate((field: HTMLTextAreaElement, { key, form }) => {
    field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    field.value += 'けいかく';
    field.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: form === 'isComposing' });
    if (form === 'keyCode229') Object.defineProperty(event, 'keyCode', { value: 229 });
    field.dispatchEvent(event);
    field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '計画' }));
  }, { key, form });
  await panel.drawn();
}

describe('the composer', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('sends with Enter, breaks the line with Shift+Enter, and clears', async () => {
    await open(fresh());
    await panel.input.click();
    await panel.page.keyboard.type('first');
    await panel.page.keyboard.press('Shift+Enter');
    await panel.page.keyboard.type('second');
    await comesTo('first\nsecond', () => panel.input.inputValue());
    await panel.page.keyboard.press('Enter');
    const [message] = await panel.waitPosted('submit');
    assert.equal(message?.text, 'first\nsecond');
    assert.equal(message?.conversation, 'conversation-1');
    assert.match(message?.clientTurnId ?? '', /^[0-9a-f-]{36}$/);
    await until(async () => (await panel.input.inputValue()) === '', () => 'an empty composer');
    await panel.region('outbox').getByText('Sending…').waitFor();
  });

  it('sends with Ctrl+Enter where the setting says so, and Enter breaks the line', async () => {
    await open(fresh({ chrome: chrome({ sendWith: 'ctrlEnter' }) }));
    await panel.input.click();
    await panel.page.keyboard.type('one');
    await panel.page.keyboard.press('Enter');
    await panel.page.keyboard.type('two');
    await panel.page.keyboard.press('Control+Enter');
    const [message] = await panel.waitPosted('submit');
    assert.equal(message?.text, 'one\ntwo');
  });

  it('C15 loses and doubles nothing when a key follows within the same frame', async () => {
    await open(fresh());
    await panel.input.click();
    await panel.input.evaluate((field: HTMLTextAreaElement) => {
      const type = (text: string): void => {
        field.value += text;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      };
      type('first');
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      type('second');
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      type('third');
    });
    await panel.drawn();
    assert.deepEqual((await panel.waitPosted('submit', 2)).map(({ text }) => text), ['first', 'second']);
    await comesTo('third', () => panel.input.inputValue());
  });

  it('sends nothing for an empty or blank text', async () => {
    await open(fresh());
    await panel.input.fill('  \n ');
    await panel.input.press('Enter');
    await comesTo(true, () => panel.page.getByRole('button', { name: 'Send' }).isDisabled());
    assert.deepEqual(panel.posted('submit'), []);
  });

  for (const form of ['isComposing', 'keyCode229'] as const) {
    it(`C01 Enter that ends a composed word does not send, the next one sends once (${form})`, async () => {
      await open(fresh());
      await panel.input.click();
      await composeWithEnter('Enter', form, 'Message');
      assert.deepEqual(panel.posted('submit'), []);
      await comesTo('けいかく', () => panel.input.inputValue());
      await panel.input.press('Enter');
      await panel.waitPosted('submit');
      assert.deepEqual(panel.posted('submit').map(({ text }) => text), ['けいかく']);
    });

    it(`C01 Escape in a composition stops nothing and closes nothing (${form})`, async () => {
      const script = new SessionScript();
      const turn = script.start('running');
      const item = script.item(turn, { kind: 'edit', mode: 'hosted', change: change() });
      script.ask(item, { kind: 'edit', mode: 'hosted', changes: [change()] });
      script.queue('waiting');
      await open(script.state());
      await composeWithEnter('Escape', form, 'Message');
      await panel.page.getByRole('button', { name: 'Edit this message' }).click();
      await composeWithEnter('Escape', form, 'Queued message');
      await composeWithEnter('Enter', form, 'Queued message');
      await comesTo('waitingけいかくけいかく', () => panel.page.getByRole('textbox', { name: 'Queued message' }).inputValue());
      await panel.page.getByRole('button', { name: 'Add a comment to the refusal' }).click();
      await composeWithEnter('Escape', form, 'Comment for the agent');
      await comesTo('けいかく', () => panel.page.getByRole('textbox', { name: 'Comment for the agent' }).inputValue());
      assert.deepEqual([...panel.posted('stop'), ...panel.posted('submit'), ...panel.posted('queueEdit'), ...panel.posted('decide')], []);
    });
  }

  it('C16 tells the draft soon, restores it, and keeps what is typed when the same state comes again', async () => {
    await open(fresh({ draft: 'kept\ntext' }));
    await comesTo('kept\ntext', () => panel.input.inputValue());
    await panel.input.focus();
    await panel.page.keyboard.press('End');
    await panel.page.keyboard.type('!');
    const [draft] = await panel.waitPosted('draft');
    assert.deepEqual({ ...draft, at: 0 }, { type: 'draft', conversation: 'conversation-1', text: 'kept\ntext!', at: 0 });
    await panel.send({ type: 'state', state: fresh({ generation: 2, draft: 'kept\ntext' }) });
    await panel.drawn();
    await comesTo('kept\ntext!', () => panel.input.inputValue());
  });

  it('C16 C07 a turn that fails for want of a sign-in takes nothing of what is being written', async () => {
    const script = new SessionScript();
    const turn = script.start('go');
    await open(script.state({ attachments: [attached({ id: 'a', name: 'a.ts' })] }));
    await panel.input.fill('one\ntwo\nthree');
    await panel.input.evaluate((field: HTMLTextAreaElement) => { field.setSelectionRange(4, 7); });
    script.done(turn, { kind: 'error', code: 'agent_authentication_required', next: 'Sign in to the agent in a terminal, then restart it.' }, 'Codex is not signed in.', { state: 'failed' });
    script.endTurn(turn, 'failed', { cause: 'agent_authentication_required' });
    await panel.play(script);
    await panel.send({ type: 'toast', message: 'Codex is not signed in.', next: 'Sign in.' });
    await panel.page.getByRole('button', { name: 'Restart Agent' }).waitFor();
    assert.deepEqual(await panel.input.evaluate((field: HTMLTextAreaElement) => [field.value, field.selectionStart, field.selectionEnd, document.activeElement === field]), ['one\ntwo\nthree', 4, 7, true]);
    await comesTo(['a.ts'], () => panel.region('attachments').locator('.attached-name').allTextContents());
    assert.deepEqual(panel.posted('submit'), []);
  });

  it('C16 keeps draft and caret of each conversation apart', async () => {
    await open(fresh({ conversation: 'one', draft: 'a\nb\nc' }));
    await panel.input.evaluate((field: HTMLTextAreaElement) => { field.focus(); field.setSelectionRange(2, 2); });
    await panel.send({ type: 'state', state: fresh({ generation: 2, conversation: 'two', draft: '' }) });
    await panel.drawn();
    await panel.page.keyboard.type('zwei');
    await panel.send({ type: 'state', state: fresh({ generation: 3, conversation: 'one', draft: 'a\nb\nc' }) });
    await panel.drawn();
    await panel.page.keyboard.type('X');
    await comesTo('a\nXb\nc', () => panel.input.inputValue());
    assert.deepEqual((await panel.waitPosted('draft')).findLast(({ conversation }) => conversation === 'two')?.text, 'zwei');
  });

  it('C14 hands a message over again after a reload, with the same id, until its turn is there', async () => {
    const script = new SessionScript();
    await open(script.state());
    await panel.input.fill('count to five');
    await panel.input.press('Enter');
    const [first] = await panel.waitPosted('submit');
    await panel.page.reload();
    const both = await panel.waitPosted('submit', 2);
    assert.deepEqual(both[1], first);
    await panel.region('outbox').getByText('count to five').waitFor();
    script.start('count to five', { clientTurnId: first?.clientTurnId as ClientTurnId });
    await panel.play(script);
    await panel.region('outbox').waitFor({ state: 'detached' });
    await comesTo(1, () => panel.page.getByText('count to five', { exact: true }).count());
    panel.answer = script.state({ generation: 2 });
    await panel.page.reload();
    await panel.page.locator('[data-turn-id]').waitFor();
    await panel.drawn();
    assert.equal(panel.posted('submit').length, 2);
  });

  it('shows what was not delivered, with the ways out', async () => {
    await open(fresh({ chrome: chrome({ outbox: [{ clientTurnId: 'lost-1', text: 'hello', state: 'failed', message: 'no link' }] }) }));
    const entry = panel.region('outbox').locator('[data-client-turn-id="lost-1"]');
    await comesTo('failed', () => entry.getAttribute('data-state'));
    await entry.getByRole('button', { name: 'Resend' }).click();
    await entry.getByRole('button', { name: 'Discard' }).click();
    assert.equal((await panel.waitPosted('resend'))[0]?.clientTurnId, 'lost-1');
    assert.equal((await panel.waitPosted('discard'))[0]?.clientTurnId, 'lost-1');
  });

  it('C15 queues while something runs; queued messages can be changed and taken back', async () => {
    const script = new SessionScript();
    script.start('running');
    const second = script.queue('B');
    await open(script.state());
    await comesTo('Queue a message for Codex…', () => panel.input.getAttribute('placeholder'));
    const entry = panel.region('queue').locator(`[data-turn-id="${second.turnId}"]`);
    await entry.getByRole('button', { name: 'Edit this message' }).click();
    await panel.page.keyboard.press('End');
    await panel.page.keyboard.type('2');
    await panel.page.keyboard.press('Enter');
    assert.deepEqual((await panel.waitPosted('queueEdit'))[0], { type: 'queueEdit', turnId: second.turnId, text: 'B2', expectedRev: 1 });
    await entry.getByRole('button', { name: 'Remove this message' }).click();
    assert.equal((await panel.waitPosted('queueRemove'))[0]?.turnId, second.turnId);
    script.updateSession({ queue: { paused: true, pending: 1, oldestAt: NOON } });
    await panel.play(script);
    await panel.region('queue').getByText('Paused — 1 waiting').waitFor();
    await panel.region('queue').getByText('Sending a message runs it first.').waitFor();
    await panel.region('queue').getByRole('button', { name: 'Resume' }).click();
    await panel.waitPosted('queueResume');
  });

  it('C24 Stop is there while something runs, says at once that it stops, and is pressed once', async () => {
    const script = new SessionScript();
    const turn = script.start('running');
    await open(script.state());
    await panel.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await panel.page.getByRole('button', { name: 'Stopping' }).waitFor();
    await comesTo('Stopping', () => panel.chip('state').textContent());
    await panel.page.getByRole('button', { name: 'Stopping' }).click({ force: true });
    assert.equal((await panel.waitPosted('stop')).length, 1);
    script.endTurn(turn, 'cancelled');
    await panel.play(script);
    await panel.page.getByText('You stopped this turn.', { exact: true }).waitFor();
    await comesTo(0, () => panel.page.getByRole('button', { name: /^Stop/ }).count());
  });

  it('leaves one quiet line of a message that was taken back', async () => {
    const script = new SessionScript();
    const turn = script.queue('not needed');
    script.endTurn(turn, 'cancelled');
    await open(script.state());
    await panel.page.getByText('Removed before it ran: “not needed”').waitFor();
    await comesTo(0, () => panel.page.locator('.bubble').count());
    await comesTo(0, () => panel.page.getByRole('button', { name: 'Retry' }).count());
  });

  it('keeps its words above Stop at 180 px', async () => {
    const script = new SessionScript();
    script.start('running');
    const state = script.state({ chrome: chrome({ agent: { agentId: 'offline', label: 'Offline Agent', installed: true } }) });
    panel = await stage.open(state, { width: 180 });
    await comesTo([true], () => panel.input.evaluate((field) => [field.scrollHeight <= field.clientHeight]));
  });

  it('offers the agent’s commands after a slash: walks, takes, closes, and sends what is complete', async () => {
    await open(scenes['suggesting']?.() ?? fresh());
    const list = panel.page.getByRole('listbox', { name: 'Commands' });
    const marked = () => panel.input.evaluate((field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.querySelector('code')?.textContent);
    await panel.input.focus();
    await comesTo(['/help', '/edit', '/ls'], () => list.getByRole('option').locator('code').allTextContents());
    await comesTo('/help', () => marked());
    await panel.page.keyboard.press('ArrowUp');
    await until(async () => await marked() === '/ls', () => 'the last one');
    await panel.page.keyboard.press('ArrowUp');
    await until(async () => await marked() === '/edit', () => 'the one before');
    await comesTo(1, () => list.getByRole('option', { selected: true }).count());
    await panel.page.keyboard.press('Enter');
    await until(async () => await panel.input.inputValue() === '/edit ', () => 'the command');
    await list.waitFor({ state: 'detached' });
    await panel.input.fill('/L');
    await list.waitFor();
    await panel.page.keyboard.press('Tab');
    await until(async () => await panel.input.inputValue() === '/ls ', () => 'the command');
    await comesTo(true, () => panel.input.evaluate((field) => field === document.activeElement));
    await panel.input.fill('/h');
    await list.getByRole('option').click();
    await until(async () => await panel.input.inputValue() === '/help ', () => 'the command');
    await panel.input.fill('/he');
    await list.waitFor();
    await panel.page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    assert.deepEqual([...panel.posted('submit'), ...panel.posted('stop')], []);
    await panel.input.fill('/help');
    await list.waitFor();
    await panel.page.keyboard.press('Enter');
    assert.deepEqual((await panel.waitPosted('submit')).map(({ text }) => text), ['/help']);
    await panel.input.fill('no /ls');
    await panel.drawn();
    await comesTo(0, () => list.count());
  });

  it('C01 offers commands without taking a key from an input method', async () => {
    await open(scenes['suggesting']?.() ?? fresh());
    await panel.input.focus();
    await panel.input.evaluate((field) => {
      for (const key of ['Enter', 'ArrowDown', 'Escape']) field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, isComposing: true }));
    });
    await panel.drawn();
    await comesTo('/', () => panel.input.inputValue());
    await comesTo('commands-0', () => panel.input.getAttribute('aria-activedescendant'));
  });

  it('takes text and focus from the editor without sending', async () => {
    await open(fresh());
    await panel.send({ type: 'prefill', text: 'from a link' });
    await panel.drawn();
    await comesTo('from a link', () => panel.input.inputValue());
    assert.deepEqual(panel.posted('submit'), []);
    await comesTo(true, () => panel.input.evaluate((field) => field === document.activeElement));
    assert.deepEqual((await panel.waitPosted('focus')).at(-1), { type: 'focus', input: true, approvalId: null });
  });

  it('walks the session’s own prompts with the arrow keys', async () => {
    const script = new SessionScript();
    script.endTurn(script.start('older'));
    script.endTurn(script.start('newer'));
    await open(script.state());
    await panel.input.click();
    await panel.page.keyboard.press('ArrowUp');
    await panel.page.keyboard.press('ArrowUp');
    await until(async () => (await panel.input.inputValue()) === 'older', () => 'the older prompt');
    await panel.page.keyboard.press('ArrowDown');
    await panel.page.keyboard.press('ArrowDown');
    await until(async () => (await panel.input.inputValue()) === '', () => 'the own text');
  });

  it('keeps the conversation for an editor tab that is restored, and takes the reader’s own font', async () => {
    await open(fresh({ chrome: chrome({ font: { family: 'monospace', size: 17 } }) }));
    await comesTo('conversation-1', () => panel.page.evaluate(() => (JSON.parse(sessionStorage.getItem('vscode-state') ?? '{}') as { conversation?: string }).conversation));
    await comesTo(['17px', 'monospace'], () => panel.input.evaluate((field) => [getComputedStyle(field).fontSize, getComputedStyle(field).fontFamily]));
  });

  it('takes another font and another key that sends while it is open, and leaves what is being written', async () => {
    const script = new SessionScript();
    const turn = script.start('go');
    script.done(turn, { kind: 'agent_message' }, 'words and\n\n```\ncode\n```');
    script.endTurn(turn);
    await open(script.state());
    const look = () => panel.page.evaluate(() => ['.message', '.agent-message p', '.bubble'].map((selector) => getComputedStyle(document.querySelector(selector) ?? document.body)).map(({ fontSize, fontFamily }) => `${fontSize} ${fontFamily}`));
    const before = await look();
    const code = () => panel.page.locator('pre code').evaluate((element) => getComputedStyle(element).fontFamily);
    const ownCode = await code();
    await panel.page.keyboard.type('half a ');
    await panel.send({ type: 'chrome', chrome: chrome({ font: { family: 'serif', size: 21 }, sendWith: 'ctrlEnter' }) });
    await comesTo(['21px serif', '21px serif', '21px serif'], look);
    assert.equal(await code(), ownCode, 'code keeps the font of code');
    await panel.page.keyboard.press('Enter');
    await panel.page.keyboard.type('word');
    await comesTo('half a \nword', () => panel.input.inputValue());
    await panel.page.keyboard.press('Control+Enter');
    assert.equal((await panel.waitPosted('submit')).at(-1)?.text, 'half a \nword');
    await panel.send({ type: 'chrome', chrome: chrome({ font: { family: null, size: null } }) });
    await comesTo(before, look);
    await panel.page.keyboard.type('again');
    await panel.page.keyboard.press('Enter');
    assert.equal((await panel.waitPosted('submit', 2)).at(-1)?.text, 'again');
  });

  it('offers the agent’s own options', async () => {
    await open(new SessionScript().state());
    await panel.page.getByLabel('Mode', { exact: true }).selectOption('auto');
    assert.deepEqual((await panel.waitPosted('setOption'))[0], { type: 'setOption', conversation: 'conversation-1', optionId: 'mode', value: 'auto' });
  });
});
