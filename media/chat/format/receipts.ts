import { oneLine } from '../../../src/base/oneLine.ts';
import { approvedCount } from '../../../src/protocol/approval/part.ts';
import type { Approval, ApprovalSubject } from '../../../src/protocol/approval/state.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { t } from '../l10n.ts';
import { inWords } from './causes.ts';
import { firstLine } from './text.ts';

/** What a receipt says beyond the request itself. */
interface ReceiptContext {
  /** How its turn ended or ends, where it did. */
  readonly turn?: Pick<Turn, 'state' | 'cause'>;
  /** It was asked again, since the file had changed in the meantime. */
  readonly superseded?: boolean;
}

/** What became of a request, in one quiet line: what it was about and what happened to it. */
interface Receipt {
  readonly icon: string;
  readonly subject: string;
  /** Such as "Approved in CLI" or "Withdrawn: the turn was stopped". */
  readonly outcome: string;
  readonly tone: 'plain' | 'ok' | 'bad';
}

/** Which window shows the receipt. */
interface ThisWindow {
  readonly clientId: string;
  readonly windowId: string;
}

export function receipt(approval: Approval, here: ThisWindow, { turn, superseded = false }: ReceiptContext = {}): Receipt {
  const subject = subjectName(approval.subject, approval.title);
  switch (approval.status) {
    case 'pending':
      return { icon: 'bell-dot', subject, outcome: t('Waiting for an answer'), tone: 'plain' };
    case 'approved':
      return { icon: 'pass', subject, outcome: `${approval.decidedBy?.by === 'grant' ? t('Allowed by your rule') : decided('Approved', approval, here)}${always(approval)}${partly(approval)}${superseded ? t(', then asked again: the file had changed') : ''}`, tone: superseded ? 'plain' : 'ok' };
    case 'answered':
      return { icon: 'pass', subject, outcome: `${decided('Answered', approval, here)}${answer(approval)}`, tone: 'ok' };
    case 'rejected':
      return { icon: 'circle-slash', subject, outcome: decided('Rejected', approval, here), tone: 'plain' };
    case 'expired':
      return { icon: 'watch', subject, outcome: t('Expired: nobody answered in time'), tone: 'plain' };
    case 'cancelled':
      return { icon: 'circle-slash', subject, outcome: t('Withdrawn: {0}', withdrawnBecause(approval.cause, turn)), tone: 'plain' };
    case 'orphaned':
      return { icon: 'debug-disconnect', subject, outcome: t('Not answered; nothing was run: {0}', inWords(approval.cause ?? 'executor_lost')), tone: 'bad' };
  }
}

/** What a request is about, short enough for one line. */
export function subjectName(subject: ApprovalSubject, title: string): string {
  switch (subject.kind) {
    case 'edit':
      return subject.changes.length === 1 ? t('Edit of {0}', subject.changes[0]?.label ?? '') : t('Edit of {0} files', subject.changes.length);
    case 'command':
      return t('Command {0}', shortLine(subject.command));
    case 'tool':
    case 'plan':
    case 'question':
      return shortLine(title);
  }
}

const shortLine = (text: string): string => firstLine(oneLine(text), 200);

type Decided = 'Approved' | 'Answered' | 'Rejected';
type Where = 'elsewhere' | 'here' | 'editor' | 'cli' | 'window' | 'client';

function decided(what: Decided, { decidedBy }: Approval, here: ThisWindow): string {
  if (decidedBy !== null && decidedBy.by !== 'client') return BY_RULE[what](decidedBy.rule ?? '').trim();
  return DECIDED[what][decidedBy === null ? 'elsewhere' : whereOf(decidedBy, here)];
}

/** Where somebody acted, as seen from here. */
export function whereOf({ clientId, clientKind, windowId }: Pick<NonNullable<Approval['decidedBy']>, 'clientId' | 'clientKind' | 'windowId'>, here: ThisWindow): Where {
  // Tabs of one browser share a client id, and a reload gives a window a new id: then only the editor is sure.
  if (clientId === here.clientId) return windowId === here.windowId || (windowId ?? null) === null ? 'here' : 'editor';
  if (clientKind === 'cli') return 'cli';
  return clientKind === 'editor' ? 'window' : 'client';
}

/** Whole sentences: no language puts the place behind the deed just because English does. */
const DECIDED: Readonly<Record<Decided, Readonly<Record<Where, string>>>> = {
  Approved: { elsewhere: t('Approved elsewhere'), here: t('Approved here'), editor: t('Approved in the editor'), cli: t('Approved in CLI'), window: t('Approved in another window'), client: t('Approved in another client') },
  Answered: { elsewhere: t('Answered elsewhere'), here: t('Answered here'), editor: t('Answered in the editor'), cli: t('Answered in CLI'), window: t('Answered in another window'), client: t('Answered in another client') },
  Rejected: { elsewhere: t('Rejected elsewhere'), here: t('Rejected here'), editor: t('Rejected in the editor'), cli: t('Rejected in CLI'), window: t('Rejected in another window'), client: t('Rejected in another client') },
};

const BY_RULE: Readonly<Record<Decided, (rule: string) => string>> = {
  Approved: (rule) => t('Approved by rule {0}', rule),
  Answered: (rule) => t('Answered by rule {0}', rule),
  Rejected: (rule) => t('Rejected by rule {0}', rule),
};

const chosen = (approval: Approval) => approval.options.find(({ optionId }) => optionId === approval.optionId);

const always = (approval: Approval): string => (chosen(approval)?.kind === 'allow_always' ? `, “${chosen(approval)?.name ?? ''}”` : '');

function partly(approval: Approval): string {
  const count = approvedCount(approval);
  return count === null ? '' : t(': {0} of {1} changes', count.chosen, count.of);
}

const answer = (approval: Approval): string => (chosen(approval) === undefined ? '' : `: “${chosen(approval)?.name ?? ''}”`);

/** The agent's side only says that it withdrew; how the turn went tells why. */
function withdrawnBecause(cause: string | null, turn: ReceiptContext['turn']): string {
  if (cause !== 'withdrawn') return inWords(cause ?? 'turn_cancelled');
  if (turn?.cause) return inWords(turn.cause);
  return inWords({ cancelled: 'cancelled', cancelling: 'cancelled', interrupted: 'turn_interrupted', failed: 'turn_failed' }[turn?.state as string] ?? 'agent_withdrew');
}
