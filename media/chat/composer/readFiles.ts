import { MAX_ATTACHMENTS, MAX_ATTACHMENT_BYTES } from '../../../src/protocol/limits.ts';
import { MAX_PICTURE_BYTES } from '../../../src/protocol/panelAttachment.ts';
import { isPicture } from '../../../src/protocol/turn/picture.ts';
import { t } from '../l10n.ts';
import { readBase64 } from './readBase64.ts';

/** Where what was read goes. */
interface Receiver {
  hasRoom(text: string): boolean;
  /** False: it could not be read. */
  bring(file: File, data: Promise<string | null>): Promise<boolean>;
  refuse(notice: string): void;
}

/** Files that were pasted or dropped from outside. What is too large is said and not sent anywhere. */
export async function readFiles(tray: Receiver, files: readonly File[], text: string): Promise<void> {
  const refused: string[] = [];
  for (const file of files) {
    const most = isPicture(file.type) ? MAX_PICTURE_BYTES : MAX_ATTACHMENT_BYTES;
    if (!tray.hasRoom(text)) refused.push(t('“{0}” was not attached: a message takes at most {1} attachments.', file.name, MAX_ATTACHMENTS));
    else if (file.size > most) refused.push(t('“{0}” was not attached: it has {1} MB, and {2} MB are the most.', file.name, megabytes(file.size), megabytes(most)));
    else if (!(await tray.bring(file, readBase64(file)))) refused.push(t('“{0}” could not be read. Folders can be dragged from the explorer, or named with @.', file.name));
  }
  if (refused.length > 0) tray.refuse(refused.join(' '));
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) === 0 ? 0 : 2);
