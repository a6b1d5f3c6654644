import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { lineDiff } from '../../src/execution/lineDiff.ts';
import type { Approval, ApprovalOption, ApprovalSubject } from '../../src/protocol/approval/state.ts';
import { digest } from '../../src/protocol/ids.ts';
import { digestOf, newCommand, OPTIONS, type TestHost } from './testHost.ts';

/** Asks for consent to a change of a file as the executor does it. `after` replaces the present text. */
export async function askEdit(host: TestHost, file: string, after: string, options: readonly ApprovalOption[] = OPTIONS): Promise<Approval> {
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
  const { lines, added, removed, cut } = lineDiff(before, after);
  const named = (text: string) => digest.parse(createHash('sha256').update(text).digest('hex'));
  const subject: ApprovalSubject = {
    kind: 'edit',
    mode: 'hosted',
    changes: [{ path: file, label: path.basename(file), before: before === null ? null : named(before), after: named(after), added, removed, lines, linesCut: cut }],
  };
  const { approval } = await host.client.call('approval/request', {
    commandId: newCommand(), sessionId: host.sessionId, claimId: host.claimId, title: `Edit ${path.basename(file)}`, subject, options: [...options], actionDigest: digestOf(subject),
  });
  return approval;
}
