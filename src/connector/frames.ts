const HEADER_END = '\r\n\r\n';
const HEADER_BYTES = 4096;

/** The stream is not what the LSP base protocol allows; nothing after it can be trusted. */
export class FrameError extends Error {
  readonly reason: 'malformed' | 'too_large';

  constructor(reason: FrameError['reason'], message: string) {
    super(message);
    this.name = 'FrameError';
    this.reason = reason;
  }
}

/** Cuts a byte stream into the bodies of LSP frames. Never holds more than one body of `maxBody` bytes and what came with it. */
export class FrameDecoder {
  maxBody: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #bodyLength = -1;

  constructor(maxBody: number) {
    this.maxBody = maxBody;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The next whole body, or null until more bytes have come. Throws FrameError. */
  next(): Buffer | null {
    if (this.#bodyLength < 0 && !this.#readHeader()) return null;
    if (this.#bytes < this.#bodyLength) return null;
    const body = this.#take(this.#bodyLength);
    this.#bodyLength = -1;
    return body;
  }

  /** Takes out the bytes that belong to no frame read so far. Only between two frames. */
  rest(): Buffer {
    return this.#take(this.#bytes);
  }

  #readHeader(): boolean {
    const bytes = this.#joined();
    const end = bytes.indexOf(HEADER_END);
    if (end > HEADER_BYTES || (end < 0 && bytes.length > HEADER_BYTES)) throw new FrameError('malformed', 'the frame header is too long');
    if (end < 0) return false;
    const length = contentLength(bytes.toString('latin1', 0, end));
    if (length > this.maxBody) throw new FrameError('too_large', `a frame of ${length} bytes is larger than ${this.maxBody}`);
    this.#take(end + HEADER_END.length);
    this.#bodyLength = length;
    return true;
  }

  #joined(): Buffer {
    const [only = Buffer.alloc(0)] = this.#chunks;
    if (this.#chunks.length < 2) return only;
    const all = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [all];
    return all;
  }

  #take(length: number): Buffer {
    const all = this.#joined();
    const rest = all.subarray(length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    return all.subarray(0, length);
  }
}

function contentLength(header: string): number {
  // As everybody writes it, and mostly alone.
  const [, alone] = /^Content-Length: (\d{1,10})$/.exec(header) ?? [];
  if (alone !== undefined) return Number(alone);
  for (const line of header.split('\r\n')) {
    const found = /^content-length:[ \t]*(\d{1,10})[ \t]*$/i.exec(line);
    if (found?.[1] !== undefined) return Number(found[1]);
  }
  throw new FrameError('malformed', 'the frame has no Content-Length');
}

export function frameHeader(bodyBytes: number): Buffer {
  return Buffer.from(`Content-Length: ${bodyBytes}${HEADER_END}`, 'latin1');
}

/** One message as a whole frame. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  return Buffer.concat([frameHeader(body.length), body]);
}
