/** What the composer and the extension say about what goes with a message; the page carries no zod. */

/** Encoded for an agent, a picture grows by a third, and the services behind agents take 5 MiB: a larger one would be refused with every later message of the conversation, too. */
export const MAX_PICTURE_BYTES = Math.floor((5 * 1024 * 1024 * 3) / 4);

export type AttachmentKind = 'picture' | 'file' | 'folder' | 'symbol' | 'selection' | 'problems' | 'terminal' | 'changes';

/** One thing that goes with the message being written. */
export interface ComposerAttachment {
  /** Made by whoever added it; it stays the same until the message is sent. */
  readonly id: string;
  readonly kind: AttachmentKind;
  /** As people name it, e.g. `src/cart.ts:3-9`. */
  readonly name: string;
  /** What exactly goes to the agent. */
  readonly detail: string;
  /** To be known before it is sent; null: nothing. */
  readonly warning: string | null;
  /** Why the message cannot be sent with it; null: it can. */
  readonly problem: string | null;
  /** The bytes of a picture; null for anything else. */
  readonly digest: string | null;
  /** What stands for it in the text: it goes along only while that is there. Null: it goes along until it is removed. */
  readonly token: string | null;
}

/** What is attached by naming it. Paths are absolute; lines count from 1, both ends included. */
export type MentionRef =
  | { readonly kind: 'file' | 'folder'; readonly path: string }
  | { readonly kind: 'symbol'; readonly path: string; readonly name: string; readonly first: number; readonly last: number }
  /** `choose`: a person is asked for files. */
  | { readonly kind: 'selection' | 'openEditors' | 'problems' | 'terminal' | 'changes' | 'choose' };

/** One entry of the list after an `@`. */
export interface MentionEntry {
  readonly ref: MentionRef;
  readonly label: string;
  readonly detail: string;
  /** A codicon. */
  readonly icon: string;
  /** What is put into the text in place of what was typed; null: nothing. */
  readonly token: string | null;
}

/** What belongs to the composer among the messages of the extension. */
export type ToComposer =
  /** All that goes with the message that is being written in a conversation. */
  | { readonly type: 'attachments'; readonly conversation: string; readonly attachments: readonly ComposerAttachment[] }
  /** Nothing was attached under this id; said in the composer. */
  | { readonly type: 'attachFailed'; readonly conversation: string; readonly id: string; readonly message: string }
  /** What matches so far; `done`: nothing more comes for this request. */
  | { readonly type: 'mentions'; readonly request: number; readonly entries: readonly MentionEntry[]; readonly done: boolean }
  /** A picture as a `data:` address; null: it is not kept any more. */
  | { readonly type: 'picture'; readonly digest: string; readonly address: string | null };

export type FromComposer =
  | { readonly type: 'attach'; readonly conversation: string; readonly id: string; readonly ref: MentionRef; readonly token: string | null }
  /** Files and folders that were dropped, as addresses of the editor. */
  | { readonly type: 'attachUris'; readonly conversation: string; readonly uris: readonly string[] }
  /** A file or picture that was pasted or dropped from outside. */
  | { readonly type: 'attachBytes'; readonly conversation: string; readonly id: string; readonly name: string; readonly mimeType: string; readonly base64: string }
  | { readonly type: 'detach'; readonly conversation: string; readonly id: string }
  /** Shows what exactly would be sent. */
  | { readonly type: 'openAttachment'; readonly conversation: string; readonly id: string }
  /** Shows what was sent with a message, or a picture that the agent sent: the one of that place in the item, from 0. */
  | { readonly type: 'openSent'; readonly itemId: string; readonly index: number }
  | { readonly type: 'loadPicture'; readonly digest: string }
  /** Asks what an `@` and these letters may mean; a new request ends the one before. */
  | { readonly type: 'mention'; readonly conversation: string; readonly request: number; readonly query: string }
  /** The list was closed. */
  | { readonly type: 'mentionEnd' };
