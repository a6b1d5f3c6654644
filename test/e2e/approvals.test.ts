import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { FakeScript } from '../agents/support/fakeScript.ts';
import { comesTo } from '../support/comesTo.ts';
import { repository } from '../support/repository.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, type Window } from './support/editor.ts';
import { startSharedSession } from './support/sharedSession.ts';

const PLACES = ['work/typed-onRequest.txt', 'work/typed-preview.txt', 'work/second.txt', 'work/behind.txt'];
const MANY = ['work/many-a.txt', 'work/many-b.txt'];
const LINES = 'one\ntwo\nthree\n';
/** Asks to change both files by itself, which it then does not. */
const script: FakeScript = {
  prompts: [{ steps: [{ permission: { toolCall: { toolCallId: 't', title: 'Change both', kind: 'edit', content: MANY.map((name) => ({ type: 'diff', path: `{{cwd}}/${name}`, oldText: LINES, newText: LINES.replace('two', 'zwei') })) } } }, { text: 'answered' }] }],
};
const TYPED = 'please add 2 lines and 1 test: 1 y Y n a ';

function writeTo(folder: string, name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

describe('requests beside what a person is doing', () => {
  let editor: Editor;
  let other: Window;
  let chat: ChatPage;
  let otherChat: ChatPage;

  before(async () => {
    // Its files long before they are looked for by their names.
    ({ editor, other, chat, otherChat } = await startSharedSession(({ workspace }) => { for (const name of PLACES) writeTo(workspace.folder, name, ''); }));
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () {
    await pictureOfFailure(this.currentTest, editor);
    await pictureOfFailure(this.currentTest, other);
  });

  const file = (name: string): string => path.join(editor.workspace.folder, name);
  const write = (name: string, text: string): void => writeTo(editor.workspace.folder, name, text);

  /** Puts the caret into an empty file in a window’s editor. */
  async function caretIn({ workbench, page }: Window, name: string): Promise<void> {
    await workbench.openFile(path.basename(name));
    await page.locator('.editor-instance .view-lines').first().click();
  }

  /** Types on and on as a person does, from before `act` until after its end. Gives all that was typed. */
  async function typeWhile({ page }: Window, act: () => Promise<unknown>): Promise<string> {
    let isOver = false;
    const over = act().finally(() => { isOver = true; });
    let rounds = 0;
    for (let after = 0; after < 2; after += isOver ? 1 : 0, rounds += 1) await page.keyboard.type(TYPED, { delay: 10 });
    await over;
    return TYPED.repeat(rounds);
  }

  async function saved({ workbench }: Window, name: string, text: string): Promise<void> {
    await workbench.command('File: Save All');
    await comesTo(text, async () => fs.readFileSync(file(name), 'utf8'));
  }

  const closeEditors = async ({ workbench }: Window): Promise<void> => workbench.command('View: Close All Editors');

  for (const opens of ['onRequest', 'preview'] as const) {
    it(`C07 every character ends in the code editor where the caret is while a request comes, its diff opening ${opens === 'preview' ? 'at once' : 'only when asked'}`, async () => {
      await editor.workbench.setSetting('attache.openDiffs', opens);
      write('work/target.txt', 'one\ntwo\n');
      const name = `work/typed-${opens}.txt`;
      await caretIn(editor, name);
      const typed = await typeWhile(editor, async () => {
        await otherChat.say('/edit work/target.txt two => zwei');
        await chat.requests().first().waitFor();
        if (opens === 'preview') await editor.workbench.editorTab('proposed by the agent').waitFor();
      });
      await saved(editor, name, typed);
      assert.equal(fs.readFileSync(file('work/target.txt'), 'utf8'), 'one\ntwo\n');
      await comesTo(1, () => chat.requests().count());
      await chat.answer(chat.requests().first(), 'reject_once');
      await chat.turnState('/edit work/target.txt', 'completed');
      await closeEditors(editor);
    });
  }

  it('C07 what is typed into the code editor and into the message box of another window stays there while the card comes up in both', async () => {
    await caretIn(other, 'work/second.txt');
    const typed = await typeWhile(other, async () => {
      await chat.say('/run touch work/never-a.txt');
      await Promise.all([chat.requests().first().waitFor(), otherChat.requests().first().waitFor()]);
    });
    await saved(other, 'work/second.txt', typed);
    await closeEditors(other);
    await chat.answer(chat.requests().first(), 'reject_once');
    await chat.turnState('/run touch work/never-a.txt', 'completed');
    await otherChat.composer.fill('');
    await otherChat.composer.click();
    const box = await typeWhile(other, async () => {
      await chat.say('/run touch work/never-b.txt');
      await otherChat.requests().first().waitFor();
    });
    await comesTo(box, () => otherChat.composer.inputValue());
    await comesTo(true, () => otherChat.composer.evaluate((field) => field === field.ownerDocument.activeElement && field.ownerDocument.hasFocus()));
    await comesTo(1, () => chat.requests().count());
    assert.deepEqual(['a', 'b'].filter((name) => fs.existsSync(file(`work/never-${name}.txt`))), []);
    await chat.answer(chat.requests().first(), 'reject_once');
    await chat.turnState('/run touch work/never-b.txt', 'completed');
    await otherChat.composer.fill('');
  });

  it('C38 a diff opens by itself only in the window that runs the session; a request for a hidden chat is one notification and the badge', async () => {
    write('work/hosted.txt', 'one\ntwo\n');
    const tabs = (window: Window): Promise<string[]> => window.page.locator('.tabs-container .tab').allInnerTexts();
    await otherChat.say('/edit work/hosted.txt two => zwei');
    await editor.workbench.editorTab('proposed by the agent').waitFor();
    await otherChat.requests().first().waitFor();
    assert.deepEqual(await tabs(other), []);
    await otherChat.answer(otherChat.requests().first(), 'reject_once');
    await comesTo(0, () => editor.workbench.editorTab('proposed by the agent').count());
    await caretIn(editor, 'work/behind.txt');
    await editor.workbench.openView('Explorer');
    await editor.page.locator('.editor-instance .view-lines').first().click();
    const typed = await typeWhile(editor, async () => {
      await otherChat.say('/edit work/hosted.txt two => deux');
      await editor.workbench.notification('asks to edit work/hosted.txt').waitFor();
    });
    assert.equal(await editor.workbench.notification('asks to edit').count(), 1);
    assert.equal(await other.workbench.notification('asks to edit').count(), 0);
    await editor.page.locator('.activitybar .action-item', { has: editor.page.locator('a.action-label[aria-label^="Attaché"]') }).locator('.badge', { hasText: '1' }).waitFor();
    await saved(editor, 'work/behind.txt', typed);
    await otherChat.answer(otherChat.requests().first(), 'reject_once');
    await otherChat.turnState('/edit work/hosted.txt two => deux', 'completed');
    await editor.workbench.command('Notifications: Clear All Notifications');
    await closeEditors(editor);
    chat = new ChatPage(await editor.openChat());
  });

  it('C40 the keys that answer a diff do so in its text alone: in its search they are what they are in any search', async () => {
    write('work/keys.txt', 'one\ntwo\n');
    await chat.say('/edit work/keys.txt two => zwei');
    await chat.requests().first().getByRole('button', { name: 'Open Diff' }).click();
    await editor.workbench.editorAction('Approve').waitFor();
    const side = editor.page.locator('.monaco-diff-editor .editor.modified');
    await side.locator('.view-lines').click();
    const { keyboard } = editor.page;
    await keyboard.press('Control+f');
    const search = side.locator('.find-widget.visible textarea[aria-label="Find"]');
    await search.fill('zwei drei');
    await keyboard.press('Control+Backspace');
    await comesTo('zwei ', () => search.inputValue());
    await keyboard.press('Alt+Backspace');
    await keyboard.press('Control+Enter');
    await comesTo('zwei \n', () => search.inputValue());
    await keyboard.press('Escape');
    await keyboard.press('Control+Backspace');
    // Had one of the others answered, it would have been before.
    const turn = await chat.turnState('/edit work/keys.txt', 'completed');
    assert.match(await turn.innerText(), /You rejected it/);
    assert.equal(fs.readFileSync(file('work/keys.txt'), 'utf8'), 'one\ntwo\n');
    await closeEditors(editor);
  });

  it('C41 many files have the title’s buttons, the keys and, like one file, the answers beside each change', async () => {
    for (const name of MANY) write(name, LINES);
    fs.writeFileSync(`${editor.dataRoot}-script.json`, JSON.stringify(script));
    await editor.workbench.setSetting('attache.agents', [{ id: 'fake', label: 'Fake Agent', command: path.join(repository, 'node_modules/.bin/node'), args: ['test/agents/support/fakeAgentMain.ts'].map((main) => path.join(repository, main)).concat(`${editor.dataRoot}-script.json`, `${editor.dataRoot}-log.jsonl`) }]);
    await editor.workbench.setSetting('attache.defaultAgent', 'fake');
    await editor.workbench.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
    const answer = async (message: string, act: () => Promise<void>): Promise<string> => {
      await chat.say(message);
      await chat.requests().first().getByRole('button', { name: 'Open Diff' }).click();
      await editor.page.locator('.multiDiffEntry .editor.modified .codelens-decoration', { hasText: 'Reject' }).nth(1).waitFor();
      await act();
      const turn = await chat.turnState(message, 'completed');
      await comesTo(0, () => editor.page.locator('.tabs-container .tab').count());
      return turn.innerText();
    };
    assert.match(await answer('by the button', () => editor.workbench.editorAction('Approve').click()), /Approved here/);
    assert.match(await answer('by the lens', () => editor.page.locator('.multiDiffEntry .codelens-decoration a', { hasText: 'Reject' }).nth(1).click()), /Rejected here/);
    assert.match(await answer('by the key', async () => {
      await editor.page.locator('.multiDiffEntry .editor.modified .view-lines').nth(1).click();
      await editor.page.keyboard.press('Control+Backspace');
    }), /Rejected here/);
  });
});
