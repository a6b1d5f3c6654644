import type { WorkspaceEvent } from '../protocol/subscription/events.ts';
import { applyWorkspaceEvent } from '../protocol/subscription/reducer.ts';
import type { WorkspaceSnapshot } from '../protocol/subscription/state.ts';
import type { GatewayCalls } from './gatewayClient.ts';
import { Mirror } from './mirror.ts';

/** A client's copy of the goals and sessions of one folder. */
export type WorkspaceMirror = Mirror<WorkspaceSnapshot, WorkspaceEvent>;

export function workspaceMirror(calls: GatewayCalls, workspace: string): WorkspaceMirror {
  return new Mirror<WorkspaceSnapshot, WorkspaceEvent>(calls, {
    scope: { workspace },
    viewOf: (snapshot) => ('workspace' in snapshot ? snapshot.workspace : null),
    apply: applyWorkspaceEvent,
  });
}
