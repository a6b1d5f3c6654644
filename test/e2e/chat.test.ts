import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';
import { until } from './support/until.ts';

describe('a chat in the real workbench', () => {
  let editor: Editor;
  let chat: ChatPage;

  before(async () => {
    editor = await startEditor();
    chat = new ChatPage(await editor.openChat());
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  const file = (name: string): string => path.join(editor.workspace.folder, name);

  it('a message is answered, and the header says goal, mode, agent and state', async () => {
    await chat.say('/help');
    await chat.turnState('/help', 'completed');
    await comesToMatch(/\/edit/, () => chat.answers().first().innerText());
    await comesToMatch(/lifetime 1/, () => chat.chip('goal').getAttribute('title'));
    await comesToMatch(/this window/i, () => chat.chip('mode').innerText());
    await comesToMatch(/Offline Agent/, () => chat.chip('agent').innerText());
  });

  it('an edit is approved in the title of its diff editor', async () => {
    const before = fs.readFileSync(file('src/cart.ts'), 'utf8');
    await chat.say('/edit src/cart.ts euros => cents');
    await chat.requests().first().waitFor();
    assert.equal(fs.readFileSync(file('src/cart.ts'), 'utf8'), before);
    await chat.requests().getByRole('button', { name: 'Open Diff' }).click();
    await editor.workbench.editorAction('Approve').click();
    await chat.turnState('/edit src/cart.ts', 'completed');
    assert.equal(fs.readFileSync(file('src/cart.ts'), 'utf8'), before.replace('euros', 'cents'));
    await comesTo(0, () => editor.workbench.editorAction('Approve').count());
    await editor.workbench.command('View: Close All Editors');
  });

  it('a command is approved in its card, and shows its output', async () => {
    await chat.say('/run printf approved > ran.txt && echo it ran');
    const request = chat.requests().first();
    await request.waitFor();
    await editor.workbench.statusItem('1').first().waitFor();
    await chat.answer(request, 'allow_once');
    await chat.turnState('/run printf', 'completed');
    assert.equal(fs.readFileSync(file('ran.txt'), 'utf8'), 'approved');
    assert.match(await chat.text(), /it ran/);
  });

  it('C16 sessions are switched through the palette, each with its own draft; a reload brings everything back', async () => {
    await chat.composer.fill('eins\nzwei\ndrei');
    await editor.workbench.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
    await comesTo('', () => chat.composer.inputValue());
    await chat.say('second session');
    await chat.turnState('second session', 'completed');
    await chat.composer.fill('zwei');
    await editor.workbench.command('Attaché: Switch Session');
    await editor.workbench.pick('/help');
    await chat.shows('/help');
    await comesTo('eins\nzwei\ndrei', () => chat.composer.inputValue());
    await chat.composer.blur();
    const said = await chat.text();
    await editor.workbench.reloadWindow();
    chat = new ChatPage(await editor.openChat());
    await chat.turnState('/run printf', 'completed');
    await comesTo('eins\nzwei\ndrei', () => chat.composer.inputValue());
    // The reloaded window cannot know that it was the one that answered.
    assert.equal((await chat.text()).replaceAll(/\s+/g, ' '), said.replaceAll(/\s+/g, ' ').replaceAll('Approved here', 'Approved in the editor'));
    await chat.composer.fill('');
  });

  it('Add to Attaché in the explorer adds to the message and sends nothing', async () => {
    await editor.workbench.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
    await editor.workbench.openView('Explorer');
    await editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'notes' }).click({ button: 'right' });
    // A menu takes no click in its first moment, so that the press which opened it chooses nothing.
    const entry = editor.page.getByRole('menuitem', { name: 'Add to Attaché' });
    await entry.waitFor();
    await comesTo(0, async () => {
      await entry.click({ timeout: 1_000 }).catch(() => undefined);
      return entry.count();
    });
    chat = new ChatPage(await editor.openChat());
    await comesTo(['notes/'], () => chat.frame.locator('[data-region="attachments"] .attached-name').allTextContents());
    await chat.frame.locator('[data-region="empty"]').waitFor();
    await comesTo('', () => chat.composer.inputValue());
    await chat.frame.getByRole('button', { name: 'Remove notes/' }).click();
    await editor.workbench.command('Attaché: Switch Session');
    await editor.workbench.pick('/help');
    await chat.shows('/help');
  });

  it('after the reload the window still runs its session', async () => {
    await chat.say('still here');
    await chat.turnState('still here', 'completed');
  });

  it('C07 a request takes no key that is being typed, and the card is reached by its shortcut', async () => {
    await chat.say('/run touch typed.txt');
    await chat.composer.pressSequentially('please add 2 lines and 1 test y ', { delay: 5 });
    await chat.requests().first().waitFor();
    await chat.composer.pressSequentially('1 y  done', { delay: 5 });
    await comesTo('please add 2 lines and 1 test y 1 y  done', () => chat.composer.inputValue());
    await comesTo(1, () => chat.requests().count());
    assert.equal(fs.existsSync(file('typed.txt')), false);
    await comesTo(true, () => chat.composer.evaluate((element) => element === element.ownerDocument.activeElement));
    await editor.page.keyboard.press('Control+Alt+A');
    await chat.frame.locator('[data-approval-id][data-status="pending"]:focus-within, [data-approval-id][data-status="pending"]:focus').waitFor();
    await editor.page.keyboard.press('Control+Enter');
    await chat.turnState('/run touch typed.txt', 'completed');
    assert.equal(fs.existsSync(file('typed.txt')), true);
    await comesTo('please add 2 lines and 1 test y 1 y  done', () => chat.composer.inputValue());
    await chat.composer.fill('');
  });

  it('C07 keys typed into a code editor answer nothing', async () => {
    await editor.workbench.openFile('todo.md');
    await chat.say('/run touch never.txt');
    await chat.requests().first().waitFor();
    await editor.page.locator('.editor-instance .view-lines').first().click();
    await editor.page.keyboard.type('1y yes ');
    await editor.page.keyboard.press('Control+Enter');
    await editor.page.keyboard.press('Control+Backspace');
    await comesTo(1, () => chat.requests().count());
    await chat.answer(chat.requests().first(), 'reject_once');
    await chat.turnState('/run touch never.txt', 'completed');
    assert.equal(fs.existsSync(file('never.txt')), false);
    await editor.workbench.command('File: Revert File');
    await editor.workbench.command('View: Close All Editors');
  });

  it('C07 keys meant for a code editor answer nothing, however soon after the card they are pressed; the card is reached from the editor', async () => {
    const [enter, erase] = ['/run touch entered.txt', '/run touch erased.txt'];
    await editor.workbench.openFile('todo.md');
    const before = fs.readFileSync(file('notes/todo.md'), 'utf8');
    const lines = editor.page.locator('.editor-instance .view-lines').first();
    for (const [command, key] of [[enter, 'Control+Enter'], [erase, 'Control+Backspace']] as const) {
      await chat.say(command);
      await chat.requests().first().waitFor();
      await lines.click();
      for (let round = 0; round < 10; round += 1) {
        await editor.page.keyboard.press('Control+Alt+A');
        await chat.frame.locator('[data-approval-id][data-status="pending"]:focus').waitFor();
        await lines.click({ position: { x: 20, y: 8 } });
        await editor.page.keyboard.press(key);
      }
      await editor.workbench.command('File: Save');
      const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
      await until(`${key} has reached the editor`, () => {
        const now = fs.readFileSync(file('notes/todo.md'), 'utf8');
        return key === 'Control+Enter' ? now.split('\n').length === before.split('\n').length + 10 : words(now) !== words(before);
      });
      await comesTo(1, () => chat.requests().count());
      await editor.page.keyboard.press('Control+Alt+A');
      await chat.frame.locator('[data-approval-id][data-status="pending"]:focus').waitFor();
      await editor.page.keyboard.press('Control+Backspace');
      await chat.turnState(command, 'completed');
    }
    assert.deepEqual(['entered.txt', 'erased.txt'].map((name) => fs.existsSync(file(name))), [false, false]);
    fs.writeFileSync(file('notes/todo.md'), before);
    await editor.workbench.command('View: Close All Editors');
  });

  it('C17 a stream goes on while another session is shown, and while the chat is moved to an editor tab and back', async () => {
    await chat.say('/slow 80');
    await chat.turnState('/slow 80', 'running');
    await chat.composer.fill('taken along');
    await editor.workbench.command('Attaché: Open Chat in Editor Tab');
    await editor.workbench.editorTab('/help').waitFor();
    const tab = new ChatPage(editor.workbench.chat());
    await comesTo('taken along', () => tab.composer.inputValue());
    await tab.turn('/slow 80').waitFor();
    await tab.composer.fill('and changed');
    await editor.workbench.command('View: Close All Editors');
    chat = new ChatPage(await editor.openChat());
    await comesTo('and changed', () => chat.composer.inputValue());
    await chat.composer.fill('');
    for (let round = 0; round < 3; round += 1) {
      await editor.workbench.command('Attaché: Switch Session');
      await editor.workbench.pick('second session');
      await chat.shows('second session');
      await editor.workbench.command('Attaché: Switch Session');
      await editor.workbench.pick('/help');
      await chat.shows('/help');
    }
    await chat.turnState('/slow 80', 'completed');
    const numbers = [...(await chat.answers().last().innerText()).matchAll(/\d+/g)].map(([digits]) => Number(digits)).filter((value) => value <= 80);
    for (let line = 1; line <= 80; line += 1) assert.ok(numbers.includes(line), `line ${line} is missing`);
  });

  it('a picture of the agent is shown and opens as one; draft and place outlive a reload of the webviews, and a page that breaks comes back by its own link', async () => {
    await chat.say('/picture');
    const turn = await chat.turnState('/picture', 'completed');
    await comesTo([240, 120], () => turn.getByRole('img', { name: 'hills.png' }).evaluate((image) => [(image as HTMLImageElement).naturalWidth, (image as HTMLImageElement).naturalHeight]));
    await turn.getByRole('button', { name: 'Show hills.png' }).click();
    await editor.page.locator('.tab', { hasText: /[0-9a-f]{64}\.png/ }).waitFor();
    await editor.workbench.command('View: Close All Editors');

    await chat.composer.fill('kept over a reload');
    const transcript = () => chat.frame.locator('[data-region="transcript"]');
    const place = () => transcript().evaluate((element) => [...element.querySelectorAll('[data-turn-id]')].map((row) => Math.round(row.getBoundingClientRect().top - element.getBoundingClientRect().top)).find((top) => top > 0) ?? 0);
    await transcript().hover();
    await editor.page.mouse.wheel(0, -300);
    await chat.frame.locator('[data-region="jump"]').waitFor();
    await chat.composer.blur();
    let before = Number.NaN;
    // The wheel rolls out.
    await until('the transcript stands still', async () => {
      const last = before;
      before = await place();
      return last === before;
    });
    await editor.page.evaluate(() => { Object.assign(globalThis, { pageBreaks: true }); });
    await editor.page.addInitScript(() => {
      if (top === window || (top as { pageBreaks?: boolean } | null)?.pageBreaks !== true) return;
      Object.defineProperty(globalThis, 'acquireVsCodeApi', { get: () => { throw new Error('planted'); }, set: () => undefined });
    });
    await editor.workbench.command('Developer: Reload Webviews');
    await chat.frame.getByText('This panel could not be loaded. The work goes on in the background; nothing is lost.').waitFor();
    await editor.page.evaluate(() => { Object.assign(globalThis, { pageBreaks: false }); });
    await chat.frame.getByRole('link', { name: 'Reload Panel' }).click();
    await chat.shows('/help');
    await comesTo('kept over a reload', () => chat.composer.inputValue());
    await comesToMatch(/^-?[0-2] px$/, async () => `${await place() - before} px`);
    assert.equal(await chat.frame.locator('.not-loaded').count(), 0);
    await chat.composer.fill('');
  });

  it('C16 a draft is left behind and found again by a click in the list, too', async () => {
    await chat.composer.fill('of the first\nin two lines');
    const header = editor.page.locator('.pane-header', { hasText: 'Sessions' });
    await header.click();
    const line = (text: string) => editor.page.locator('.pane', { has: header }).locator('.monaco-list-row', { hasText: text }).first();
    await line('second session').click();
    await chat.frame.getByRole('heading', { level: 1, name: 'second session', exact: true }).waitFor();
    await comesTo('zwei', () => chat.composer.inputValue());
    assert.equal((await editor.page.locator('.pane', { has: header }).innerText()).includes('of the first'), false, 'the list shows no draft');
    await line('/help').click();
    await chat.frame.getByRole('heading', { level: 1, name: '/help', exact: true }).waitFor();
    await comesTo('of the first\nin two lines', () => chat.composer.inputValue());
    await chat.composer.fill('');
    await header.click();
  });

  it('C37 a turn that is stopped in the middle of a tool call has closed it, and the next message works', async () => {
    await chat.say('/run echo begun && sleep 300');
    await chat.answer(chat.requests().first(), 'allow_once');
    await comesToMatch(/begun/, () => chat.turn('/run echo begun').last().innerText());
    await chat.frame.getByRole('button', { name: 'Stop', exact: true }).click();
    const stopped = await chat.turnState('/run echo begun', 'cancelled');
    await comesTo(0, () => stopped.locator('.item[data-state="started"]').count());
    await comesTo(1, () => stopped.locator('.item[data-kind="command"]:not([data-state="started"])').count());
    await chat.say('after the stop');
    await chat.turnState('after the stop', 'completed');
  });

  it('the opened chat has the keyboard, and a closed session can still be read', async () => {
    await editor.workbench.openView('Explorer');
    chat = new ChatPage(await editor.openChat());
    await until('the box has the focus', async () => chat.composer.evaluate((element) => element === document.activeElement && document.hasFocus()));
    await editor.workbench.command('Attaché: Switch Session');
    const row = editor.workbench.quickInput.locator('.monaco-list-row', { hasText: 'second session' }).first();
    await row.hover();
    await row.locator('.action-label[aria-label="Close Session"]').click();
    await editor.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Close Session' }).click();
    await until('it is in its group', async () => {
      await editor.workbench.command('Attaché: Switch Session');
      // The list is filled a little after it opens.
      const found = await editor.workbench.quickInput.getByText('Closed', { exact: true }).first().waitFor({ timeout: 5000 }).then(() => true, () => false);
      if (!found) await editor.page.keyboard.press('Escape');
      return found;
    });
    await editor.workbench.pick('second session');
    await chat.shows('second session');
    await chat.banner('closed').waitFor();
    await editor.workbench.command('Attaché: Switch Session');
    await editor.workbench.pick('/help');
    await chat.shows('/help');
  });

  it('the chat as an editor tab is there again after a reload', async () => {
    await editor.workbench.command('Attaché: Open Chat in Editor Tab');
    await editor.workbench.editorTab('/help').waitFor();
    await editor.workbench.reloadWindow();
    await editor.workbench.editorTab('/help').waitFor();
    const pages = await Promise.all([0, 1].map(async (index) => new ChatPage(editor.workbench.chat(index)).turnState('/help', 'completed')));
    assert.equal(pages.length, 2);
  });

  it('a file that is dragged from the explorer into it is attached, and sent by nobody', async () => {
    await editor.workbench.openView('Explorer');
    const tab = new ChatPage(editor.workbench.chat());
    const [from, to] = [await editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'package.json' }).boundingBox(), await tab.composer.boundingBox()];
    assert.ok(from !== null && to !== null);
    const { mouse, keyboard } = editor.page;
    await mouse.move(from.x + 30, from.y + 8);
    await mouse.down();
    await mouse.move(from.x + 60, from.y + 40, { steps: 5 });
    // Without it the editor would open the file.
    await keyboard.down('Shift');
    await mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 10 });
    await tab.frame.locator('.dropping').waitFor();
    await mouse.up();
    await keyboard.up('Shift');
    await comesTo(['package.json'], () => tab.frame.locator('[data-region="attachments"] .attached-name').allTextContents());
    await tab.frame.getByRole('button', { name: 'Remove package.json' }).click();
    await editor.workbench.command('View: Close All Editors');
  });
});
