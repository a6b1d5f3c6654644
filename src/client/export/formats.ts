import type { Transcript } from './transcript.ts';
import { transcriptJson, transcriptLines } from './transcriptJson.ts';
import { transcriptMarkdown } from './transcriptMarkdown.ts';

export type ExportFormat = 'md' | 'json' | 'jsonl';

/** What a transcript can be written as, by the usual ending of such a file. */
export const EXPORT_FORMATS: Readonly<Record<ExportFormat, (transcript: Transcript) => string>> = { md: transcriptMarkdown, json: transcriptJson, jsonl: transcriptLines };

/** The format that a name stands for; null when it stands for none. */
export const exportFormat = (name: string): ExportFormat | null => (Object.hasOwn(EXPORT_FORMATS, name) ? (name as ExportFormat) : null);

const MAX_NAME = 80;

/** A name for the file that any file system takes: letters and digits of the title, whatever else stands in it. */
export function exportFileName(title: string, format: ExportFormat): string {
  const plain = title.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, MAX_NAME).toWellFormed().replace(/[\uFFFD-]+$/u, '');
  return `${plain === '' ? 'session' : plain}.${format}`;
}
