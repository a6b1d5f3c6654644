import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { approvalQueries } from './approvals/approvalQueries.ts';
import { decideCommand } from './approvals/decideCommand.ts';
import { requestCommands } from './approvals/requestCommands.ts';
import { cancelCommand } from './broker/cancelCommand.ts';
import { claimCommand } from './broker/claimCommand.ts';
import { completeCommand } from './broker/completeCommand.ts';
import { hostCommands } from './broker/hostCommands.ts';
import { queueCommands } from './broker/queueCommands.ts';
import { recover } from './broker/recovery.ts';
import { reportCommand } from './broker/reportCommand.ts';
import { revertedCommand } from './broker/revertedCommand.ts';
import { steerCommand } from './broker/steerCommand.ts';
import { submitCommands } from './broker/submitCommands.ts';
import { turnQueries } from './broker/turnQueries.ts';
import type { CoreMethod, GatewayCore } from './core.ts';
import type { RetentionLimits } from './events/eventLog.ts';
import { eventQueries } from './events/eventQueries.ts';
import { Core } from './gatewayCore.ts';
import { goalCommands } from './goals/goalCommands.ts';
import { goalQueries } from './goals/goalQueries.ts';
import { grantCommands } from './grants/grantCommands.ts';
import type { Handlers } from './handlers.ts';
import { blobCommands } from './items/blobCommands.ts';
import { itemQueries } from './items/itemQueries.ts';
import { dropReplays, turnReplay } from './items/turnReplay.ts';
import { buildParts, type Parts } from './parts.ts';
import { searchQuery } from './search/searchQuery.ts';
import { attachCommand } from './sessions/attachCommand.ts';
import { configureCommand } from './sessions/configureCommand.ts';
import { deleteCommands } from './sessions/deleteCommands.ts';
import { forkCommand } from './sessions/forkCommand.ts';
import { lifecycleCommands } from './sessions/lifecycleCommands.ts';
import { organiseCommands } from './sessions/organiseCommands.ts';
import { replaceCommand } from './sessions/replaceCommand.ts';
import { sessionQueries } from './sessions/sessionQueries.ts';
import { workspaceQueries } from './sessions/workspaceQueries.ts';
import { spaceCommands } from './space/spaceCommands.ts';
import type { Store } from './store/store.ts';

export interface CoreEnvironment {
  readonly store: Store;
  readonly ownsStore: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly retention?: RetentionLimits;
}

/** Builds a core over an open store and settles what the last run left in it. */
export function assembleCore(environment: CoreEnvironment): GatewayCore {
  const parts = buildParts(environment);
  parts.changes.onCommitted((committed) => {
    dropReplays(parts.replayCache, committed);
    parts.packer.noteCommit(committed);
  });
  recover(parts);
  return new Core({ ...parts, ownsStore: environment.ownsStore, handlers: allHandlers(parts) });
}

/** The whole table of methods, topic by topic. */
function allHandlers(parts: Parts): Handlers<CoreMethod> {
  return {
    ...goalCommands(parts),
    ...goalQueries(parts.goals),
    ...attachCommand(parts),
    ...lifecycleCommands(parts),
    ...organiseCommands(parts),
    ...configureCommand(parts),
    ...deleteCommands(parts),
    ...forkCommand(parts),
    ...replaceCommand(parts),
    ...sessionQueries(parts),
    ...searchQuery(parts),
    ...workspaceQueries(parts),
    ...submitCommands(parts),
    ...steerCommand(parts),
    ...revertedCommand(parts),
    ...cancelCommand(parts),
    ...queueCommands(parts),
    ...turnQueries(parts),
    ...hostCommands(parts),
    ...claimCommand(parts),
    ...reportCommand(parts),
    ...completeCommand(parts),
    ...requestCommands(parts),
    ...decideCommand(parts),
    ...approvalQueries(parts.approvals),
    ...grantCommands(parts),
    ...eventQueries(parts),
    ...itemQueries(parts),
    ...turnReplay(parts),
    ...blobCommands(parts),
    ...spaceCommands(parts),
  };
}
