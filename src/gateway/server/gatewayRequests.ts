import { AttacheError } from '../../protocol/errors.ts';
import type { GatewayStatus } from '../../protocol/gateway/commands.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { PRODUCT_VERSION, PROTOCOL_VERSIONS } from '../../protocol/version.ts';
import type { GatewayCore } from '../core.ts';
import { heldCheck, memoryCheck, outcomeCheck, storeCheck, type Check } from './checks.ts';
import type { ServerHandlers, ServerMethod } from './requestHandlers.ts';

export interface GatewayRequestsOptions {
  readonly core: GatewayCore;
  readonly startedAt: number;
  readonly connections: () => number;
  /** Runs after the answer has been handed over. */
  readonly stop: (reason: string) => void;
  readonly drain: (floor: number) => void;
}

/** Requests about the process itself. */
export function gatewayRequests(options: GatewayRequestsOptions): Pick<ServerHandlers, `gateway/${string}` & ServerMethod> {
  const { core } = options;
  return {
    'gateway/status': () => status(options),
    'gateway/diagnostics': () => ({ status: status(options), counts: { ...core.counts().rows }, ...core.bindings(), checks: checks(core) }),
    'gateway/drain': (connection) => {
      if (connection.newestVersion <= Math.max(...PROTOCOL_VERSIONS)) throw new AttacheError('drain_not_allowed');
      options.drain(connection.newestVersion);
      return { liveTurns: core.counts().liveTurns };
    },
    'gateway/shutdown': (connection, { ifIdle }) => {
      if (ifIdle && core.counts().liveTurns > 0) throw new AttacheError('gateway_busy');
      const result = {};
      connection.channel.afterReply(result, () => options.stop('a client asked for it'));
      return result;
    },
  };
}

function status({ core, startedAt, connections }: GatewayRequestsOptions): GatewayStatus {
  const { liveTurns, pendingApprovals, storeBytes, schemaVersion, storeOutcome } = core.counts();
  return {
    gatewayId: core.gatewayId,
    epoch: core.epoch,
    version: PRODUCT_VERSION,
    protocolVersions: [...PROTOCOL_VERSIONS],
    pid: process.pid,
    nodeVersion: process.versions.node,
    startedAt,
    rssBytes: process.memoryUsage.rss(),
    connections: connections(),
    liveTurns,
    pendingApprovals,
    storeBytes,
    schemaVersion,
    storeOutcome,
  };
}

function checks(core: GatewayCore): Check[] {
  const counts = core.counts();
  return [
    storeCheck(counts),
    outcomeCheck(counts),
    heldCheck(counts),
    memoryCheck(process.memoryUsage.rss()),
    { name: 'limits', ok: true, detail: `at most ${LIMITS.connections} connections` },
  ];
}
