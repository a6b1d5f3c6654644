import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';
import type { ParamsOf } from '../../protocol/methods.ts';
import type { ShellKind } from '../../runtime/commandRule.ts';
import type { Change } from '../events/change.ts';
import { permissionModeOf, type SessionRow } from '../sessions/sessionStore.ts';
import { coversRequest, type RuledRequest } from './coversRequest.ts';
import type { GrantStore } from './grantStore.ts';
import { isOrdinaryPath } from './ordinaryPath.ts';

type DecidedBy = NonNullable<Approval['decidedBy']>;
type Request = Pick<ParamsOf<'approval/request'>, 'auto' | 'byRule'>;

/** What a rule answers. A refusal names no option where the agent offers none. */
export interface AutomaticAnswer {
  readonly status: 'approved' | 'rejected';
  readonly optionId: string | null;
  readonly decidedBy: DecidedBy;
}

/** Kinds of tools that only look. */
const LOOKING: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch']);

const byRule = (by: DecidedBy['by'], rule: string): DecidedBy => ({ by, clientId: null, clientKind: null, rule });

/** Answers requests by the session's permission mode and by grants, each time anew, inside the transaction that asks. */
export class AutomaticAnswers {
  readonly #grants: GrantStore;
  readonly #dataRoot: string | null;
  readonly #shell: ShellKind = process.platform === 'win32' ? 'windows' : 'posix';

  constructor(grants: GrantStore, dataRoot: string | null) {
    this.#grants = grants;
    this.#dataRoot = dataRoot;
  }

  /** What no rule can undo: a session that only reads. */
  refusal(session: SessionRow, { subject, options }: Approval): AutomaticAnswer | null {
    if (permissionModeOf(session) !== 'readOnly' || !mayChange(subject)) return null;
    return { status: 'rejected', optionId: optionOf(options, 'reject_once'), decidedBy: byRule('mode', 'mode:readOnly') };
  }

  /** The permission that a rule gives; null when a person is to be asked. Only an option for this once: what an agent stores cannot be revoked here. */
  permission(change: Change, session: SessionRow, asked: Approval, request: Request): AutomaticAnswer | null {
    const mode = permissionModeOf(session);
    const optionId = optionOf(asked.options, 'allow_once');
    if (request.byRule !== true || optionId === null || mode === 'askAlways') return null;
    const ruled = this.#ruled(session, asked);
    if (mode === 'acceptEdits' && asked.subject.kind === 'edit' && asked.subject.changes.every(({ path }) => ruled.isOrdinary(path))) {
      return { status: 'approved', optionId, decidedBy: byRule('mode', 'mode:acceptEdits') };
    }
    const grant = this.#grantFor(session, ruled);
    if (grant === undefined) return null;
    this.#grants.use(change, grant);
    return { status: 'approved', optionId, decidedBy: byRule('grant', grant.grantId) };
  }

  /** Whether what a rule has allowed may still begin: the rule is in force at that moment. */
  stands(session: SessionRow, { decidedBy, subject }: Approval): boolean {
    if (decidedBy === null || decidedBy.by === 'client') return true;
    const mode = permissionModeOf(session);
    if (mode === 'askAlways' || (mode === 'readOnly' && mayChange(subject))) return false;
    if (decidedBy.by === 'grant') return this.#grants.isInForce(decidedBy.rule ?? '');
    return decidedBy.by === 'policy' || mode === 'acceptEdits';
  }

  covers(pattern: Parameters<typeof coversRequest>[0], session: SessionRow, asked: Approval): boolean {
    return coversRequest(pattern, this.#ruled(session, asked));
  }

  #ruled({ workspace }: SessionRow, { title, subject }: Approval): RuledRequest {
    const place = { workspace, dataRoot: this.#dataRoot };
    return { title, subject, workspace, shell: this.#shell, isOrdinary: (file) => isOrdinaryPath(file, place) };
  }

  #grantFor(session: SessionRow, request: RuledRequest) {
    const { kind } = request.subject;
    if (kind === 'plan' || kind === 'question') return undefined;
    return this.#grants.inForce(session, kind).find(({ pattern }) => coversRequest(pattern, request));
  }
}

function mayChange(subject: Approval['subject']): boolean {
  return subject.kind === 'edit' || subject.kind === 'command' || (subject.kind === 'tool' && !LOOKING.has(subject.toolKind));
}

const optionOf = (options: readonly ApprovalOption[], kind: ApprovalOption['kind']): string | null => options.find((option) => option.kind === kind)?.optionId ?? null;
