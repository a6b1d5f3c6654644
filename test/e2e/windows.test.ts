import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, type Window } from './support/editor.ts';
import { startSharedSession } from './support/sharedSession.ts';
import { until } from './support/until.ts';

describe('two windows on one gateway', () => {
  let editor: Editor;
  let other: Window;
  let chat: ChatPage;
  let otherChat: ChatPage;

  before(async () => {
    ({ editor, other, chat, otherChat } = await startSharedSession());
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () {
    await pictureOfFailure(this.currentTest, editor);
    await pictureOfFailure(this.currentTest, other);
  });

  const file = (name: string): string => path.join(editor.workspace.folder, name);

  it('each window says who runs the session', async () => {
    await comesToMatch(/this window/i, () => chat.chip('mode').innerText());
    await comesToMatch(/another window/i, () => otherChat.chip('mode').innerText());
    await otherChat.banner('other-window').waitFor();
  });

  it('a message of the second window is run by the first, and either may answer its request', async () => {
    await otherChat.say('/run printf both > both.txt');
    await chat.requests().first().waitFor();
    await otherChat.requests().first().waitFor();
    await otherChat.answer(otherChat.requests().first(), 'allow_once');
    await chat.turnState('/run printf both', 'completed');
    await otherChat.turnState('/run printf both', 'completed');
    assert.equal(fs.readFileSync(file('both.txt'), 'utf8'), 'both');
    await comesTo(0, () => chat.requests().count());
  });

  it('a notification calls only in the window that runs the session, only while its chat is hidden, and shows the card', async () => {
    await editor.workbench.openView('Explorer');
    await otherChat.say('/run printf seen > seen.txt');
    const toast = editor.workbench.notification('printf seen');
    await toast.waitFor();
    await comesToMatch(/Offline Agent asks to run: printf seen > seen\.txt/, () => toast.innerText());
    assert.equal((await toast.innerText()).split('printf seen').length, 2);
    await comesTo(0, () => other.workbench.notification('printf seen').count());
    await editor.workbench.statusItem('1').first().waitFor();
    await toast.getByRole('button', { name: 'Show Request' }).click();
    chat = new ChatPage(editor.workbench.chat());
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run printf seen', 'completed');
  });

  it('a new goal, its recreation, and what becomes of the old session', async () => {
    await editor.workbench.command('Attaché: New Goal');
    for (const [step, text] of ['Round the cart', 'cart-rounding', 'Prices are rounded half to even.'].entries()) {
      await editor.workbench.quickInput.getByText(`(${step + 1} of 3)`).waitFor();
      await editor.workbench.answer(text);
    }
    await chat.shows('New session');
    await comesToMatch(/cart-rounding.*life 1/, () => chat.chip('goal').innerText());
    await comesToMatch(/Objective: Prices are rounded half to even\./, () => chat.chip('goal').getAttribute('title'));
    await chat.say('hello goal');
    await chat.turnState('hello goal', 'completed');
    await chat.shows('hello goal');
    await otherChat.frame.locator('body').waitFor();
    await other.workbench.command('Attaché: Switch Session');
    await other.workbench.pick('Round the cart');
    await otherChat.turnState('hello goal', 'completed');
    await otherChat.say('/run true');
    await otherChat.requests().first().waitFor();
    for (const text of ['one', 'two']) await otherChat.say(text);
    await comesTo(2, () => otherChat.frame.locator('[data-region="queue"] [data-turn-id]').count());

    const dialog = editor.page.locator('.monaco-dialog-box');
    const foreseen = '1 session becomes history, 2 queued turns end. 1 waiting request is withdrawn. 1 running turn may still finish.';
    await editor.workbench.command('Attaché: Retire Goal');
    await editor.workbench.pick('cart-rounding');
    await dialog.getByText('Retire “Round the cart” (life 1)?').waitFor();
    await comesToMatch(new RegExp(foreseen.replaceAll('.', '\\.')), () => dialog.innerText());
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await otherChat.requests().first().waitFor();
    await comesTo(2, () => otherChat.frame.locator('[data-region="queue"] [data-turn-id]').count());
    await comesToMatch(/life 1/, () => otherChat.chip('goal').innerText());

    await editor.workbench.command('Attaché: Recreate Goal');
    await editor.workbench.pick('cart-rounding');
    await comesToMatch(new RegExp(foreseen.replaceAll('.', '\\.')), () => dialog.innerText());
    await dialog.getByRole('button', { name: 'Recreate' }).click();
    await comesToMatch(/life 2/, () => chat.chip('goal').innerText());
    await comesToMatch(/^This goal was recreated on .*20\d\d.*; this session is history\.$/, () => otherChat.banner('stale-goal').locator('strong').innerText());
    await comesTo(1, () => otherChat.turn('hello goal').count());
    await comesTo(0, () => otherChat.requests().count());
    await comesTo(false, () => otherChat.composer.isEditable());
    await comesToMatch(/history: its goal was recreated/, () => otherChat.composer.getAttribute('placeholder'));
  });

  it('a session that is history goes on in a new one, with the last messages in the box and nothing sent', async () => {
    await otherChat.banner('stale-goal').getByRole('button', { name: 'Continue in a New Session' }).click();
    await other.workbench.pick('Carry over the last messages');
    await comesToMatch(/^\n\nWhat was said before, in “hello goal”:\n\nUser: hello goal\n\nAgent: /, () => otherChat.composer.inputValue());
    await comesToMatch(/life 2/, () => otherChat.chip('goal').innerText());
    await otherChat.frame.locator('[data-region="empty"]').waitFor();
    await comesTo(0, () => otherChat.composer.evaluate((field: HTMLTextAreaElement) => field.selectionStart));
    await otherChat.composer.fill('');
  });

  it('a session of a retired goal says so, and the goal is recreated from there', async () => {
    await editor.workbench.command('Attaché: Retire Goal');
    await editor.workbench.pick('cart-rounding');
    const dialog = editor.page.locator('.monaco-dialog-box');
    // One that each window has opened.
    await comesToMatch(/2 sessions become history, 0 queued turns end\./, () => dialog.innerText());
    await dialog.getByRole('button', { name: 'Retire' }).click();
    await comesToMatch(/^This goal was retired on .*; this session is history\.$/, () => otherChat.banner('retired-goal').locator('strong').innerText());
    await otherChat.banner('retired-goal').getByRole('button', { name: 'Recreate Goal' }).click();
    await other.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Recreate' }).click();
    await comesToMatch(/life 3/, () => otherChat.chip('goal').innerText());
    await comesTo(true, () => otherChat.composer.isEditable());
  });

  it('a take-over is refused while the other window works, and leaves its receipt in both', async () => {
    for (const [window, page] of [[editor, chat], [other, otherChat]] as const) {
      await window.workbench.command('Attaché: Switch Session');
      await window.workbench.quickInput.getByText(window === editor ? 'Attached · this window' : 'Attached · another window').first().waitFor();
      await window.workbench.pick('shared session');
      await page.shows('shared session');
    }
    await chat.say('/run printf busy');
    await otherChat.requests().first().waitFor();
    await otherChat.banner('other-window').getByRole('button', { name: 'Take Over Here' }).click();
    await otherChat.frame.locator('[data-region="toast"]').getByText('The window that runs this session is alive and working.').waitFor();
    await comesToMatch(/this window/i, () => chat.chip('mode').innerText());
    await otherChat.answer(otherChat.requests().first(), 'reject_once');
    await otherChat.turnState('/run printf busy', 'completed');
    await otherChat.banner('other-window').getByRole('button', { name: 'Take Over Here' }).click();
    await comesToMatch(/this window/i, () => otherChat.chip('mode').innerText());
    await comesToMatch(/another window/i, () => chat.chip('mode').innerText());
    for (const page of [chat, otherChat]) await page.frame.getByText('This session was taken over: from here on it runs in another window than before.').waitFor();
    await other.workbench.screenshot('taken-over');
    await chat.banner('other-window').getByRole('button', { name: 'Take Over Here' }).click();
    await comesToMatch(/this window/i, () => chat.chip('mode').innerText());
    await comesTo(2, () => chat.frame.getByText('This session was taken over:').count());
  });

  it('the status bar says who runs the session, in the gateway’s own words', async () => {
    const item = editor.workbench.statusItem('Attaché').first();
    await until('its tooltip is shown', async () => {
      await item.hover();
      return editor.page.locator('.monaco-hover', { hasText: 'session_readback · attached_host · ready' }).first().waitFor({ timeout: 3000 }).then(() => true, () => false);
    });
    await editor.page.mouse.move(640, 400);
  });

  it('Approve with nothing to answer is no failure', async () => {
    await editor.workbench.command('Attaché: Approve');
    const toast = editor.workbench.notification('no request waits');
    await toast.waitFor();
    await comesTo(0, () => toast.getByRole('button', { name: 'Show Log' }).count());
    await editor.workbench.command('Notifications: Clear All Notifications');
  });

  it('the palette shows no key that works only in the chat', async () => {
    await editor.page.keyboard.press('F1');
    const input = editor.workbench.quickInput.locator('input.input');
    await input.fill('>Attaché: New Session');
    await editor.workbench.quickInput.locator('.monaco-list-row', { hasText: 'Attaché: New Session' }).first().waitFor();
    await comesTo(0, () => editor.workbench.quickInput.locator('.monaco-list-row', { hasText: 'Attaché: New Session' }).locator('.monaco-keybinding-key').count());
    await editor.page.keyboard.press('Escape');
  });

  it('the Doctor finds everything in order', async () => {
    await editor.workbench.command('Attaché: Doctor');
    await editor.workbench.quickInput.getByText('everything works').waitFor();
    const names = await editor.workbench.quickInput.locator('.monaco-list-row .quick-input-list-row:first-child .label-name').allInnerTexts();
    assert.ok(names.length > 3);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) assert.match(name, /^\W*[A-Z]/);
    await editor.workbench.quickInput.getByText(/\d+ session_readback/).waitFor();
    await editor.page.keyboard.press('Escape');
  });

  it('a session whose window was closed is taken over by the other one, and goes on', async () => {
    await other.workbench.command('Attaché: Switch Session');
    await other.workbench.pick('shared session');
    await otherChat.shows('shared session');
    const [first] = editor.extensionHosts().sort((a, b) => a.pid - b.pid);
    await editor.page.goto('about:blank');
    process.kill(first?.pid ?? 0, 'SIGTERM');
    await otherChat.banner('no-executor').getByRole('button', { name: 'Take Over Here' }).click();
    await until('this window runs it', async () => /this window/i.test(await otherChat.chip('mode').innerText()));
    await otherChat.say('taken over');
    await otherChat.turnState('taken over', 'completed');
  });
});
