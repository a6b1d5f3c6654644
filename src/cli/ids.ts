import { AttacheError } from '../protocol/errors.ts';
import { CliFailure } from './failure.ts';

/** Something that can be meant by an id, with a few words by which a person tells it apart. */
export interface Named<T> {
  readonly id: string;
  readonly about: string;
  readonly value: T;
}

const SHORTEST = 6;
const bodyOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** The last characters of an id, as few as tell it apart from the others, at least six. The first ones only say when it was made. */
export function shortId(id: string, all: readonly string[]): string {
  const body = bodyOf(id);
  const others = all.filter((other) => other !== id).map(bodyOf);
  for (let length = SHORTEST; length < body.length; length++) {
    const end = body.slice(-length);
    if (!others.some((other) => other.startsWith(end) || other.endsWith(end))) return end;
  }
  return body;
}

/** Finds the one that is meant by a whole id, or by its first or last characters, with or without its prefix. */
export function pick<T>(typed: string, all: readonly Named<T>[], what: string): T {
  const exact = all.find(({ id }) => id === typed || bodyOf(id) === typed);
  if (exact !== undefined) return exact.value;
  const part = typed.toLowerCase();
  const found = part === '' ? [] : all.filter(({ id }) => id.startsWith(part) || bodyOf(id).startsWith(part) || bodyOf(id).endsWith(part));
  const [only] = found;
  if (only === undefined) throw new AttacheError('not_found', { message: `There is no ${what} “${typed}” in this folder.` });
  if (found.length === 1) return only.value;
  const names = found.map(({ id, about }) => `${shortId(id, all.map((each) => each.id))} (${about})`);
  throw new CliFailure('ambiguous_id', {
    message: `“${typed}” may be any of ${found.length} ${what}s: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}.`,
    entity: found.map(({ id, about }) => ({ id, about })),
  });
}
