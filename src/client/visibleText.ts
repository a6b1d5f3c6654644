// What a terminal, a pager or an editor may take for an order: C0 and C1 controls, DEL, and what turns the direction of a line.
const ORDERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;
// Besides those whatever has no width or no form: it could make two texts look the same.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u115f\u1160\u3164\uffa0]/gu;

/** A text that orders nothing wherever it is shown: line ends and tabs stay, other control characters become visible signs. */
export const visibleText = (text: string): string => text.replaceAll('\r\n', '\n').replace(ORDERS, sign);

/** The same on one line. */
export const visibleLine = (text: string): string => visibleText(text).replace(/\s*\n\s*/g, ' ⏎ ').replaceAll('\t', ' ').trim();

/** The same for what a person decides on: characters that cannot be seen are shown, too. A carriage return counts as one of them. */
export const exactText = (text: string): string => text.replace(UNSEEN, (character) => (character === '\n' || character === '\t' ? character : sign(character)));

/** JSON that stays harmless on a terminal; it parses to the same value. */
export const visibleJson = (value: unknown, indent?: number): string => JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, jsonEscape);

function sign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `\\u{${code.toString(16)}}`;
}

function jsonEscape(character: string): string {
  return [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
