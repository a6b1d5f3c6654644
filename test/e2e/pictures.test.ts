import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo } from '../support/comesTo.ts';
import { drawSheet } from '../support/panelHarness/sheet.ts';
import { repository } from '../support/repository.ts';
import { type ThemeName, themes } from '../support/vscodeHost/settings.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';

const shots = path.join(repository, 'dist-test/shots');
const PRICES = ['export const rate = 19;', '', '/** The sum of all prices. */', 'export function total(prices: number[]): number {', '  return prices.reduce((sum, price) => sum + price, 0);', '}', '', '/** With tax, in cents. */', 'export function gross(net: number): number {', '  return Math.round(net * (100 + rate)) / 100;', '}', ''].join('\n');
const PROPOSED = PRICES.replace('rate = 19', 'rate = 0.19').replace('sum + price', 'sum + Number(price)').replace('Math.round(net * (100 + rate)) / 100', 'Math.round(net * (1 + rate))');

describe('pictures of a session at work', () => {
  let editor: Editor;
  let chat: ChatPage;

  before(async () => {
    editor = await startEditor();
    chat = new ChatPage(await editor.openChat());
    await editor.workbench.resizeSideBar(440);
    await editor.workbench.openFile('cart.ts');
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  it('shows a plan, a read file, an edit and a command that wait, in every theme', async () => {
    await chat.say('/plan');
    await chat.turnState('/plan', 'completed');
    await chat.say('/run node check.mjs');
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run node check.mjs', 'completed');
    await chat.say('/edit src/cart.ts return Math.round(sum * 10) / 10; => return Math.round(sum * 100) / 100;');
    await chat.requests().first().waitFor();
    await chat.say('/run node check.mjs');
    await chat.frame.locator('[data-region="queue"]').waitFor();
    for (const theme of Object.keys(themes) as ThemeName[]) {
      await editor.workbench.setTheme(theme);
      await editor.workbench.screenshot(`session-${theme}`);
    }
    await editor.workbench.setTheme('dark');
    if (process.env['ATTACHE_UPDATE_PICTURES'] === '1') await editor.page.screenshot({ path: path.join(repository, 'docs/panel.png') });
    await chat.requests().getByRole('button', { name: 'Open Diff' }).click();
    await editor.workbench.editorAction('Approve').waitFor();
    await editor.workbench.screenshot('diff-dark');
    await editor.workbench.editorAction('Approve').click();
    // Else the request found next may still be the one just answered.
    await chat.turnState('/edit src/cart.ts', 'completed');
    await chat.requests().first().waitFor();
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.chip('state').filter({ hasText: 'Ready' }).waitFor();
    assert.match(fs.readFileSync(path.join(editor.workspace.folder, 'src/cart.ts'), 'utf8'), /sum \* 100\) \/ 100/);
    await editor.workbench.screenshot('after-dark');
  });

  it('C41 shows hunks in the card and beside the code, the diff with its buttons, and a conflict; tabs are as before', async () => {
    const file = path.join(editor.workspace.folder, 'src/cart.ts');
    fs.writeFileSync(file, PRICES);
    await editor.workbench.resizeSideBar(420);
    const tabs = (): Promise<string[]> => editor.page.locator('.tabs-container .tab').evaluateAll((all) => all.map((tab) => `${tab.getAttribute('data-resource-name') ?? ''} ${tab.getAttribute('aria-selected') ?? ''}`));
    const before = await tabs();
    await chat.say(`/write src/cart.ts ${PROPOSED.replaceAll('\n', '\\n')}`);
    const card = chat.requests().first();
    await card.locator('[data-hunk="1"] input').uncheck();
    await card.getByRole('button', { name: 'Allow (2 of 3 changes)' }).waitFor();
    assert.deepEqual(await tabs(), before);
    const lens = editor.page.locator('.codelens-decoration');
    await lens.getByText('Left out').waitFor();
    const rows: Record<ThemeName, Buffer[]> = { light: [], dark: [], 'hc-light': [], hc: [] };
    const shoot = async (name: string): Promise<void> => {
      for (const theme of Object.keys(rows) as ThemeName[]) {
        await editor.workbench.setTheme(theme);
        await editor.page.mouse.move(640, 790);
        rows[theme].push(await editor.page.screenshot({ clip: { x: 48, y: 0, width: 1232, height: 620 }, path: await editor.workbench.screenshot(`approvals-${name}-${theme}`) }));
      }
    };
    await shoot('card');
    await card.getByRole('button', { name: 'Open Diff' }).click();
    await editor.workbench.editorAction('Approve').waitFor();
    await editor.page.locator('.editor-instance .line-insert, .editor-instance .char-insert').first().waitFor();
    await shoot('diff');
    // The person goes on typing: what was allowed is not what would come out any more.
    await editor.workbench.editorTab('cart.ts').first().click();
    await editor.page.locator('.editor-instance .view-line', { hasText: 'rate = 19' }).click();
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.type(' // mine');
    await chat.answer(card, 'allow_once');
    await chat.frame.getByText('The file was changed on the same lines').waitFor();
    await chat.requests().getByRole('button', { name: 'Open Diff' }).click();
    await editor.workbench.editorTab('2/2').waitFor();
    await editor.page.locator('.editor-instance .line-insert, .editor-instance .char-insert').first().waitFor();
    await shoot('conflict');
    await editor.workbench.setTheme('dark');
    await editor.workbench.editorAction('Reject').click();
    await chat.turnState('/write src/cart.ts', 'completed');
    await comesTo(before, tabs);
    const page = await editor.context.newPage();
    await page.setViewportSize({ width: 1900, height: 1300 });
    const sheet = await drawSheet(page, Object.values(rows), 0.5);
    await page.close();
    await editor.page.close();
    assert.equal(fs.readFileSync(file, 'utf8').includes('0.19'), false);
    fs.writeFileSync(path.join(shots, 'sheet-approvals.png'), sheet);
    if (process.env['ATTACHE_UPDATE_PICTURES'] === '1') fs.writeFileSync(path.join(repository, 'docs/approvals.png'), sheet);
  });
});
