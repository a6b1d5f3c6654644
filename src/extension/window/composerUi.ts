import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { SearchPlace } from '../attachments/mentionSearch.ts';
import { registerAttachmentDocuments } from '../attachments/showBytes.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import { LastEditor } from '../chat/codeTarget.ts';
import { attachmentFacts } from './attachmentFacts.ts';
import type { WindowCore } from './windowCore.ts';

/** What the composers of this window need of the editor. */
export class ComposerUi implements Disposable {
  readonly #core: WindowCore;
  readonly #store = new DisposableStore();
  readonly editors = this.#store.add(new LastEditor());

  constructor(core: WindowCore, panels: ChatPanels) {
    this.#core = core;
    this.#store.add(registerAttachmentDocuments());
    const tell = (conversation: string): void => {
      const shown = core.attachments.shown(conversation);
      for (const panel of panels.all) if (panel.conversation === conversation) panel.post({ type: 'attachments', conversation, attachments: shown });
    };
    this.#store.add(core.attachments.onChanged(tell));
    // What an agent takes is known once it has been started.
    let known: ReadonlyMap<string, string> = new Map();
    this.#store.add(core.workspaces.onChanged(() => {
      const conversations = [...new Set(panels.all.map((panel) => panel.conversation))].filter((conversation) => core.memory.notes(conversation).attachments.length > 0);
      const facts = new Map(conversations.map((conversation) => [conversation, JSON.stringify(attachmentFacts(core)(conversation))]));
      const others = conversations.filter((conversation) => facts.get(conversation) !== known.get(conversation));
      known = facts;
      others.forEach(tell);
    }));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Where a composer looks for what may go with its message. */
  readonly place = (conversation: string): SearchPlace => {
    const { folders } = this.#core;
    const workspace = attachmentFacts(this.#core)(conversation).workspace ?? '';
    const own = folders.all.filter(({ path }) => path === workspace);
    return { folders: [...own, ...folders.all.filter((folder) => !own.includes(folder))], workspace, editor: this.editors.last };
  };
}

