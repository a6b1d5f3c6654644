import type { Command, Given } from '../command.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { Follower } from '../follow/follower.ts';
import { firstOpen, noteLink, teller, untilStopped } from '../follow/following.ts';
import { dim } from '../output/spans.ts';
import { findSession } from '../sessions.ts';

export const watch: Command = {
  name: 'watch',
  usage: '<session>',
  summary: 'Follow a session live, over every cut of the link and restart of the gateway',
  about: [
    'Begins with the turns that run or wait, and the last one before them. Ends when the session is closed, or with Ctrl+C.',
    'As JSON each line is one change: session, turn, item, text (a piece at an offset), approval, item.ended, turn.ended. Every character comes once; of states that passed during a cut the last one comes.',
  ],
  options: {
    turns: { type: 'string', short: 'n', value: 'N', about: 'So many ended turns before (default: 1)' },
    all: { type: 'boolean', about: 'From the first turn on' },
  },
  examples: ['attache watch 4k2m9x', 'attache watch 4k2m9x --all --json > log.jsonl'],
  access: 'read',
  run: async (context, given) => {
    const before = turnsBefore(given);
    const attached = await context.attach();
    const session = await findSession(attached, given.positionals[0] ?? '');
    const show = teller(context);
    const follower = new Follower(attached, {
      sessionId: session.sessionId,
      from: (view) => Math.max(1, firstOpen(view) - before),
      tell: async (change) => {
        await show(change);
        return change.type === 'session' && change.session.status === 'closed' && session.status !== 'closed';
      },
    });
    const noting = noteLink(context, attached);
    try {
      if (session.status === 'closed') context.output.note(dim('This session is closed; what follows is its end.'));
      return (await untilStopped(follower.run(), context.interrupt)) ? EXIT.ok : EXIT.interrupted;
    } finally {
      noting.dispose();
      follower.dispose();
    }
  },
};

function turnsBefore(given: Given): number {
  if (given.flag('all')) return Number.MAX_SAFE_INTEGER;
  const typed = given.text('turns') ?? '1';
  if (!/^\d{1,6}$/.test(typed)) throw new CliFailure('usage', { message: `“${typed}” is no number of turns.` });
  return Number(typed);
}
