import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { AddCommands } from '../attachments/addCommands.ts';
import type { ComposerHandlerOptions } from '../attachments/composerHandlers.ts';
import { DraftMaker } from '../attachments/makeDrafts.ts';
import type { SearchPlace } from '../attachments/mentionSearch.ts';
import { registerAttachmentDocuments } from '../attachments/showBytes.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import { LastEditor } from '../chat/codeTarget.ts';
import type { SessionCommands } from '../sessions/sessionCommands.ts';
import { attachmentFacts } from './attachmentFacts.ts';
import type { WindowCore } from './windowCore.ts';

/** What the composers of this window need of the editor. */
export class ComposerUi implements Disposable {
  readonly #core: WindowCore;
  readonly #store = new DisposableStore();
  readonly #drafts: DraftMaker;
  readonly editors = this.#store.add(new LastEditor());

  constructor(core: WindowCore, panels: ChatPanels) {
    this.#core = core;
    this.#drafts = new DraftMaker(core.attachments);
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

  /** What the chat pages ask for. */
  get handlers(): ComposerHandlerOptions {
    const { attachments, attachmentFiles: files, calls } = this.#core;
    return { attachments, files, calls, drafts: this.#drafts, place: this.#place };
  }

  /** The commands that add to the chat used last. */
  commands(panels: ChatPanels, sessions: Pick<SessionCommands, 'show'>, lastShown: () => string): AddCommands {
    const { attachments, conversations } = this.#core;
    return new AddCommands({ attachments, drafts: this.#drafts, place: this.#place, panels, lastShown, fresh: () => conversations.fresh(), show: (conversation) => sessions.show(conversation) });
  }

  dispose(): void {
    this.#store.dispose();
  }

  readonly #place = (conversation: string): SearchPlace => {
    const { folders } = this.#core;
    const workspace = attachmentFacts(this.#core)(conversation).workspace ?? '';
    const own = folders.all.filter(({ path }) => path === workspace);
    return { folders: [...own, ...folders.all.filter((folder) => !own.includes(folder))], workspace, editor: this.editors.last };
  };
}

