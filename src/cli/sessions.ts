import { randomUUID } from 'node:crypto';
import { everyApproval } from '../client/everyApproval.ts';
import { everySession } from '../client/everySession.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import type { Approval } from '../protocol/approval/state.ts';
import { commandId, type CommandId } from '../protocol/ids.ts';
import type { Session } from '../protocol/session/state.ts';
import type { Attached } from './gateway/attached.ts';
import { pick, type Named } from './ids.ts';

type Calls = Pick<GatewayCalls, 'call'>;

export const newCommandId = (): CommandId => commandId.parse(`cli-${randomUUID()}`);

/** Every session of the folder that was not deleted, newest activity first: whatever is archived or closed can still be named. */
export const allSessions = (calls: Calls, workspace: string): Promise<Session[]> => everySession(calls, { workspace, includeClosed: true, archived: 'include' });

/** Those that were deleted and can still be brought back. */
export const deletedSessions = (calls: Calls, workspace: string): Promise<Session[]> => everySession(calls, { workspace, deleted: true });

export const named = (session: Session): Named<Session> => ({ id: session.sessionId, about: session.title, value: session });

/** The session a person means. */
export async function findSession({ calls, workspace }: Attached, typed: string): Promise<Session> {
  return pick(typed, (await allSessions(calls, workspace)).map(named), 'session');
}

/** The request a person means, whatever has become of it. */
export async function findApproval({ calls, workspace }: Attached, typed: string): Promise<Approval> {
  const approvals = await everyApproval(calls, { workspace });
  return pick(typed, approvals.map((approval) => ({ id: approval.approvalId, about: approval.title, value: approval })), 'request');
}
