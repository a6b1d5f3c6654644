import type { SearchHit } from '../../protocol/session/commands.ts';
import type { Command } from '../command.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { shortId } from '../ids.ts';
import { accent, bold, dim, type Line } from '../output/spans.ts';
import { ago } from '../output/times.ts';
import { allSessions } from '../sessions.ts';

const WHERE: Readonly<Record<SearchHit['kind'], string>> = {
  session_title: 'title', user_message: 'message', agent_message: 'answer', tool_call: 'tool', edit: 'edit', command: 'command',
};
const HITS = 50;

export const search: Command = {
  name: 'search',
  usage: '<words\u2026>',
  summary: 'Find sessions by their titles and by what was said and done in them',
  about: ['All the words must occur, whatever their case. Archived and closed sessions are searched, deleted ones never; what tools and commands printed is not.'],
  options: { limit: { type: 'string', short: 'n', value: 'N', about: `At most so many places (default: ${HITS})` } },
  examples: ['attache search rounding euros', 'attache search "npm test" --json | jq -r ".hits[].sessionId"'],
  access: 'read',
  run: async ({ attach, output, clock }, given) => {
    const { calls, workspace } = await attach();
    const limit = limitOf(given.text('limit'));
    const text = given.positionals.join(' ');
    const hits: SearchHit[] = [];
    const titles = new Map<string, string>();
    for (let cursor: string | null | undefined; cursor !== null && hits.length < limit;) {
      const page: Awaited<ReturnType<typeof calls.call<'session/search'>>> = await calls.call('session/search', { workspace, text, limit: Math.min(limit - hits.length, 200), ...(cursor === undefined ? {} : { cursor }) });
      hits.push(...page.hits);
      for (const { sessionId, title } of page.sessions) titles.set(sessionId, title);
      cursor = page.next;
    }
    const ids = (await allSessions(calls, workspace)).map(({ sessionId }) => sessionId);
    await output.answer({ workspace, hits }, () => (hits.length === 0 ? [[`Nothing is found in ${workspace}.`]] : hits.flatMap((hit) => lines(hit, titles.get(hit.sessionId) ?? '', ids, clock.now()))));
    return EXIT.ok;
  },
};

function limitOf(text: string | undefined): number {
  if (text === undefined) return HITS;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new CliFailure('usage', { message: `“${text}” is no number of places.`, next: 'Give one from 1 to 9999.' });
  return Number(text);
}

function lines({ sessionId, kind, at, excerpt, ranges }: SearchHit, title: string, ids: readonly string[], now: number): Line[] {
  const head: Line = [bold(shortId(sessionId, ids)), ` ${title} `, dim(`(${WHERE[kind]}, ${ago(at, now)})`)];
  return kind === 'session_title' ? [head] : [head, ['  ', ...marked(excerpt, ranges)]];
}

function marked(excerpt: string, ranges: SearchHit['ranges']): Line {
  const line: Line[number][] = [];
  let done = 0;
  for (const { start, end } of ranges) {
    line.push(spaced(excerpt.slice(done, start)), accent(spaced(excerpt.slice(start, end))));
    done = end;
  }
  return [...line, spaced(excerpt.slice(done))];
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ');
