import { AttacheError } from '../../protocol/errors.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { AgentChoice } from '../../protocol/session/state.ts';
import { admitted, requireVisible } from '../admission/access.ts';
import { decideAdmission } from '../admission/decideAdmission.ts';
import type { Handlers } from '../handlers.ts';
import type { Receipts } from '../store/receipts.ts';
import { agentOf, sessionFacts, wantedOf, type SessionRow, type SessionStore } from './sessionStore.ts';
import type { SessionViews } from './sessionView.ts';

export interface ConfigureCommandOptions {
  readonly receipts: Receipts;
  readonly sessions: SessionStore;
  readonly views: SessionViews;
}

type Changes = ParamsOf<'session/configure'>['changes'];

/** Any client may ask; the host carries out what concerns the agent. The permission mode is the gateway's own and changes nowhere else. */
export function configureCommand({ receipts, sessions, views }: ConfigureCommandOptions): Handlers<'session/configure'> {
  return {
    'session/configure': ({ principal }, params) => receipts.once(principal, 'session/configure', params, (change) => {
      const row = requireVisible(principal, sessions.find(params.sessionId));
      admitted(decideAdmission({ operation: 'manage', session: sessionFacts(principal, row) }));
      const changes = changesOf(row, params.changes);
      const changed = Object.keys(changes).length === 0 ? row : sessions.patch(change, row, { ...changes, updatedAt: row.updatedAt });
      return { workspace: row.workspace, result: { session: views.of(changed) } };
    }),
  };
}

function changesOf(row: SessionRow, { options = [], permissionMode }: Changes): Partial<SessionRow> {
  const wanted = JSON.stringify(options.reduce((choices, choice) => withChoice(row, choices, choice), wantedOf(row)));
  return {
    ...(wanted === row.wanted ? {} : { wanted }),
    ...(permissionMode === undefined || permissionMode === row.permissionMode ? {} : { permissionMode }),
  };
}

/** The newest wish for an option replaces an older one; one for what the agent has is none. */
function withChoice(row: SessionRow, choices: readonly AgentChoice[], { id, value }: AgentChoice): AgentChoice[] {
  const offered = agentOf(row).options.find((option) => option.id === id);
  if (offered === undefined) throw new AttacheError('agent_option_unknown');
  if (!offered.choices.some((choice) => choice.value === value)) throw new AttacheError('agent_option_value_unknown');
  const others = choices.filter((choice) => choice.id !== id);
  return offered.value === value ? others : [...others, { id, value }];
}
