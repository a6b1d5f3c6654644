import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { type ThemeName, themes } from '../support/vscodeHost/settings.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';

describe('the sessions of a window with two folders', () => {
  let editor: Editor;
  let chat: ChatPage;

  before(async () => {
    editor = await startEditor({ open: 'workspace' });
    chat = new ChatPage(await editor.openChat());
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  const header = (): Locator => editor.page.locator('.pane-header', { hasText: 'Sessions' });
  const tree = (): Locator => editor.page.locator('.pane', { has: header() }).locator('.monaco-list');
  const line = (text: string | RegExp): Locator => tree().locator('.monaco-list-row', { hasText: text });

  const begin = async (): Promise<void> => {
    await editor.workbench.command('Attaché: New Session');
    await chat.shows('New session');
  };

  const shown = async (title: string): Promise<void> => chat.frame.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();

  /** Presses a button in the line of a session. */
  const act = async (title: string, name: string): Promise<void> => {
    await line(title).hover();
    await line(title).getByRole('button', { name }).click();
  };

  it('C27 a new session takes the root of the file in front; the header shows it and it is kept', async () => {
    await editor.workbench.openFile('readme.md');
    await editor.workbench.command('Attaché: New Session');
    await chat.shows('New session');
    await comesToMatch(/other/, () => chat.chip('folder').innerText());
    await editor.workbench.openFile('cart.ts');
    await comesToMatch(/other/, () => chat.chip('folder').innerText());
    await chat.say('/run pwd');
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run pwd', 'completed');
    assert.match(await chat.text(), new RegExp(`${editor.workspace.other}\\n`));
  });

  it('lists what there is by goal and state, live', async () => {
    await header().click();
    await line('/run pwd').waitFor();
    await begin();
    await chat.say('count the pomegranates');
    await chat.turnState('count the pomegranates', 'completed');
    await line('count the pomegranates').waitFor();
    await begin();
    await chat.say('/run touch asked.txt');
    await chat.requests().first().waitFor();
    await line('Needs you').waitFor();
    await comesToMatch(/1 waiting/, () => line('/run touch asked.txt').innerText());
    for (const theme of Object.keys(themes) as ThemeName[]) {
      await editor.workbench.setTheme(theme);
      await editor.workbench.screenshot(`sessions-tree-${theme}`);
    }
    await editor.workbench.setTheme('dark');
    await chat.answer(chat.requests().first(), 'reject_once');
    await comesTo(0, () => line('Needs you').count());
  });

  it('a session is renamed with F2, pinned and archived in its line, and deleted with a way back', async () => {
    await line('/run touch asked.txt').click();
    await shown('/run touch asked.txt');
    await editor.page.keyboard.press('F2');
    await editor.workbench.answer('Kiwis');
    await line('Kiwis').waitFor();
    await act('Kiwis', 'Pin Session');
    await line('Pinned').waitFor();
    await act('Kiwis', 'Unpin Session');
    await comesTo(0, () => line('Pinned').count());
    await act('Kiwis', 'Archive Session');
    await comesTo(0, () => line('Kiwis').count());
    await editor.workbench.command('Attaché: Show Archived and Closed Sessions');
    await line('Archived').click();
    await act('Kiwis', 'Unarchive Session');
    await comesTo(0, () => line('Archived').count());
    await line('count the pomegranates').dblclick();
    await chat.shows('count the pomegranates');
    await line('Kiwis').click();
    await shown('Kiwis');
    await editor.page.keyboard.press('Delete');
    await comesTo(0, () => line('Kiwis').count());
    await editor.workbench.notification('deleted “Kiwis”').getByRole('button', { name: 'Undo' }).click();
    await line('Kiwis').waitFor();
    await chat.shows('Kiwis');
    await chat.say('after the undo');
    await chat.turnState('after the undo', 'completed');
  });

  it('the picker finds words in transcripts, and a find opens the session at that message', async () => {
    await editor.workbench.command('Attaché: Switch Session');
    const { quickInput } = editor.workbench;
    await quickInput.locator('.monaco-list-row', { hasText: 'Kiwis' }).waitFor();
    await editor.workbench.screenshot('sessions-picker-dark');
    const press = async (name: string): Promise<void> => {
      const row = quickInput.locator('.monaco-list-row', { hasText: 'count the pomegranates' }).first();
      await row.hover();
      await row.locator(`.action-label[aria-label="${name}"]`).click();
    };
    for (const name of ['Pin', 'Unpin']) await press(name);
    await quickInput.locator('.monaco-list-row', { hasText: 'count the pomegranates' }).first().locator('.action-label[aria-label="Pin"]').waitFor({ state: 'attached' });
    await quickInput.locator('input.input').fill('pomegranates');
    const found = quickInput.locator('.monaco-list-row', { hasText: 'message ·' });
    await found.first().waitFor();
    for (const theme of Object.keys(themes) as ThemeName[]) {
      await editor.workbench.setTheme(theme);
      await editor.workbench.screenshot(`sessions-search-${theme}`);
    }
    await editor.workbench.setTheme('dark');
    await found.first().click();
    await chat.shows('count the pomegranates');
    await chat.frame.locator('.item.found[data-kind="user_message"]').waitFor();
    await editor.workbench.screenshot('sessions-found-dark');
  });

  it('a fork has what was said in its message box, and sends nothing by itself', async () => {
    await chat.frame.locator('.turn').last().hover();
    await editor.workbench.screenshot('sessions-fork-dark');
    await chat.frame.locator('[data-act="fork"]').last().click();
    await chat.shows('count the pomegranates (fork)');
    await comesToMatch(/^\n\nWhat was said in “count the pomegranates” up to message 1:\n\nUser: count the pomegranates\n\nAgent: /, () => chat.composer.inputValue());
    await comesTo(0, () => chat.frame.locator('[data-turn-id]').count());
    await chat.composer.fill('');
  });

  it('C27 the filter “this folder” follows the folder of the session', async () => {
    await line('/run pwd').click();
    await shown('/run pwd');
    await editor.workbench.command('Attaché: Show Sessions of This Folder Only');
    await comesTo(0, () => line('Kiwis').count());
    await line('/run pwd').waitFor();
    await editor.workbench.command('Attaché: Switch Session');
    await editor.workbench.pick('Kiwis');
    await chat.shows('Kiwis');
    await line('Kiwis').waitFor();
    await comesTo(0, () => line('/run pwd').count());
    await editor.workbench.command('Attaché: Show Sessions of All Folders');
    await line('/run pwd').click();
    await shown('/run pwd');
  });

  it('C27 the session of a removed root stays where it is, clearly marked, and goes on when the root is back', async () => {
    await chat.say('/run sleep 300');
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run sleep 300', 'running');
    await editor.workbench.command('Workspaces: Remove Folder from Workspace...');
    await editor.workbench.pick('other');
    await chat.banner('folder-gone').waitFor();
    // By the window itself, not by the gateway that had no news of it for long.
    assert.doesNotMatch(await (await chat.turnState('/run sleep 300', 'interrupted')).innerText(), /went away/);
    await shown('/run pwd');
    assert.match(await chat.text(), new RegExp(`${editor.workspace.other}\\n`));
    await comesToMatch(/folder not open here/, () => line('/run pwd').innerText());
    await editor.workbench.screenshot('sessions-removed-dark');
    await chat.banner('folder-gone').getByRole('button', { name: 'Add Folder Back' }).click();
    await comesTo(0, () => chat.banner('folder-gone').count());
    await chat.say('/run pwd again');
    await chat.answer(chat.requests().first(), 'reject_once');
    await chat.turnState('/run pwd again', 'completed');
  });
});
