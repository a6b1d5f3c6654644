import * as vscode from 'vscode';
import { AttacheError } from '../../protocol/errors.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { CommandTable } from '../commands.ts';
import { takesWork } from '../sessions/sessionGroups.ts';
import type { ComposerAttachments } from './composerAttachments.ts';
import type { DraftAttachment } from './draftAttachment.ts';
import type { DraftMaker } from './makeDrafts.ts';
import type { SearchPlace } from './mentionSearch.ts';

export interface AddCommandOptions {
  readonly attachments: ComposerAttachments;
  readonly drafts: DraftMaker;
  readonly place: (conversation: string) => SearchPlace;
  readonly panels: ChatPanels;
  /** What the side bar shows or will show; empty: nothing yet. */
  readonly lastShown: () => string;
  readonly fresh: () => string;
  readonly show: (conversation: string) => Promise<void>;
}

type AddCommand = 'addSelection' | 'addSelectionHere' | 'addFiles' | 'addTerminalSelection' | 'addTerminalSelectionHere';

/** Adds to the message that is being written in the chat used last, or in a new one. Nothing is ever sent. */
export class AddCommands implements Pick<CommandTable, AddCommand> {
  readonly #options: AddCommandOptions;

  constructor(options: AddCommandOptions) {
    this.#options = options;
  }

  /** The selected lines of the editor in front; without a selection the whole file. */
  readonly addSelection = async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    await this.#add(async (place) => [await this.#options.drafts.ofSelection({ ...place, editor: editor ?? place.editor })]);
  };

  readonly addSelectionHere = this.addSelection;

  /** The files and folders that are selected in the explorer, or the file of a tab. */
  readonly addFiles = async (one?: unknown, all?: unknown): Promise<void> => {
    const given = Array.isArray(all) ? all.filter((each) => each instanceof vscode.Uri) : [];
    const uris = given.length > 0 ? given : one instanceof vscode.Uri ? [one] : [];
    const files = uris.filter(({ scheme }) => scheme === 'file');
    if (files.length === 0) throw new AttacheError('path_refused', { message: vscode.l10n.t('Only files on this machine can be added.'), next: vscode.l10n.t('Save it to the folder first.') });
    await this.#add((place) => Promise.all(files.map(({ fsPath }) => this.#options.drafts.ofPath(fsPath, place))));
  };

  readonly addTerminalSelection = async (): Promise<void> => {
    // Before the chat comes to the front: what is selected is asked of the terminal in front.
    const draft = await this.#options.drafts.ofTerminal();
    await this.#add(() => Promise.resolve([draft]));
  };

  readonly addTerminalSelectionHere = this.addTerminalSelection;

  async #add(make: (place: SearchPlace) => Promise<readonly DraftAttachment[]>): Promise<void> {
    const { attachments, place, panels, fresh, show } = this.#options;
    const conversation = this.#writable() ?? fresh();
    await attachments.add(conversation, () => make(place(conversation)));
    await show(conversation);
    panels.current?.postWhenReady({ type: 'focusInput' });
  }

  /** The conversation used last, unless it takes no messages any more. */
  #writable(): string | null {
    const { panels: { current }, lastShown } = this.#options;
    if (current === undefined) return lastShown() || null;
    const session = current.view?.session;
    return session === undefined || takesWork(session) ? current.conversation : null;
  }
}
