import type { PermissionAnswer, PermissionRequest } from '../execution/plane.ts';
import type { Approval, ApprovalOption, ApprovalSubject } from '../protocol/approval/state.ts';
import { asAttacheError } from '../protocol/errors.ts';
import type { ClientTurnId, ItemKey } from '../protocol/ids.ts';
import type { ShownChange } from '../runtime/agent.ts';
import { withFirstLines } from '../runtime/changeLines.ts';
import { toolCallKey } from '../runtime/toolCallKey.ts';
import { textOfPart } from '../execution/editPart.ts';
import { chosenOf } from './approvalLedger.ts';
import type { Kept } from './checkpoints.ts';
import type { GuardContext } from './guardContext.ts';
import { choosable, labelOf, sameText, wholeChange } from './shownChanges.ts';

const cancelled: PermissionAnswer = { outcome: 'cancelled' };

/** A change with what its file was before. */
type KeptChange = ShownChange & Kept;

interface Asked extends PermissionRequest {
  readonly changes: readonly KeptChange[];
  /** Only a person may answer. */
  readonly mustAsk: boolean;
}

/**
 * Permissions that the agent asks for before it acts by itself, or through us afterwards. What it was allowed is watched up
 * to the end of its tool call.
 */
export class GuardedPermissions {
  readonly #context: GuardContext;
  /** Tool calls that were allowed and have not ended: their intent is on record. */
  readonly #open = new Map<ItemKey, readonly KeptChange[]>();
  readonly #checks = new Set<Promise<void>>();

  constructor(context: GuardContext) {
    this.#context = context;
  }

