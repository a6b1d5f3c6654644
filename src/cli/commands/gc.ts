import type { ResultOf } from '../../protocol/methods.ts';
import type { Command, Given } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { shortId } from '../ids.ts';
import { bold, dim, good, type Line } from '../output/spans.ts';
import { table } from '../output/table.ts';
import { ago, bytes } from '../output/times.ts';
import { newCommandId } from '../sessions.ts';

type Plan = ResultOf<'gateway/freeSpace'>;

const UNITS: Readonly<Record<string, number>> = { '': 1, 'k': 1024, 'm': 1024 ** 2, 'g': 1024 ** 3 };

export const gc: Command = {
  name: 'gc',
  usage: '',
  summary: 'Free what closed sessions hold beside their transcripts, after showing what goes',
  about: ['The longest closed go first. What goes are full texts and files of edits, checkpoints and attachments; every transcript stays.'],
  options: {
    'up-to': { type: 'string', value: 'SIZE', about: 'No more than is needed to free so much: 500M, 2G' },
    'dry-run': { type: 'boolean', about: 'Only show what would go' },
    'yes': { type: 'boolean', short: 'y', about: 'Do not ask' },
  },
  examples: ['attache gc', 'attache gc --dry-run --json', 'attache gc --up-to 500M --yes'],
  access: 'write',
  run: async (context, given) => {
    const limit = upTo(given);
    const { calls } = await context.attach();
    const plan = await calls.call('gateway/freeSpace', { commandId: newCommandId(), ...limit, dryRun: true });
    const isOnlyShown = given.flag('dry-run') || plan.sessions.length === 0;
    if (isOnlyShown) {
      await context.output.answer(plan, () => planLines(plan, context.clock.now(), context.output.width));
      return EXIT.ok;
    }
    if (!context.output.isJson) await context.output.lines(planLines(plan, context.clock.now(), context.output.width));
    await confirm(context, given.flag('yes'), [`Free ${bytes(plan.bytes)}?`]);
    const freed = await calls.call('gateway/freeSpace', { commandId: newCommandId(), ...limit, planId: plan.planId });
    await context.output.answer(freed, () => [[good('freed'), ` ${bytes(freed.bytes)}`, ...(freed.left > 0 ? [dim(`; another ${bytes(freed.left)} could go`)] : [])]]);
    return EXIT.ok;
  },
};

function upTo(given: Given): { upToBytes?: number } {
  const typed = given.text('up-to');
  if (typed === undefined) return {};
  const [, number, unit = ''] = /^(\d{1,9})([kmg]?)(?:i?b)?$/i.exec(typed) ?? [];
  const count = Number(number) * (UNITS[unit.toLowerCase()] ?? 1);
  if (number === undefined || count < 1) throw new CliFailure('usage', { message: `“${typed}” is no size.`, next: 'Give a number with K, M or G, such as 500M.' });
  return { upToBytes: count };
}

function planLines({ sessions, bytes: total }: Plan, now: number, width: number): Line[] {
  if (sessions.length === 0) return [['Nothing to free: no closed session of this folder holds more than its transcript.']];
  const ids = sessions.map(({ sessionId }) => sessionId);
  const rows = sessions.map((session): Line => [bold(shortId(session.sessionId, ids)), session.title, bytes(session.bytes), dim(ago(session.closedAt, now))]);
  return [...table([{ head: 'ID' }, { head: 'SESSION', min: 20 }, { head: 'HOLDS' }, { head: 'CLOSED' }], rows, width), [bold(`${bytes(total)} in all`)]];
}
