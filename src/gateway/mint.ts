import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const COUNT_CHARS = 3;
const RANDOM_CHARS = 13;

const randomText = (length: number): string => Array.from(randomBytes(length), (byte) => ALPHABET[byte % 32]).join('');

function numberText(value: number, length: number): string {
  let rest = Math.max(0, Math.floor(value));
  let text = '';
  for (let at = 0; at < length; at++) {
    text = `${ALPHABET[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

let latest = { now: 0, count: 0 };

/** A new public id: opaque, in order of minting as long as the clock does not go back. */
export function mintId<T extends string>(prefix: 'ses' | 'trn' | 'itm' | 'apr' | 'chn' | 'grt', now: number): T {
  latest = { now, count: latest.now === now ? latest.count + 1 : 0 };
  return `${prefix}_${numberText(now, TIME_CHARS)}${numberText(latest.count, COUNT_CHARS)}${randomText(RANDOM_CHARS)}` as T;
}

/** A key for a goal that was made from a message; says nothing about the text. */
export const mintGoalKey = <T extends string>(): T => `g-${randomText(10)}` as T;

/** One lifetime of a goal. Only the goal registry mints it and it never leaves the gateway. */
export const mintGoalInstance = (): string => `ginst_${randomBytes(16).toString('hex')}`;

export const isGoalInstance = (value: string): boolean => /^ginst_[0-9a-f]{32}$/.test(value);

/** SHA-256 of the parameters, independent of the order of their names. */
export function hashParams(params: unknown): string {
  return createHash('sha256').update(canonical(params)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join(',')}}`;
}
