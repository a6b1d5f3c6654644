interface Piece {
  text: string;
  bytes: number;
}

const pieceBytes = 4096;

/** The last `limit` bytes of a text that grows, cut between characters. */
export class OutputBuffer {
  readonly #limit: number;
  readonly #pieces: Piece[] = [];
  #bytes = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = Math.max(0, limit);
  }

  append(text: string): void {
    if (text === '') return;
    const bytes = Buffer.byteLength(text);
    const last = this.#pieces.at(-1);
    // A program that writes byte by byte must not make a piece of each.
    if (last !== undefined && last.bytes + bytes <= pieceBytes) {
      last.text += text;
      last.bytes += bytes;
    } else this.#pieces.push({ text, bytes });
    this.#bytes += bytes;
    this.#cut();
  }

  read(): { readonly text: string; readonly truncated: boolean } {
    return { text: this.#pieces.map((piece) => piece.text).join(''), truncated: this.#truncated };
  }

  #cut(): void {
    while (this.#bytes > this.#limit) {
      const first = this.#pieces[0];
      if (first === undefined) return;
      this.#truncated = true;
      const over = this.#bytes - this.#limit;
      if (over >= first.bytes) {
        this.#pieces.shift();
        this.#bytes -= first.bytes;
        continue;
      }
      const rest = lastBytes(first.text, first.bytes - over);
      this.#bytes -= first.bytes - rest.bytes;
      this.#pieces[0] = rest;
    }
  }
}

/** The end of a text in at most `max` bytes; a character that would be cut is left out. */
export function lastBytes(text: string, max: number): Piece {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - max);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return { text: bytes.subarray(start).toString(), bytes: bytes.length - start };
}