  async request(given: PermissionRequest, withdrawn: AbortSignal | null): Promise<PermissionAnswer> {
    const { signal, logger } = this.#context.parts;
    if (signal.aborted) return cancelled;
    // Refused or not: it has asked.
    this.#context.hasAsked(given.toolCallId, given.toolKind);
    if (!isShowable(given)) {
      this.#context.notice(`${given.title.slice(0, 200)}: this request is too large to be shown whole, so it was refused. Ask for less at once.`, 'request_refused');
      return refusing(given.options);
    }
    const itemKey = toolCallKey(given.toolCallId);
    const request = await this.#inspected(given);
    if (typeof request === 'string') {
      this.#context.notice(request, 'edit_refused');
      return refusing(given.options);
    }
    const subject = this.#subject(request);
    await this.#context.settled();
    const approval = await this.#context.ask({ itemKey, title: request.title, subject, options: request.options, mustAsk: request.mustAsk, withdrawn }, given.toolCallId).catch((error: unknown) => {
      logger.warn(`request not recorded, answered cancelled: ${asAttacheError(error)?.kind ?? String(error)}`);
      return null;
    });
    if (approval === null || approval.optionId === null) return cancelled;
    const answer: PermissionAnswer = { outcome: 'selected', optionId: approval.optionId };
    if (approval.status === 'approved') return this.#allowed(request, itemKey, approval, answer);
    const said = approval.status === 'rejected' ? (approval.comment ?? '') : '';
    if (said !== '' && request.hearsComments !== true) await this.#passOn(approval, said);
    // An answer of a kind that nobody knows might mean yes to the agent.
    const chosen = request.options.find(({ optionId }) => optionId === approval.optionId);
    return chosen?.kind === 'other' && approval.status !== 'answered' ? cancelled : { ...answer, ...(said === '' ? {} : { comment: said }) };
  }

  /** True when the item's end is also the end of an act that was allowed. */
  ended(itemKey: ItemKey): boolean {
    const changes = this.#open.get(itemKey);
    if (changes === undefined) return false;
    this.#open.delete(itemKey);
    if (changes.length > 0) this.#watch(this.#compare(changes));
    return true;
  }

  /** Resolves when every file that was to be compared has been. */
  async settled(): Promise<void> {
    await Promise.all(this.#checks);
  }

  async #allowed(request: Asked, itemKey: ItemKey, approval: Approval, answer: PermissionAnswer): Promise<PermissionAnswer> {
    const byItself = approval.subject.kind === 'edit' && approval.subject.mode === 'agentApplied';
    const reason = byItself ? await this.#reasonAgainst(request.changes) : null;
    if (reason !== null) {
      this.#context.notice(reason, 'edit_refused');
      return refusing(request.options);
    }
    try {
      await this.#context.beginEffect(itemKey, approval);
    } catch (error) {
      this.#context.parts.logger.info(`permission not passed on: ${asAttacheError(error)?.kind ?? String(error)}`);
      return cancelled;
    }
    if (byItself) for (const change of request.changes) this.#context.checkpoints.begun(change.path, change);
    this.#open.set(itemKey, byItself ? request.changes : approval.part === undefined ? [] : partsOf(request.changes, approval));
    this.#context.ledger.add(approval, request);
    return answer;
  }

  /** The protocol has no place for words in an answer, so they are the next message: to be seen, edited or removed like any other. */
  async #passOn({ approvalId, title }: Approval, said: string): Promise<void> {
    try {
      await this.#context.parts.queueMessage(`comment-${approvalId}` as ClientTurnId, `About “${title.slice(0, 200)}”, which I rejected: ${said}`);
    } catch (error) {
      this.#context.notice(`Your comment could not be queued for the agent: ${asAttacheError(error)?.message ?? String(error)} It said: ${said}`, 'comment_not_queued');
    }
  }

  #subject(request: Asked): ApprovalSubject {
    const { changes, command, toolKind, detail } = request;
    if (changes.length > 0) {
      const described = changes.map(({ kept, ...change }) => {
        const { change: shown, hunks } = this.#context.parts.changes.withHunks(change);
        return { change: { ...shown, ...(kept === undefined ? {} : { kept }) }, hunks };
      });
      const isHosted = this.#writesThroughUs(changes);
      const canChoose = isHosted && this.#context.parts.takesParts && (request.takesParts === true || this.#context.parts.seen.hasWritten);
      return { kind: 'edit', mode: isHosted ? 'hosted' : 'agentApplied', changes: withFirstLines(canChoose ? choosable(described) : described.map(({ change }) => change)) };
    }
    if (command !== null) return { kind: 'command', command: command.command, cwd: command.cwd, envNames: [] };
    if (toolKind === 'switch_mode') return { kind: 'plan', detail };
    return { kind: 'tool', toolKind: toolKind.slice(0, 100), detail };
  }

  /** With whole texts and what the files are now; a sentence when one of them may not be written at all. */
  async #inspected(given: PermissionRequest): Promise<Asked | string> {
    const { checkpoints, parts: { plane, folder } } = this.#context;
    const changes: KeptChange[] = [];
    let mustAsk = false;
    for (const change of given.changes) {
      try {
        mustAsk ||= (await plane.checkWrite(change.path)) === 'ask';
      } catch (error) {
        return asAttacheError(error)?.message ?? `${labelOf(folder, change.path)} may not be changed: ${String(error)}`;
      }
      const snapshot = await plane.read(change.path).catch(() => null);
      changes.push({ ...(snapshot === null ? change : wholeChange(change, snapshot.text)), ...(await checkpoints.keep(change.path)) });
    }
    return { ...given, changes, mustAsk };
  }

  /** Some agents write through us and by themselves at once; those that read a file through us leave the writing to us. */
  #writesThroughUs(changes: readonly ShownChange[]): boolean {
    return changes.every(({ path }) => this.#context.parts.seen.wasRead(path));
  }

  /** Why the agent must not write these files by itself; null when it may. */
  async #reasonAgainst(changes: readonly KeptChange[]): Promise<string | null> {
    const { checkpoints, parts: { plane, folder } } = this.#context;
    for (const change of changes) {
      const label = labelOf(folder, change.path);
      try {
        const { text, dirty } = await plane.read(change.path);
        if (dirty) return `${label} has unsaved changes, and this agent writes files by itself. It was not allowed to: save the file, then ask again.`;
        const isAsKept = (await checkpoints.keep(change.path)).kept === change.kept;
        if (!isAsKept || (!sameText(change.before, text) && !sameText(change.after, text))) return `${label} is not the text any more that the agent showed. It was not allowed to write it: ask it to read the file again.`;
      } catch (error) {
        return `${label} cannot be changed: ${asAttacheError(error)?.message ?? String(error)}`;
      }
    }
    return null;
  }

  async #compare(changes: readonly ShownChange[]): Promise<void> {
    const { plane, folder, seen } = this.#context.parts;
    for (const change of changes) {
      const text = (await plane.read(change.path).catch(() => null))?.text ?? null;
      if (seen.get(change.path) !== undefined) seen.set(change.path, text);
      if (sameText(change.after, text) || sameText(change.before, text)) continue;
      this.#context.notice(`What the agent wrote to ${labelOf(folder, change.path)} differs from the change it had shown. Look at the file.`, 'edit_differs');
    }
  }

  #watch(check: Promise<void>): void {
    const settled = check.catch(() => undefined).finally(() => this.#checks.delete(settled));
    this.#checks.add(settled);
  }
}

/** The files as they may be once the agent has written what was chosen of its changes. */
const partsOf = (changes: readonly KeptChange[], approval: Approval): KeptChange[] => changes.map((change, index) => {
  const chosen = chosenOf(approval, index);
  const text = chosen === null || change.before === null ? null : textOfPart(change.before, change.after, chosen.hunks, chosen.places);
  return text === null ? change : { ...change, after: text };
});

/** What cannot be shown whole cannot be allowed: its rest would be allowed unseen. */
function isShowable({ changes, command }: PermissionRequest): boolean {
  return changes.length <= 50 && (command === null || (command.command.length <= 100_000 && command.cwd.length <= 4096));
}

/** A refusal in the agent's own words, or the one that every agent knows. */
function refusing(options: readonly ApprovalOption[]): PermissionAnswer {
  const no = options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');
  return no === undefined ? cancelled : { outcome: 'selected', optionId: no.optionId };
}
