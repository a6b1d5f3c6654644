import type { SessionMode } from '../../protocol/session/state.ts';

/** What a principal may do in the target's folder. */
export type Access = 'none' | 'read_only' | 'full';

/** The goal key as the registry has it: live means exactly one live row with a well-formed identity (or a legacy row, which has none). */
export type GoalFacts =
  | { readonly state: 'live'; readonly profile: 'source_session_v1'; readonly lifetime: number; readonly instanceId: string }
  | { readonly state: 'live'; readonly profile: 'legacy'; readonly lifetime: number; readonly stampedHistory: boolean }
  | { readonly state: 'malformed'; readonly lifetime: number }
  | { readonly state: 'duplicated'; readonly lifetimes: readonly number[] }
  | { readonly state: 'retired'; readonly lifetime: number }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable' };

/** The goal instance that a row was stamped with. */
export type Stamp = { readonly kind: 'none' } | { readonly kind: 'malformed' } | { readonly kind: 'instance'; readonly instanceId: string };

/** `unknown`: there is none, or the principal was not granted its folder. `unrecognized`: its mode is not in the closed set. */
export type SessionFacts =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unrecognized'; readonly access: Exclude<Access, 'none'> }
  | { readonly kind: 'known'; readonly access: Exclude<Access, 'none'>; readonly mode: SessionMode; readonly status: string; readonly stamp: Stamp };

/** Stamps of a turn: at submit, and at its first claim. */
export interface TurnFacts {
  readonly stamp: Stamp;
  readonly admission: { readonly admitted: false } | { readonly admitted: true; readonly stamp: Stamp };
}

/** Whether the caller is the bound host of the session, on the connection that registered. */
export type HostFacts = 'bound' | 'other';

/** Who holds the session's turn: nobody holds one (`free`), a live host does, or one that is cut off and may come back. */
export type ExecutorFacts = 'free' | 'alive' | 'in_grace';

/** Resumable sessions of the same (goal, agent, channel) and the current instance: the newest one compared with the asked tuple. */
export type AttachCandidate = 'none' | 'equal' | 'different';

/** Every fact that one kind of operation is decided by; a missing one does not compile. */
export type AdmissionFacts =
  | { readonly operation: 'goal_create'; readonly access: Access; readonly goal: GoalFacts }
  | { readonly operation: 'goal_update'; readonly access: Access; readonly goal: GoalFacts }
  | { readonly operation: 'goal_retire' | 'goal_recreate'; readonly access: Access; readonly goal: GoalFacts; readonly expectedLifetime: number }
  | { readonly operation: 'attach'; readonly access: Access; readonly goal: GoalFacts; readonly candidate: AttachCandidate; readonly mode: SessionMode }
  | {
      readonly operation: 'submit' | 'retry' | 'fork' | 'queue_edit' | 'queue_reorder';
      readonly session: SessionFacts; readonly goal: GoalFacts; readonly draining: boolean;
    }
  | { readonly operation: 'resume' | 'approve_allow' | 'steer'; readonly session: SessionFacts; readonly goal: GoalFacts }
  | {
      readonly operation: 'replace_executor'; readonly session: SessionFacts; readonly goal: GoalFacts; readonly executor: ExecutorFacts;
      /** Whether the caller can be a host at all: only an editor can. */
      readonly canHost: boolean;
    }
  | { readonly operation: 'cancel' | 'queue_remove' | 'approve_reject' | 'close' | 'delete' | 'undelete' | 'organise' | 'manage'; readonly session: SessionFacts }
  | { readonly operation: 'grant_revoke'; readonly access: Access }
  | { readonly operation: 'register' | 'host_presence'; readonly session: SessionFacts; readonly host: HostFacts }
  | {
      readonly operation: 'claim_new'; readonly session: SessionFacts; readonly goal: GoalFacts; readonly host: HostFacts; readonly draining: boolean;
      /** The head of the queue, null when nothing waits. */
      readonly turn: TurnFacts | null;
    }
  | {
      readonly operation: 'claim_replay' | 'report' | 'approval_request' | 'complete';
      readonly session: SessionFacts; readonly goal: GoalFacts; readonly host: HostFacts; readonly turn: TurnFacts;
    };

export type Operation = AdmissionFacts['operation'];

type Having<F extends AdmissionFacts, O extends Operation> = F extends { readonly operation: infer Known } ? (O extends Known ? F : never) : never;
/** The facts that an operation is decided by. */
export type FactsOf<O extends Operation> = Having<AdmissionFacts, O>;
