import { redactSecrets, redactTokens, secretsIn, withoutValues } from '../../base/redact.ts';
import type { Transcript } from './transcript.ts';

/** What names something, and never holds what anybody has written. */
const NAMES = /(?:Id|Digest|Key)$|^(?:before|after|key)$/;

/**
 * The transcript without what looks like a secret. In commands that is whatever stands where a secret does, as in `PGPASSWORD=…`; everywhere else
 * it is those same words, and what is a secret by its own form: code and prose stay as they are.
 */
export function withoutSecrets(transcript: Transcript): Transcript {
  const commands = commandsOf(transcript);
  const secrets = [...new Set(commands.flatMap(secretsIn))];
  const plain = (text: string): string => redactTokens(withoutValues(text, secrets));
  return mapped(transcript, '', (text, name) => (name === 'command' ? redactSecrets(plain(text)) : plain(text))) as Transcript;
}

/** Also those that were asked for and never ran. */
function commandsOf({ turns }: Transcript): string[] {
  return turns.flatMap(({ items }) => items.flatMap(({ data, approvals }) => [
    ...(data.kind === 'command' ? [data.command] : []),
    ...approvals.flatMap(({ subject }) => (subject.kind === 'command' ? [subject.command] : [])),
  ]));
}

function mapped(value: unknown, name: string, of: (text: string, name: string) => string): unknown {
  if (typeof value === 'string') return NAMES.test(name) ? value : of(value, name);
  if (Array.isArray(value)) return value.map((entry) => mapped(entry, name, of));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapped(entry, key, of)]));
}
