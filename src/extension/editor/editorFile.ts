import * as vscode from 'vscode';
import { readDiskFile, type DiskFile } from '../../execution/diskFile.ts';
import { decodeUnicode, encodeText, markedEncoding, notText, requireText, type UnicodeEncoding } from '../../execution/textFile.ts';
import { AttacheError } from '../../protocol/errors.ts';

/** A text file on disk as this window reads it. */
export interface EditorFile extends DiskFile {
  /** Without the byte order mark, with the line ends of the disk. */
  readonly text: string;
  /** The bytes of another text in the same form; encoding_refused when it cannot hold that text. */
  encode(text: string): Promise<Uint8Array>;
}

const unicode: Readonly<Record<string, UnicodeEncoding>> = { utf8: 'utf8', utf8bom: 'utf8', utf16le: 'utf16le', utf16be: 'utf16be' };

/**
 * Null when there is no file. The encoding is the open document's, or the one the editor would open the file in: settings of
 * the folder and the language included. A file whose bytes it would not give back is refused.
 */
export async function readEditorFile(real: string, document: vscode.TextDocument | undefined): Promise<EditorFile | null> {
  const file = await readDiskFile(real);
  if (file === null) return null;
  const onDisk = document?.uri.scheme === 'file' ? document : undefined;
  const encoding = onDisk?.encoding ?? (isPlain(real, file.bytes) ? 'utf8' : await encodingOf(real, file.bytes));
  const known = unicode[encoding];
  return { ...file, ...(known === undefined ? await decodeLegacy(file.bytes, encoding, real) : decodeKnown(file.bytes, known, real)) };
}

type Decoded = Pick<EditorFile, 'text' | 'encode'>;

function decodeKnown(bytes: Uint8Array, encoding: UnicodeEncoding, label: string): Decoded {
  const { text, bom } = decodeUnicode(bytes, encoding, label);
  return { text, encode: async (wanted) => encodeText(wanted, { encoding, bom }) };
}

async function decodeLegacy(bytes: Uint8Array, encoding: string, label: string): Promise<Decoded> {
  if (bytes.includes(0)) throw notText(label);
  const text = await vscode.workspace.decode(bytes, { encoding });
  const again = await vscode.workspace.encode(text, { encoding });
  if (Buffer.compare(again, bytes) !== 0) throw new AttacheError('encoding_refused', { message: `${label} holds bytes that ${encoding} has no character for, so it cannot be kept exactly.`, next: 'Reopen the file with its encoding, or convert it to UTF-8.' });
  return { text, encode: (wanted) => encodeLegacy(wanted, encoding) };
}

/** What an encoding has no character for is refused, not replaced. */
export async function encodeLegacy(text: string, encoding: string): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(requireText(text, 'The new text'), { encoding });
  requireHeld(text, await vscode.workspace.decode(bytes, { encoding }), encoding);
  return bytes;
}

/** A new file gets the encoding that the settings of its folder name. */
export async function encodeNew(real: string, text: string): Promise<Uint8Array> {
  const uri = vscode.Uri.file(real);
  const plain = encodeText(text, { encoding: 'utf8', bom: false });
  if (isPlain(real, plain) && !usesMark(uri)) return plain;
  const bytes = await vscode.workspace.encode(text.replace(/^\uFEFF/, ''), { uri });
  requireHeld(text.replace(/^\uFEFF/, ''), await vscode.workspace.decode(bytes, { uri }), configured(uri));
  return bytes;
}

function requireHeld(wanted: string, held: string, encoding: string): void {
  if (wanted === held) return;
  const [asked, given] = [[...wanted], [...held]];
  const at = asked.findIndex((char, index) => given[index] !== char);
  throw new AttacheError('encoding_refused', {
    message: `The new text has a character that ${encoding} cannot hold: “${asked[at] ?? ''}”.`,
    next: 'Leave the character out, or convert the file to UTF-8.',
  });
}

const configured = (uri: vscode.Uri): string => vscode.workspace.getConfiguration('files', uri).get<string>('encoding', 'utf8');
const usesMark = (uri: vscode.Uri): boolean => configured(uri) === 'utf8bom';

/** True when the editor would read these bytes as UTF-8 without a look at language or guess. */
function isPlain(real: string, bytes: Uint8Array): boolean {
  const settings = vscode.workspace.getConfiguration('files', vscode.Uri.file(real));
  if (settings.get('autoGuessEncoding') === true || (settings.inspect('encoding')?.languageIds ?? []).length > 0) return false;
  if (!/^utf8(bom)?$/.test(settings.get<string>('encoding', 'utf8')) || bytes.includes(0)) return false;
  return (markedEncoding(bytes) ?? 'utf8') === 'utf8';
}

async function encodingOf(real: string, bytes: Uint8Array): Promise<string> {
  try {
    return (await vscode.workspace.openTextDocument(vscode.Uri.file(real))).encoding;
  } catch (error) {
    if (bytes.includes(0)) throw notText(real);
    throw new AttacheError('encoding_refused', { message: `${real} cannot be opened as a text: ${error instanceof Error ? error.message : String(error)}` });
  }
}
