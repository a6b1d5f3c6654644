import { extname } from 'node:path';

const PICTURES: readonly (readonly [string, (bytes: Uint8Array) => boolean])[] = [
  ['image/png', (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', (bytes) => begins(bytes, [0xff, 0xd8, 0xff])],
  ['image/gif', (bytes) => ascii(bytes, 0, 'GIF87a') || ascii(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP')],
];

const BY_NAME: Readonly<Record<string, string>> = {
  '.md': 'text/markdown', '.html': 'text/html', '.css': 'text/css', '.csv': 'text/csv', '.xml': 'text/xml', '.svg': 'image/svg+xml', '.json': 'application/json',
  '.js': 'text/javascript', '.mjs': 'text/javascript', '.cjs': 'text/javascript', '.ts': 'text/x-typescript', '.tsx': 'text/x-typescript', '.py': 'text/x-python', '.diff': 'text/x-diff', '.patch': 'text/x-diff',
};
const OTHERS: Readonly<Record<string, string>> = { '.pdf': 'application/pdf', '.zip': 'application/zip', '.gz': 'application/gzip', '.mp3': 'audio/mpeg', '.wav': 'audio/wav', '.mp4': 'video/mp4' };

/** Endings of pictures that models read. */
export const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

/** What bytes are, from themselves first and from the name of their file second: what only claims to be a picture would spoil the conversation it is sent in. */
export function mimeTypeOf(name: string, bytes: Uint8Array): string {
  const picture = PICTURES.find(([, matches]) => matches(bytes));
  if (picture !== undefined) return picture[0];
  const ending = extname(name).toLowerCase();
  return isText(bytes) ? (BY_NAME[ending] ?? 'text/plain') : (OTHERS[ending] ?? 'application/octet-stream');
}

export const isPicture = (mimeType: string): boolean => PICTURES.some(([known]) => known === mimeType);

/** By its type: text goes to any agent, in one form or another. */
export const isTextType = (mimeType: string): boolean => mimeType.startsWith('text/') || mimeType === 'application/json' || mimeType === 'image/svg+xml';

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const begins = (bytes: Uint8Array, start: readonly number[]): boolean => start.every((byte, at) => bytes[at] === byte);
const ascii = (bytes: Uint8Array, at: number, text: string): boolean => begins(bytes.subarray(at), [...text].map((char) => char.charCodeAt(0)));
