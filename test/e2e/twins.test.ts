import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { comesTo } from '../support/comesTo.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor, type Window } from './support/editor.ts';

describe('two windows that share what VS Code remembers', () => {
  let editor: Editor;
  let twin: Window;
  let chat: ChatPage;
  let twinChat: ChatPage;

  before(async () => {
    editor = await startEditor();
    chat = new ChatPage(await editor.openChat());
    await chat.say('of the first');
    await chat.turnState('of the first', 'completed');
    twin = await editor.openTwin();
    twinChat = new ChatPage(await twin.workbench.openChat());
    await twin.workbench.command('Attaché: New Session');
    await twinChat.frame.locator('[data-region="empty"]').waitFor();
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () {
    await pictureOfFailure(this.currentTest, editor);
    await pictureOfFailure(this.currentTest, twin);
  });

  it('what is typed in each stays there, and each goes on showing its own session', async () => {
    for (const round of ['one', 'two', 'three']) {
      await twinChat.composer.fill(`typed in the twin ${round}`);
      await chat.composer.fill(`typed in the first ${round}`);
      // Long enough for each to have told the other.
      await setTimeout(1_500);
      await twin.workbench.openView('Explorer');
      twinChat = new ChatPage(await twin.workbench.openChat());
      await comesTo(`typed in the twin ${round}`, () => twinChat.composer.inputValue());
      await editor.workbench.openView('Explorer');
      chat = new ChatPage(await editor.openChat());
      await chat.shows('of the first');
      await comesTo(`typed in the first ${round}`, () => chat.composer.inputValue());
    }
  });

  it('a decision is said to be of this window only in the window that made it', async () => {
    await chat.say('/run true');
    await chat.answer(chat.requests().first(), 'allow_once');
    await chat.turnState('/run true', 'completed');
    assert.match(await chat.text(), /Approved here/);
    await twin.workbench.command('Attaché: Switch Session');
    await twin.workbench.pick('of the first');
    await twinChat.turnState('/run true', 'completed');
    assert.match(await twinChat.text(), /Approved in the editor/);
  });
});
