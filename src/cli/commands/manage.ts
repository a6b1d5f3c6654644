import type { Session } from '../../protocol/session/state.ts';
import { sessionId } from '../../protocol/ids.ts';
import type { Command } from '../command.ts';
import { confirm } from '../confirm.ts';
import { EXIT } from '../failure.ts';
import { pick } from '../ids.ts';
import { dim, good } from '../output/spans.ts';
import { deletedSessions, findSession, named, newCommandId } from '../sessions.ts';

export const rename: Command = {
  name: 'rename',
  usage: '<session> <title>',
  summary: 'Give a session another title',
  options: {},
  examples: ['attache rename 4k2m9x "Cart rounding"'],
  access: 'write',
  run: async ({ attach, output }, given) => {
    const attached = await attach();
    const [typed = '', title = ''] = given.positionals;
    const { session } = await attached.calls.call('session/rename', { commandId: newCommandId(), sessionId: (await findSession(attached, typed)).sessionId, title });
    await output.answer({ session }, () => [[good('renamed'), ` ${session.title}`]]);
    return EXIT.ok;
  },
};

interface Organise {
  readonly name: 'pin' | 'unpin' | 'archive' | 'unarchive';
  readonly summary: string;
  readonly about?: readonly string[];
  readonly done: string;
}

function organise({ name, summary, about = [], done }: Organise): Command {
  return {
    name,
    usage: '<session>',
    summary,
    about,
    options: {},
    examples: [`attache ${name} 4k2m9x`],
    access: 'write',
    run: async ({ attach, output }, given) => {
      const attached = await attach();
      const { calls } = attached;
      const target = { commandId: newCommandId(), sessionId: (await findSession(attached, given.positionals[0] ?? '')).sessionId };
      const { session } = name === 'pin' || name === 'unpin'
        ? await calls.call('session/pin', { ...target, pinned: name === 'pin' })
        : await calls.call('session/archive', { ...target, archived: name === 'archive' });
      await output.answer({ session }, () => [[good(done), ` ${session.title}`]]);
      return EXIT.ok;
    },
  };
}

export const pin = organise({ name: 'pin', summary: 'Keep a session at the top of lists', done: 'pinned' });
export const unpin = organise({ name: 'unpin', summary: 'Let a pinned session go down again', done: 'unpinned' });
export const archive = organise({ name: 'archive', summary: 'Put a session away; nothing is lost', about: ['Refused while something runs or waits in it. Its next message brings it back.'], done: 'archived' });
export const unarchive = organise({ name: 'unarchive', summary: 'Bring an archived session back into lists', done: 'brought back' });

export const close: Command = {
  name: 'close',
  usage: '<session>',
  summary: 'Close a session; it can still be read',
  options: {},
  examples: ['attache close 4k2m9x'],
  access: 'write',
  run: async ({ attach, output }, given) => {
    const attached = await attach();
    const { session } = await attached.calls.call('session/close', { commandId: newCommandId(), sessionId: (await findSession(attached, given.positionals[0] ?? '')).sessionId });
    await output.answer({ session }, () => [[good('closed'), ` ${session.title}`]]);
    return EXIT.ok;
  },
};

export const remove: Command = {
  name: 'delete',
  usage: '<session>',
  summary: 'Delete a session; for seven days it can be brought back',
  options: { yes: { type: 'boolean', short: 'y', about: 'Do not ask' } },
  examples: ['attache delete 4k2m9x'],
  access: 'write',
  run: async (context, given) => {
    const attached = await context.attach();
    const found: Session = await findSession(attached, given.positionals[0] ?? '');
    await confirm(context, given.flag('yes'), [`Delete “${found.title}”? For seven days it can be brought back.`]);
    const result = await attached.calls.call('session/delete', { commandId: newCommandId(), sessionId: found.sessionId });
    await context.output.answer(result, () => [[good('deleted'), ` ${found.title}`], [dim(`Until ${new Date(result.restorableUntil).toLocaleString()}: attache undelete ${found.sessionId}`)]]);
    return EXIT.ok;
  },
};

export const undelete: Command = {
  name: 'undelete',
  usage: '<session>',
  summary: 'Bring a deleted session back',
  about: ['It comes back as it was, open or closed. “attache sessions --deleted” lists what can be brought back.'],
  options: {},
  examples: ['attache undelete 4k2m9x', 'attache undelete ses_01jv9w3k8mzq4t7x2c5d6f8g9h'],
  access: 'write',
  run: async ({ attach, output }, given) => {
    const [typed = ''] = given.positionals;
    const { calls, workspace } = await attach();
    // A whole id says by itself what is meant, and is refused for what it is when its week is over.
    const whole = sessionId.safeParse(typed);
    const target = whole.success ? whole.data : pick(typed, (await deletedSessions(calls, workspace)).map(named), 'deleted session').sessionId;
    const { session } = await calls.call('session/undelete', { commandId: newCommandId(), sessionId: target });
    await output.answer({ session }, () => [[good('brought back'), ` ${session.title}`]]);
    return EXIT.ok;
  },
};
