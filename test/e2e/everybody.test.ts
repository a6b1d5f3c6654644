import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo } from '../support/comesTo.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor, type Window } from './support/editor.ts';
import { until } from './support/until.ts';

describe('the main job, for everybody', () => {
  let editor: Editor;
  let shown: Window;
  let pressed: () => Promise<number>;

  before(async () => {
    shown = editor = await startEditor();
    pressed = await countPointers(editor);
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, shown); });

  it('C33 is done with the keyboard alone', async () => {
    const keys = new Keyboard(editor);
    const chat = keys.chat;
    const begun = await pressed();
    const cart = path.join(editor.workspace.folder, 'src/cart.ts');
    const before = fs.readFileSync(cart, 'utf8');

    await isThere(editor);
    await keys.command('Attaché: New Session');
    await keys.isInComposer();
    // The webview writes its document anew, so nothing that was there before hears of what is pressed in it.
    await chat.frame.locator('body').evaluate(tellPointers);
    await keys.say('/edit src/cart.ts euros => cents');
    await chat.requests().first().waitFor();
    await keys.command('Attaché: Go to Next Request');
    await chat.frame.locator('[data-approval-id]:focus').waitFor();
    await keys.tabTo('Open Diff');
    await keys.press('Enter');
    await editor.workbench.editorAction('Approve').waitFor();
    await editor.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await keys.command('Attaché: Approve');
    await chat.turnState('/edit src/cart.ts', 'completed');
    assert.equal(fs.readFileSync(cart, 'utf8'), before.replace('euros', 'cents'));

    await keys.command('Attaché: Focus on Chat View');
    await keys.isInComposer();
    await keys.say('/run sleep 300');
    await chat.requests().first().waitFor();
    await editor.workbench.statusItem('1').first().waitFor();
    await keys.press('Control+Alt+A');
    await chat.frame.locator('[data-approval-id]:focus').waitFor();
    await keys.press('Control+Enter');
    await keys.command('Attaché: Focus on Chat View');
    await keys.tabTo('Message');
    await keys.say('/run echo queued');
    const queue = chat.frame.locator('[data-region="queue"]');
    await queue.waitFor();
    await keys.tabTo('Edit this message', 'Shift+Tab');
    await keys.press('Enter');
    await queue.locator('textarea:focus').waitFor();
    await keys.press('End');
    await editor.page.keyboard.type(' again');
    await keys.press('Enter');
    await queue.getByText('/run echo queued again').waitFor();

    await keys.tabTo('Stop');
    await keys.press('Enter');
    await chat.turnState('/run sleep 300', 'cancelled');
    await keys.tabTo('Resume');
    await keys.press('Enter');
    await chat.requests().first().waitFor();
    await keys.isInComposer();
    await editor.workbench.statusItem('1').first().waitFor();
    await keys.press('Control+Alt+A');
    await chat.frame.locator('[data-approval-id]:focus').waitFor();
    await keys.press('Control+Backspace');
    await comesTo(0, () => chat.requests().count());

    await keys.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
    await keys.isInComposer();
    await keys.say('/help');
    await chat.turnState('/help', 'completed');
    await keys.command('Attaché: Switch Session');
    await keys.choose('/edit src/cart.ts');
    await chat.frame.getByRole('heading', { level: 1, name: /\/edit src\/cart\.ts/ }).waitFor();
    await keys.isInComposer();
    assert.equal(await pressed(), begun);
    // Nothing would be counted where the count did not work: neither in the workbench nor in the chat's frame.
    await chat.composer.click();
    await comesTo(begun + 1, pressed);
    await editor.page.mouse.click(640, 790);
    await comesTo(begun + 2, pressed);
  }).timeout(150_000);

  it('is told in Simplified Chinese where that is the display language', async () => {
    shown = await editor.openWindow('zh-cn');
    const { page, workbench } = shown;
    await isThere(shown);
    await page.keyboard.press('F1');
    await workbench.quickInput.locator('input.input').fill('>Attaché: 选择代理');
    await page.keyboard.press('Enter');
    await workbench.quickInput.locator('.monaco-list-row', { hasText: '内置：斜杠命令，无模型，无网络' }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    await workbench.quickInput.locator('input.input').fill('>Attaché: 新建会话');
    await page.keyboard.press('Enter');
    const chat = new ChatPage(workbench.chat());
    await chat.frame.getByRole('textbox', { name: '消息', exact: true }).waitFor();
    await comesTo('zh-cn', () => chat.frame.locator('html').getAttribute('lang'));
    await chat.frame.getByText('你的第一条消息会创建一个目标：第一行作为标题，之后的会话可以共用它。').waitFor();
    await chat.chip('state').filter({ hasText: '就绪' }).waitFor();
  });
});

/** The extension's commands come with its icon. */
const isThere = ({ page }: Window): Promise<void> => page.locator('.activitybar a.action-label[aria-label^="Attaché"]').waitFor({ timeout: 120_000 });

/** What a person presses who has no pointer. */
class Keyboard {
  readonly #editor: Editor;
  readonly chat: ChatPage;

  constructor(editor: Editor) {
    this.#editor = editor;
    this.chat = new ChatPage(editor.workbench.chat());
  }

  async press(key: string): Promise<void> {
    await this.#editor.page.keyboard.press(key);
  }

  async command(title: string): Promise<void> {
    await this.press('F1');
    await this.choose(`>${title}`, title);
  }

  /** Types into the open list and takes what it marks. */
  async choose(text: string, row = text): Promise<void> {
    const { page, workbench } = this.#editor;
    const input = workbench.quickInput.locator('input.input');
    await input.waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
    await workbench.quickInput.locator('.monaco-list-row.focused', { hasText: row }).waitFor();
    await page.keyboard.press('Enter');
    await input.waitFor({ state: 'hidden' });
  }

  async say(text: string): Promise<void> {
    await this.#editor.page.keyboard.type(text);
    await comesTo(text, () => this.chat.composer.inputValue());
    await this.press('Enter');
  }

  async isInComposer(): Promise<void> {
    await this.chat.composer.waitFor();
    await until('the composer has the focus', async () => this.chat.composer.evaluate((element) => element === document.activeElement && document.hasFocus()));
  }

  /** Goes on with Tab until what is called so has the focus. */
  async tabTo(name: string, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses < 60; presses += 1) {
      const here = await this.chat.frame.locator('body').evaluate(() => {
        const element = document.hasFocus() ? document.activeElement : null;
        return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim().slice(0, 80);
      });
      if (here === name) return;
      passed.push(here);
      await this.press(key);
    }
    assert.fail(`${name} is not reached with ${key}, only ${passed.join(' | ')}`);
  }
}

/** Told of each press with a pointer in the document it is run in. */
const tellPointers = (): void => {
  addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) (globalThis as unknown as { pointerPressed: () => void }).pointerPressed(); }, true);
};

/** How often something was pressed with a pointer since in the workbench, and in the frames in which `tellPointers` was run. */
async function countPointers({ page }: Editor): Promise<() => Promise<number>> {
  let count = 0;
  await page.exposeBinding('pointerPressed', () => { count += 1; });
  await page.evaluate(tellPointers);
  return async () => count;
}
