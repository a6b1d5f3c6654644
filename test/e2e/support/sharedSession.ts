import { ChatPage } from './chatPage.ts';
import { type Editor, startEditor, type Window } from './editor.ts';

/** Two windows that show one session, run by the first of them. */
export interface SharedSession {
  readonly editor: Editor;
  readonly other: Window;
  readonly chat: ChatPage;
  readonly otherChat: ChatPage;
}

/** Starts an editor with both; one that fails half-way leaves nothing running. `prepare` is given the editor before anything is said in it. */
export async function startSharedSession(prepare: (editor: Editor) => void = () => undefined): Promise<SharedSession> {
  const editor = await startEditor();
  try {
    prepare(editor);
    const chat = new ChatPage(await editor.openChat());
    await chat.say('shared session');
    await chat.turnState('shared session', 'completed');
    const other = await editor.openWindow();
    const otherChat = new ChatPage(await other.workbench.openChat());
    await other.workbench.command('Attaché: Switch Session');
    await other.workbench.pick('shared session');
    await otherChat.turnState('shared session', 'completed');
    return { editor, other, chat, otherChat };
  } catch (error) {
    await editor.stop();
    throw error;
  }
}
