import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { type ProcessInfo } from '../support/processes.ts';
import { testPicture } from '../support/panelHarness/testPicture.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';
import { until } from './support/until.ts';

const digestOf = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 12);
const NOTHING: readonly ProcessInfo[] = [];

describe('what dies in mid-turn, and what is shown afterwards', () => {
  let editor: Editor;
  let chat: ChatPage;

  before(async () => {
    editor = await startEditor();
    fs.writeFileSync(path.join(editor.server.userDataDir, 'User/keybindings.json'), JSON.stringify([{ key: 'ctrl+alt+shift+r', command: 'workbench.action.reloadWindow' }]));
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  const file = (name: string): string => path.join(editor.workspace.folder, name);
  const gateways = (): ProcessInfo[] => editor.processes().filter(({ command }) => command.includes('gateway.cjs'));
  const agents = (): ProcessInfo[] => editor.processes().filter(({ command }) => command.includes('offlineAgent.cjs'));

  /** The window's own reload at the press of a key: the palette would take too long. */
  const reloadByKey = async (): Promise<void> => {
    const loaded = editor.page.waitForEvent('load');
    await editor.page.keyboard.press('Control+Alt+Shift+R');
    await loaded;
    await editor.workbench.ready();
  };

  const fresh = async (): Promise<void> => {
    await editor.workbench.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
  };

  const chips = () => chat.frame.locator('[data-region="attachments"] .attached-name').allTextContents();

  const paste = (name: string, bytes: Buffer): Promise<void> => chat.composer.evaluate((field, { name, base64 }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name, { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }));
  }, { name, base64: bytes.toString('base64') });

  it('C06a hiding the view, reloading the page and killing the gateway leave the same request alive', async () => {
    await chat.say('/run printf alive > alive.txt');
    await chat.requests().first().waitFor();
    const id = await chat.requests().first().getAttribute('data-approval-id');
    await editor.workbench.openView('Explorer');
    chat = new ChatPage(await editor.openChat());
    await chat.requests().first().waitFor();
    await editor.workbench.command('Developer: Reload Webviews');
    await chat.requests().first().waitFor();
    const [gateway] = gateways();
    assert.ok(gateway !== undefined);
    process.kill(gateway.pid, 'SIGKILL');
    await until('another gateway runs', () => gateways().some(({ pid }) => pid !== gateway.pid));
    await until('the window is connected again', async () => (await chat.banner('disconnected').count()) === 0 && (await chat.banner('no-executor').count()) === 0);
    await comesTo(id, () => chat.requests().first().getAttribute('data-approval-id'));
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run printf alive', 'completed');
    assert.equal(fs.readFileSync(file('alive.txt'), 'utf8'), 'alive');
    assert.doesNotMatch(await chat.text(), /\[object/);
  });

  it('C06b a reload of the window ends the turn as interrupted; its request is lost but readable; Retry goes on', async () => {
    await fresh();
    await chat.say('/run printf again > again.txt');
    await chat.requests().first().waitFor();
    const id = await chat.requests().first().getAttribute('data-approval-id');
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
    await chat.turnState('/run printf again', 'interrupted');
    const card = chat.frame.locator(`[data-approval-id="${id}"]`).first();
    await comesTo('orphaned', () => card.getAttribute('data-status'));
    await comesTo(0, () => card.locator('button[data-option-kind]').count());
    assert.equal(fs.existsSync(file('again.txt')), false);
    await chat.frame.getByRole('button', { name: 'Retry' }).first().click();
    await chat.answer(chat.requests().first(), 'allow_once');
    await until('the command has run', () => fs.existsSync(file('again.txt')));
    await chat.frame.locator('[data-turn-id][data-state="completed"]').first().waitFor();
    assert.doesNotMatch(await chat.text(), /\[object/);
  });

  it('C14 a message sent just before a reload is there exactly once, and ends', async () => {
    for (const [round, waitMs] of [0, 10, 40].entries()) {
      await fresh();
      const text = `count to five, round ${round}`;
      await chat.composer.fill(text);
      await chat.composer.press('Enter');
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await reloadByKey();
      chat = new ChatPage(await editor.openChat());
      const ended = ['completed', 'interrupted'].map((state) => `[data-turn-id][data-state="${state}"]`).join(', ');
      await chat.frame.locator(ended, { has: chat.frame.locator('h2', { hasText: text }) }).first().waitFor({ timeout: 45_000 });
      await comesTo(1, () => chat.turn(text).count());
      await comesTo(0, () => chat.frame.locator('[data-region="outbox"]').count());
      await comesTo('', () => chat.composer.inputValue());
      // Neither is there a second session of it.
      await editor.workbench.command('Attaché: Switch Session');
      await editor.workbench.quickInput.locator('.monaco-list-row', { hasText: text }).first().waitFor();
      await comesTo(1, () => editor.workbench.quickInput.locator('.monaco-list-row', { hasText: text }).count());
      await editor.page.keyboard.press('Escape');
    }
  });

  it('C16 C36 a mention, two pictures and what was typed a moment ago outlive an abrupt reload of the window, and reach the agent', async () => {
    const [one, two] = [testPicture(11), testPicture(12)];
    await fresh();
    await chat.composer.click();
    await editor.page.keyboard.type('compare @cart');
    await chat.frame.getByRole('option', { name: /cart\.ts/ }).first().waitFor();
    await editor.page.keyboard.press('Enter');
    await comesTo('compare @src/cart.ts ', () => chat.composer.inputValue());
    await paste('image.png', one);
    await paste('image.png', two);
    await comesTo(['src/cart.ts', 'image.png', 'image.png'], () => chips());
    await comesTo(2, () => chat.frame.locator('[data-region="attachments"] img').count());
    // What is typed outlives the very next moment; what is attached is the editor's to write down, which takes it a part of a second.
    await editor.page.keyboard.type('with these', { delay: 150 });
    // As the browser reloads: nobody is told, nothing can be written down.
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
    await comesTo('compare @src/cart.ts with these', () => chat.composer.inputValue());
    await comesTo(['src/cart.ts', 'image.png', 'image.png'], () => chips());
    await comesTo(2, () => chat.frame.locator('[data-region="attachments"] img').count());
    await chat.composer.press('Enter');
    await chat.turnState('compare', 'completed');
    const cart = fs.readFileSync(file('src/cart.ts'));
    for (const content of [cart, one, two]) await comesToMatch(new RegExp(digestOf(content)), () => chat.answers().last().innerText());
    await comesTo(2, () => chat.frame.locator('[data-kind="user_message"] img').count());
  });

  it('an agent killed in mid-turn: the turn fails with a sentence, and the next message works', async () => {
    await fresh();
    await chat.say('/slow 500');
    await chat.turnState('/slow 500', 'running');
    const agent = agents().at(-1);
    assert.ok(agent !== undefined);
    process.kill(agent.pid, 'SIGKILL');
    await chat.turnState('/slow 500', 'failed');
    await chat.say('and now?');
    await chat.turnState('and now?', 'completed');
  });

  it('B7 C23 an extension host killed in mid-turn: no agent is left, the new one shows the turn as interrupted', async () => {
    await fresh();
    await chat.say('/run sleep 600');
    await chat.answer(chat.requests().first(), 'allow_once');
    await until('the command runs', () => editor.processes().some(({ command }) => command.includes('sleep 600')));
    // Hosts of earlier loads of the page may still be there.
    assert.ok(editor.extensionHosts().length > 0);
    for (const { pid } of editor.extensionHosts()) process.kill(pid, 'SIGKILL');
    await until('agent and command are gone', () => [...agents(), ...editor.processes().filter(({ command }) => command.includes('sleep 600'))].length === NOTHING.length, 15_000);
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
    await chat.turnState('/run sleep 600', 'interrupted');
  });

  it('C23 closing the window leaves no agent behind, and the gateway stays', async () => {
    await fresh();
    await chat.say('hello');
    await chat.turnState('hello', 'completed');
    assert.ok(agents().length > 0);
    await editor.page.goto('about:blank');
    // VS Code keeps an extension host for a while, in case the page comes back; ending the server ends it as closing a desktop window does.
    for (const { pid } of editor.extensionHosts()) process.kill(pid, 'SIGTERM');
    await until('no agent is left', () => agents().length === 0, 15_000);
    assert.ok(gateways().length === 1);
  });
});
