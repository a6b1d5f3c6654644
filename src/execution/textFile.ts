import { AttacheError } from '../protocol/errors.ts';

export type UnicodeEncoding = 'utf8' | 'utf16le' | 'utf16be';

/** How a text lies in its file. */
export interface TextForm {
  readonly encoding: UnicodeEncoding;
  readonly bom: boolean;
}

/** A text file's bytes taken apart so that they can be put together again exactly. */
export interface DecodedFile extends TextForm {
  /** Without the byte order mark. */
  readonly text: string;
}

const mark = '\uFEFF';
const marks: readonly { readonly encoding: UnicodeEncoding; readonly bytes: readonly number[] }[] = [
  { encoding: 'utf8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf16be', bytes: [0xfe, 0xff] },
];
const decoderNames: Readonly<Record<UnicodeEncoding, string>> = { utf8: 'utf-8', utf16le: 'utf-16le', utf16be: 'utf-16be' };

/** The encoding that the first bytes state; null when they state none. */
export function markedEncoding(bytes: Uint8Array): UnicodeEncoding | null {
  return marks.find((each) => each.bytes.every((byte, index) => bytes[index] === byte))?.encoding ?? null;
}

/** UTF-8, or what the byte order mark says. Anything else could not be written back unchanged: encoding_refused, binary_refused. */
export function decodeText(bytes: Uint8Array, label: string): DecodedFile {
  return decodeUnicode(bytes, markedEncoding(bytes) ?? 'utf8', label);
}

/** Strict: what it returns gives the same bytes when it is encoded. */
export function decodeUnicode(bytes: Uint8Array, encoding: UnicodeEncoding, label: string): DecodedFile {
  const bom = markedEncoding(bytes) === encoding;
  try {
    const text = new TextDecoder(decoderNames[encoding], { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text: requireText(bom ? text.slice(1) : text, label), bom, encoding };
  } catch (error) {
    if (error instanceof AttacheError) throw error;
    if (bytes.includes(0)) throw notText(label);
    throw new AttacheError('encoding_refused', {
      message: `${label} is not ${encoding === 'utf8' ? 'UTF-8' : 'UTF-16'} text, so it cannot be kept exactly.`,
      next: 'Convert the file to UTF-8, or name its encoding in the setting files.encoding.',
    });
  }
}

/** A file with NUL characters would not be opened as a text again. */
export function requireText(text: string, label: string): string {
  if (text.includes('\0')) throw notText(label);
  return text;
}

export const notText = (label: string): AttacheError => new AttacheError('binary_refused', { message: `${label} is not a text file.` });

/** `text` goes in as it is, behind the mark that the file has. */
export function encodeText(text: string, form: TextForm): Uint8Array {
  if (!text.isWellFormed()) throw new AttacheError('encoding_refused', { message: 'The new text holds half a character and cannot be stored exactly.' });
  const whole = requireText(form.bom ? mark + text : text, 'The new text');
  if (form.encoding === 'utf8') return new TextEncoder().encode(whole);
  const bytes = Buffer.from(whole, 'utf16le');
  return form.encoding === 'utf16le' ? bytes : bytes.swap16();
}

export const newTextForm: TextForm = { encoding: 'utf8', bom: false };
