import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import type { TurnState } from '../../protocol/turn/state.ts';
import type { Principal } from '../core.ts';
import type { Change } from '../events/change.ts';
import type { Changes } from '../events/changes.ts';
import type { Handlers } from '../handlers.ts';
import type { ItemStore } from '../items/itemStore.ts';
import { ReportOps } from '../items/reportOps.ts';
import type { HostGate } from './hostGate.ts';
import type { TurnRow, TurnStore } from './turnStore.ts';

export interface ReportCommandOptions {
  readonly changes: Changes;
  readonly turns: TurnStore;
  readonly items: ItemStore;
  readonly hostGate: HostGate;
  readonly reportOps: ReportOps;
}

type Params = ParamsOf<'host/report'>;
type Result = ResultOf<'host/report'>;

/** What comes while a turn is being stopped still belongs to it; nothing does once its result is reserved. */
const REPORTABLE: ReadonlySet<TurnState> = new Set<TurnState>(['running', 'waiting', 'cancelling']);

export function reportCommand(options: ReportCommandOptions): Handlers<'host/report'> {
  return {
    'host/report': ({ principal }, params) => {
      const durability = ReportOps.isStream(params.ops) ? 'stream' : 'lifecycle';
      return options.changes.commit({ clientId: principal.clientId }, durability, (change) => report(options, change, principal, params));
    },
  };
}

function report(options: ReportCommandOptions, change: Change, principal: Principal, params: Params): Result {
  const { turns, hostGate, reportOps } = options;
  const { reportSeq, ops } = params;
  const entered = hostGate.enterClaim(principal, params);
  const { turn } = entered;
  const expected = turns.reportSeq(turn) + 1;
  if (reportSeq < expected) return answer(options, turn, reportSeq);
  hostGate.admit('report', principal, entered);
  if (!REPORTABLE.has(turn.state)) throw new AttacheError('turn_not_active', { entity: { turnId: turn.turnId, state: turn.state } });
  if (reportSeq > expected) throw reportGap(expected);
  reportOps.applyAll({ change, turn, reportSeq }, ops);
  // Streamed text carries the number of its report, so that it costs one page.
  if (!ops.some(({ op }) => op === 'item.delta')) turns.setReportSeq(turn.turnId, reportSeq);
  return answer(options, turn, reportSeq);
}

/** The same for a repeat: the ids of what this report started, and how the turn stands now. */
function answer({ items }: ReportCommandOptions, turn: TurnRow, reportSeq: number): Result {
  return { reportSeq, turnState: turn.state, items: items.startedBy(turn.turnId, reportSeq) };
}

export const reportGap = (expected: number): AttacheError => new AttacheError('report_gap', { entity: { expectedReportSeq: expected } });
