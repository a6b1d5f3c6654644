import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf, ResultOf } from '../../protocol/methods.ts';
import { accessTo } from '../admission/access.ts';
import type { Principal } from '../core.ts';
import type { Handlers } from '../handlers.ts';
import type { Maintenance } from '../maintenance.ts';
import type { Receipts } from '../store/receipts.ts';
import type { Store } from '../store/store.ts';
import type { FreePlan, Freeable } from './freeable.ts';
import { measureKinds } from './measure.ts';

export interface SpaceCommandsOptions {
  readonly store: Store;
  readonly receipts: Receipts;
  readonly freeable: Freeable;
  readonly maintenance: Maintenance;
}

/** What takes space, and giving it back; and what became of a command. */
export function spaceCommands(options: SpaceCommandsOptions): Handlers<'gateway/space' | 'gateway/freeSpace' | 'command/get'> {
  const { store, receipts, freeable } = options;
  return {
    'gateway/space': async ({ principal }) => {
      const kinds = await measureKinds(store);
      const { sessions, bytes, left, more } = freeable.plan(principal, {});
      return { ...store.size(), capBytes: store.capBytes, kinds, freeable: { bytes: bytes + left, sessions: [...sessions], more } };
    },

    'gateway/freeSpace': ({ principal }, params) => {
      if (params.dryRun === true) return resultOf(freeable.plan(principal, params), false);
      return free(options, principal, params);
    },

    'command/get': ({ principal }, { commandId }) => receipts.get(principal, commandId),
  };
}

type Free = Extract<ParamsOf<'gateway/freeSpace'>, { planId: string }>;

function free({ receipts, freeable, maintenance }: SpaceCommandsOptions, principal: Principal, params: Free): ResultOf<'gateway/freeSpace'> {
  const result = receipts.once(principal, 'gateway/freeSpace', params, (change) => {
    const plan = freeable.plan(principal, params);
    if (plan.planId !== params.planId) throw new AttacheError('revision_conflict', { next: 'Look again at what would go, then repeat it.' });
    freeable.free(plan);
    change.after(() => maintenance.shrink());
    return { workspace: plan.sessions[0]?.workspace ?? principal.workspaces[0]?.path ?? '/', result: resultOf(plan, true) };
  });
  // It may be about several folders, and a repeat may come from a client that has fewer of them by now.
  return { ...result, sessions: result.sessions.filter(({ workspace }) => accessTo(principal, workspace) !== 'none') };
}

function resultOf({ planId, sessions, bytes, left }: FreePlan, freed: boolean): ResultOf<'gateway/freeSpace'> {
  return { planId, sessions: [...sessions], bytes, freed, left };
}
