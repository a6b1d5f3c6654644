import fs from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../execution/digest.ts';
import { randomHex } from '../randomId.ts';
import type { DraftAttachment } from './draftAttachment.ts';

/** What goes with the message that is being written in a conversation. */
export interface DraftList {
  /** When it was last changed, ms since 1970. */
  readonly at: number;
  readonly attachments: readonly DraftAttachment[];
}

/**
 * On disk when the call returns: what VS Code keeps for an extension it writes down a moment later, and a window can end before that.
 * Beside the bytes (attachmentFiles.ts), which cleans up here, too, what is older than a week; by then it is kept there as well.
 */
export class DraftLists {
  readonly #folder: string;
  readonly #known = new Map<string, DraftList | null>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** As this window last wrote it, else as an earlier one did; null: nobody has lately. */
  read(conversation: string): DraftList | null {
    const known = this.#known.get(conversation);
    if (known !== undefined) return known;
    const list = readList(this.#file(conversation));
    this.#known.set(conversation, list);
    return list;
  }

  /** Where it cannot be written, what VS Code keeps has to do. */
  write(conversation: string, list: DraftList): void {
    this.#known.set(conversation, list);
    const file = this.#file(conversation);
    const partial = `${file}.${randomHex()}`;
    try {
      fs.mkdirSync(this.#folder, { recursive: true });
      fs.writeFileSync(partial, JSON.stringify(list), { mode: 0o600 });
      fs.renameSync(partial, file);
    } catch {
      fs.rmSync(partial, { force: true });
    }
  }

  #file(conversation: string): string {
    return join(this.#folder, `list-${digestOf(conversation)}.json`);
  }
}

function readList(file: string): DraftList | null {
  try {
    const { at, attachments } = JSON.parse(fs.readFileSync(file, 'utf8')) as DraftList;
    return typeof at === 'number' && Array.isArray(attachments) ? { at, attachments } : null;
  } catch {
    return null;
  }
}
