import { encodeFrame } from '../../src/connector/frames.ts';

type Random = () => number;
type Json = Record<string, unknown>;

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
const frame = (body: string | Buffer, length = Buffer.byteLength(body)): Buffer => Buffer.concat([Buffer.from(`Content-Length: ${length}\r\n\r\n`), Buffer.from(body)]);

const STRANGE: readonly unknown[] = [
  null, true, -1, 0, 1e308, -1e308, 2 ** 53, 2 ** 63, 1.5, '', ' ', '\u0000', '\ud800', 'x'.repeat(70_000), '../../etc/passwd', [], {}, [[[[]]]], { toString: null }, '__proto__', 'constructor',
];

/** Ways in which bytes on a wire can be wrong: each takes a valid message and gives back what a hostile client sends instead. */
const MUTATIONS: Readonly<Record<string, (message: Json, random: Random) => Buffer>> = {
  'bit flips': (message, random) => {
    const bytes = Buffer.from(encodeFrame(message));
    for (let flips = 1 + Math.floor(random() * 4); flips > 0; flips--) {
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    }
    return bytes;
  },
  'truncation': (message, random) => {
    const bytes = Buffer.from(encodeFrame(message));
    return bytes.subarray(0, Math.floor(random() * bytes.length));
  },
  'a length that lies': (message, random) => {
    const body = JSON.stringify(message);
    const length = pick(random, [0, 1, body.length - 1, body.length + 1, body.length * 2, 8 * 1024 * 1024, 8 * 1024 * 1024 + 1, 2 ** 31, 99_999_999_999]);
    return frame(body, length);
  },
  'a header that is none': (message, random) => Buffer.from(pick(random, [
    'Content-Length: -1\r\n\r\n', 'Content-Length: 0x10\r\n\r\n', 'Content-Length: 5\n\n', 'content-length:3\r\nContent-Length: 5\r\n\r\n', '\r\n\r\n', 'Content-Type: x\r\n\r\n', `${'A'.repeat(5000)}\r\n\r\n`,
  ]) + JSON.stringify(message)),
  'deep nesting': (message, random) => {
    const depth = 10 ** (1 + Math.floor(random() * 4));
    const [open, close] = pick(random, [['[', ']'], ['{"a":', '}']] as const);
    const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
    return frame(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(message['method'])},"params":{"x":${nested},"commandId":${nested}}}`);
  },
  'huge numbers': (message, random) => frame(JSON.stringify(message).replace(/\d+/g, () => pick(random, ['1e309', '-1e309', '9'.repeat(400), '0.1e-400', '-0', '1'.repeat(30)]))),
  'duplicate ids': (message) => Buffer.concat([encodeFrame({ ...message, id: 7 }), encodeFrame({ ...message, id: 7 }), encodeFrame({ ...message, id: 7 })]),
  'odd ids': (message, random) => encodeFrame({ ...message, id: pick(random, STRANGE) }),
  'prototype keys': (message, random) => {
    const key = pick(random, ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']);
    return frame(JSON.stringify(message).replace('"params":{', `"params":{"${key}":{"polluted":true,"commandId":"x"},"also":1,`).replace(',}', '}'));
  },
  'batch arrays': (message, random) => frame(JSON.stringify(Array.from({ length: Math.floor(random() * 5) }, () => message))),
  'no object': (_message, random) => frame(pick(random, ['null', '1', '"text"', 'true', '[]', '', '   ', '{', '{}', '{"jsonrpc":"2.0"}', '\ufeff{}'])),
  'invalid UTF-8': (message, random) => {
    const body = Buffer.from(JSON.stringify(message));
    for (let hits = 1 + Math.floor(random() * 4); hits > 0; hits--) body[Math.floor(random() * body.length)] = pick(random, [0x80, 0xc0, 0xc1, 0xf5, 0xff, 0xed]);
    return frame(body);
  },
  'lone surrogates': (message, random) => frame(JSON.stringify(message).replace(/:"([^"]*)"/g, (_, text: string) => `:"${text}${pick(random, ['\\ud800', '\\udfff', '\\udc00\\ud800', '\\u0000'])}"`)),
  'another method': (message, random) => encodeFrame({ ...message, method: pick(random, ['', 'constructor', '__proto__', 'toString', '$/cancelRequest', '$/progress', '$/setTrace', 'exit', 'rpc.discover', 'attache/hello', 'x'.repeat(9000), 'goal/list\u0000']) }),
  'no method': (message, random) => encodeFrame({ ...message, method: pick(random, STRANGE) }),
  'an answer to nothing': (message, random) => encodeFrame({ jsonrpc: '2.0', id: message['id'], ...pick(random, [{ result: {} }, { result: null }, { error: {} }, { error: { code: 'x', message: 7 } }, { result: 1, error: 2 }]) }),
  'strange values': (message, random) => encodeFrame({ ...message, params: withStrange(message['params'], random) }),
  'strange params': (message, random) => encodeFrame({ ...message, params: pick(random, STRANGE) }),
  'another version': (message, random) => encodeFrame({ ...message, jsonrpc: pick(random, ['1.0', '', null, 2, {}]) }),
  'pieces of two': (message, random) => {
    const bytes = Buffer.from(encodeFrame(message));
    return Buffer.concat([bytes.subarray(0, Math.floor(random() * bytes.length)), bytes]);
  },
};

export const MUTATION_KINDS = Object.keys(MUTATIONS);

/** After these the link is of no use any more. */
const ENDING: ReadonlySet<string> = new Set([
  'bit flips', 'truncation', 'a length that lies', 'a header that is none', 'batch arrays', 'no object', 'invalid UTF-8', 'pieces of two', 'another method', 'no method', 'an answer to nothing',
]);

/** Those that leave frames which can be read: a link goes on after them, so that each is dealt with. */
export const READABLE_KINDS = MUTATION_KINDS.filter((kind) => !ENDING.has(kind));

export const mutate = (kind: string, message: Json, random: Random): Buffer => MUTATIONS[kind]!(message, random);

/** One of its values, at whatever depth, is another one. */
function withStrange(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return pick(random, STRANGE);
  const key = pick(random, Object.keys(value));
  const changed = random() < 0.4 ? pick(random, STRANGE) : withStrange((value as Json)[key], random);
  return Array.isArray(value) ? value.map((each: unknown, at) => (String(at) === key ? changed : each)) : { ...value, [key]: changed };
}
