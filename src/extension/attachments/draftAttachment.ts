import type { AttachmentKind } from '../../protocol/panelAttachment.ts';

/** Of a file, both ends included, from 1. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** One thing that goes with a message that is being written, as this window remembers it. */
export interface DraftAttachment {
  readonly id: string;
  readonly kind: AttachmentKind;
  /** For people, where there is no path that says it. */
  readonly name: string;
  /** Absolute, below the canonical path of its root folder; null: it is not in the file system. */
  readonly path: string | null;
  readonly lines: Lines | null;
  readonly mimeType: string;
  /** Bytes, as far as they are known; null: of a folder. */
  readonly size: number | null;
  /** Its bytes as they were taken; null: they are read when the message is sent, or only the path goes along. */
  readonly digest: string | null;
  /** What stands for it in the text of the message; null: nothing. */
  readonly token: string | null;
}

/** A file that is named and larger than this goes along as its path only: an agent reads of it what it needs. */
export const MAX_INCLUDED = 256 * 1024;
