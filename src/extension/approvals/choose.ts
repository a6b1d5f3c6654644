import { t } from '../../base/l10n.ts';
import { oneLine } from '../../base/oneLine.ts';
import { approvedCount } from '../../protocol/approval/part.ts';
import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';

/** The answer that a plain Approve gives: once, never "always". Null: the agent offers none, the person must choose. */
export const approveOption = (approval: Approval): ApprovalOption | null => approval.options.find((option) => option.kind === 'allow_once') ?? null;

/** The answer that a plain Reject gives. */
export const rejectOption = (approval: Approval): ApprovalOption | null => approval.options.find((option) => option.kind === 'reject_once') ?? null;

/** What is asked, in one line without a markup. */
export function subjectLine(approval: Approval): string {
  const { subject } = approval;
  switch (subject.kind) {
    case 'edit':
      return subject.changes.map((change) => `${change.label} +${change.added} −${change.removed}`).join(', ');
    case 'command':
      return oneLine(subject.command);
    case 'tool':
    case 'plan':
    case 'question':
      return subject.detail.split('\n', 1)[0] ?? '';
  }
}

/** What is asked, to go after the name of who asks: "asks to run: npm test". */
export function askLine(approval: Approval): string {
  const { subject } = approval;
  switch (subject.kind) {
    case 'edit':
      return t(isNew(subject) ? 'asks to create {0}' : 'asks to edit {0}', subject.changes.map(({ label }) => label).join(', '));
    case 'command':
      return t('asks to run: {0}', subjectLine(approval));
    case 'tool':
    case 'plan':
    case 'question':
      return t('asks: {0}', approval.title);
  }
}

/** What is asked, by itself: "Run: npm test". */
export function requestName(approval: Approval): string {
  const { subject } = approval;
  switch (subject.kind) {
    case 'edit':
      return t(isNew(subject) ? 'Create {0}' : 'Edit {0}', subjectLine(approval));
    case 'command':
      return t('Run: {0}', subjectLine(approval));
    case 'tool':
    case 'plan':
    case 'question':
      return approval.title;
  }
}

const isNew = ({ changes }: Extract<Approval['subject'], { kind: 'edit' }>): boolean => changes.every(({ before }) => before === null);

/** What became of it, in a few words. */
export function statusLine(approval: Approval): string {
  switch (approval.status) {
    case 'pending':
      return t('waits for an answer');
    case 'approved': {
      const count = approvedCount(approval);
      if (count !== null) return t('{0} of {1} changes approved in {2}', count.chosen, count.of, clientOf(approval));
      return byRule(approval) ? t('approved by the rule {0}', ruleOf(approval)) : t('approved in {0}', clientOf(approval));
    }
    case 'rejected':
      return byRule(approval) ? t('rejected by the rule {0}', ruleOf(approval)) : t('rejected in {0}', clientOf(approval));
    case 'answered':
      return byRule(approval) ? t('answered by the rule {0}', ruleOf(approval)) : t('answered in {0}', clientOf(approval));
    case 'expired':
      return t('expired');
    case 'cancelled':
      return t('withdrawn');
    case 'orphaned':
      return t('lost: the window that asked was restarted');
  }
}

const byRule = ({ decidedBy }: Approval): boolean => decidedBy !== null && decidedBy.by !== 'client';

const ruleOf = ({ decidedBy }: Approval): string => decidedBy?.rule ?? '';

function clientOf({ decidedBy }: Approval): string {
  switch (decidedBy?.clientKind) {
    case 'editor':
      return t('an editor');
    case 'cli':
      return t('the CLI');
    default:
      return t('another client');
  }
}
