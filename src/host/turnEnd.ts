import { randomUUID } from 'node:crypto';
import type { Logger } from '../base/logger.ts';
import { asAttacheError, type ErrorKind } from '../protocol/errors.ts';
import type { TurnResult } from '../protocol/host/commands.ts';
import type { ClaimId, CompletionId, HostRunId, SessionId, TurnId } from '../protocol/ids.ts';
import type { Usage } from '../protocol/turn/state.ts';
import type { HostConnection } from './hostConnection.ts';
import { failedResult } from './turnResults.ts';

export interface EndedTurn {
  readonly sessionId: SessionId;
  readonly hostRunId: HostRunId;
  readonly turnId: TurnId;
  readonly claimId: ClaimId;
}

export interface ToldEnd {
  readonly result: TurnResult;
  readonly usage: Usage | null;
  /** Of the last report that was sent. */
  readonly lastReportSeq: number;
}

/** Refusals after which nothing is left to tell: the turn has ended, or is not ours. */
const over: ReadonlySet<ErrorKind> = new Set([
  'turn_not_active', 'completion_conflict', 'claim_conflict', 'not_found', 'gone', 'attached_session_host_mismatch', 'executor_replaced', 'session_closed', 'connection_closed',
]);
const maxTellings = 3;
const unspeakable = failedResult({ code: 'agent_error', message: 'The answer of the agent could not be stored.', next: 'Look at what it did above, then send the message again.' });

/** An end that the gateway does not take as it is must not leave the turn running for ever. */
export async function tellEnd({ connection, logger }: { readonly connection: Pick<HostConnection, 'call'>; readonly logger: Logger }, turn: EndedTurn, end: ToldEnd): Promise<void> {
  const target = { ...turn, completionId: randomUUID() as CompletionId };
  let { result, lastReportSeq } = end;
  for (let attempt = 0; attempt < maxTellings; attempt += 1) {
    try {
      await connection.call('host/complete', { ...target, lastReportSeq, result, ...usageOf(end.usage) });
      return;
    } catch (error) {
      const kind = asAttacheError(error)?.kind ?? null;
      logger.warn(`turn ${turn.turnId}: its end was refused: ${kind ?? String(error)}`);
      if (kind !== null && over.has(kind)) return;
      lastReportSeq = expectedSeq(error) ?? lastReportSeq;
      if (kind !== 'report_gap') result = unspeakable;
    }
  }
}

/** The number of the report that the gateway waits for, less one. */
function expectedSeq(error: unknown): number | null {
  const entity = asAttacheError(error)?.data.entity as { readonly expectedReportSeq?: unknown } | undefined;
  return typeof entity?.expectedReportSeq === 'number' ? entity.expectedReportSeq - 1 : null;
}

const usageOf = (usage: Usage | null): { usage?: Usage } => (usage === null ? {} : { usage });
