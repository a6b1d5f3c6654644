import type { Command } from '../command.ts';
import { approvals, approve, reject } from './approvals.ts';
import { doctor } from './doctor.ts';
import { exportSession } from './export.ts';
import { gc } from './gc.ts';
import { goalNew, goalRecreate, goalRetire, goals } from './goals.ts';
import { archive, close, pin, remove, rename, unarchive, undelete, unpin } from './manage.ts';
import { search } from './search.ts';
import { retry, send, stop } from './send.ts';
import { sessions } from './sessions.ts';
import { status } from './status.ts';
import { watch } from './watch.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  status, goals, goalNew, goalRetire, goalRecreate, sessions, search, send, watch, approvals, approve, reject, stop, retry, exportSession, rename, pin, unpin, archive, unarchive, close, remove, undelete, gc, doctor,
];
