import { Buffer } from 'node:buffer';

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The longest beginning of a text that takes at most `bytes` of UTF-8 and cuts no character in two. */
export function headOf(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(text.slice(0, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low > 0 && isHighSurrogate(text.charCodeAt(low - 1)) ? low - 1 : low);
}

/** The text in pieces of at most `bytes` of UTF-8 each. */
export function splitText(text: string, bytes: number): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== '';) {
    const piece = headOf(rest, bytes);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}
