/** One way in which a text can lie in a file. */
export interface ByteForm {
  /** As the editor names it. */
  readonly encoding: string;
  readonly ends: 'LF' | 'CRLF' | 'mixed';
  readonly bom: boolean;
  readonly finalNewline: boolean;
}

interface Line {
  readonly text: string;
  readonly end: string;
}

const decoders: Readonly<Record<string, string>> = { windows1252: 'windows-1252', windows1251: 'windows-1251', shiftjis: 'shift_jis' };
/** In the characters of each encoding. */
const word: Readonly<Record<string, string>> = { windows1251: 'Привет', shiftjis: 'けいかく' };
export const unicodeEncodings: readonly string[] = ['utf8', 'utf16le', 'utf16be'];
export const legacyEncodings: readonly string[] = Object.keys(decoders);

/** Every combination. Only Unicode has a byte order mark. */
export function byteForms(encodings: readonly string[]): ByteForm[] {
  return encodings.flatMap((encoding) => (['LF', 'CRLF', 'mixed'] as const).flatMap((ends) => (unicodeEncodings.includes(encoding) ? [true, false] : [false])
    .flatMap((bom) => [true, false].map((finalNewline) => ({ encoding, ends, bom, finalNewline })))));
}

export const formName = ({ encoding, ends, bom, finalNewline }: ByteForm): string => `${encoding} ${ends}${bom ? ' BOM' : ''}${finalNewline ? '' : ' no final newline'}`;

/** Blanks at line ends, and a line with nothing else: whatever tidies up would change them. */
function lines(form: ByteForm): Line[] {
  const texts = [`one ${word[form.encoding] ?? 'é'}  `, 'two', '\tthree\t ', '   ', 'price 10', 'six ', `last ${word[form.encoding] ?? 'ß'}`];
  const ends = { LF: ['\n'], CRLF: ['\r\n'], mixed: ['\r\n', '\n', '\n'] }[form.ends];
  return texts.map((text, index) => ({ text, end: index === texts.length - 1 && !form.finalNewline ? '' : (ends[index % ends.length] ?? '') }));
}

const joined = (all: readonly Line[]): string => all.map(({ text, end }) => text + end).join('');

export const before = (form: ByteForm): Buffer => encode(form, joined(lines(form)));

/** After line 5 was made into two lines: everything else as it was, the new ones ending as their file does. */
export function after(form: ByteForm): Buffer {
  const usual = form.ends === 'CRLF' ? '\r\n' : '\n';
  return encode(form, joined(lines(form).flatMap((line) => (line.text === 'price 10' ? [{ text: 'price 12', end: usual }, { text: 'added', end: usual }] : [line]))));
}

/** The change as an agent makes it that knows only LF. */
export const change = (text: string): string => text.replaceAll('\r\n', '\n').replace('price 10', 'price 12\nadded');

export function encode({ encoding, bom }: Pick<ByteForm, 'encoding' | 'bom'>, text: string): Buffer {
  const whole = bom ? `\uFEFF${text}` : text;
  if (encoding === 'utf8') return Buffer.from(whole, 'utf8');
  if (encoding === 'utf16le') return Buffer.from(whole, 'utf16le');
  if (encoding === 'utf16be') return Buffer.from(whole, 'utf16le').swap16();
  const table = tableOf(encoding);
  return Buffer.concat([...text].map((char) => {
    const bytes = table.get(char);
    if (bytes === undefined) throw new Error(`${encoding} has no ${char}`);
    return bytes;
  }));
}

const tables = new Map<string, ReadonlyMap<string, Buffer>>();

/** Found by decoding every byte and pair of bytes: nothing of what is tested takes part in it. */
function tableOf(encoding: string): ReadonlyMap<string, Buffer> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const decoder = new TextDecoder(decoders[encoding] ?? encoding, { fatal: true });
  const table = new Map<string, Buffer>();
  const add = (bytes: Buffer): void => {
    try {
      const char = decoder.decode(bytes);
      if ([...char].length === 1 && !table.has(char)) table.set(char, bytes);
    } catch {
      // No character, or half of one.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) add(Buffer.from([byte]));
  if (encoding === 'shiftjis') for (let pair = 0x8140; pair < 0xa000; pair += 1) add(Buffer.from([pair >> 8, pair & 0xff]));
  tables.set(encoding, table);
  return table;
}
