import { exactText } from '../../client/visibleText.ts';
import { approvedCount } from '../../protocol/approval/part.ts';
import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';
import type { FileChange } from '../../protocol/item/state.ts';
import { accent, added, attention, bold, dim, good, removed, type Line, type Span } from '../output/spans.ts';
import { pairs } from '../output/table.ts';

/** The answer that a plain approve gives: once, never "always". */
export const plainApprove = ({ options }: Approval): ApprovalOption | undefined => options.find(({ kind }) => kind === 'allow_once');
export const plainReject = ({ options }: Approval): ApprovalOption | undefined => options.find(({ kind }) => kind === 'reject_once');

const KIND: Readonly<Record<ApprovalOption['kind'], string>> = {
  allow_once: 'allow once', allow_always: 'allow always', reject_once: 'reject once', reject_always: 'reject always', other: 'an answer',
};

/** What is asked for, in one line. */
export function askedFor({ subject, title }: Approval): string {
  switch (subject.kind) {
    case 'edit':
      return `${subject.changes.every(({ before }) => before === null) ? 'Create' : 'Edit'} ${subject.changes.map((change) => `${change.label} +${change.added} −${change.removed}`).join(', ')}`;
    case 'command':
      return `Run: ${subject.command}`;
    default:
      return title;
  }
}

/** The whole request, just as it was made: characters that cannot be seen are shown as signs. */
export function requestLines(approval: Approval, about: readonly (readonly [string, string])[]): Line[] {
  return [
    [bold(exactText(approval.title === '' ? askedFor(approval) : approval.title))],
    ...pairs([...about, ...(approval.subject.from === undefined ? [] : [['From', `a sub-agent: ${exactText(approval.subject.from)}`] as const]), ...subjectPairs(approval), ['Answers', answers(approval)]], '  '),
    ...(approval.subject.kind === 'edit' ? approval.subject.changes.flatMap(changeLines) : []),
  ];
}

function subjectPairs({ subject }: Approval): (readonly [string, string | Span])[] {
  switch (subject.kind) {
    case 'command':
      return [['Command', bold(exactText(subject.command))], ['In', exactText(subject.cwd)], ...(subject.envNames.length === 0 ? [] : [['Sets', subject.envNames.map(exactText).join(', ')] as const])];
    case 'edit':
      return subject.mode === 'hosted' ? [] : [['Note', attention('The agent writes the file by itself.')]];
    case 'tool':
      return [['Tool', exactText(subject.toolKind)], ['Detail', exactText(subject.detail)]];
    case 'plan':
    case 'question':
      return [['Detail', exactText(subject.detail)]];
    default:
      return [['Subject', JSON.stringify(subject)]];
  }
}

function answers(approval: Approval): string {
  const plain = [plainApprove(approval), plainReject(approval)];
  return approval.options.map((option) => {
    const how = option === plain[0] ? 'approve' : option === plain[1] ? 'reject' : `--option ${option.optionId}`;
    return exactText(`${option.name} (${KIND[option.kind] ?? option.kind}: ${how})`).replaceAll('\n', ' ');
  }).join('\n');
}

/** A diff for display; whatever was left out of it is said. */
export function changeLines(change: FileChange): Line[] {
  return [
    ['  ', bold(exactText(change.path)), dim(`  ${change.before === null ? 'new file, ' : ''}+${change.added} −${change.removed}`)],
    ...change.lines.map(({ t, text }): Line => {
      // A hunk's head brings its own signs.
      const line = t === '@' ? exactText(text) : `${t} ${exactText(text)}`;
      return ['  ', t === '+' ? added(line) : t === '-' ? removed(line) : t === '@' ? accent(line) : dim(line)];
    }),
    ...(change.linesCut ? [['  ', attention('The diff is longer than what is shown here; the editor shows all of it.')] satisfies Line] : []),
  ];
}

function whoDecided(decidedBy: Approval['decidedBy']): string {
  if (decidedBy === null) return '';
  return decidedBy.by === 'client' ? ` in ${decidedBy.clientKind ?? 'a client'}` : ` by the rule ${decidedBy.rule ?? ''}`;
}

/** What became of a request. */
export function verdict(approval: Approval): Line {
  const { status, options, optionId, decidedBy, cause } = approval;
  const count = approvedCount(approval);
  const partly = count === null ? '' : ` ${count.chosen} of ${count.of} changes`;
  const name = options.find((option) => option.optionId === optionId)?.name ?? '';
  const who = whoDecided(decidedBy);
  switch (status) {
    case 'pending':
      return [attention('waits for an answer')];
    case 'approved':
    case 'answered':
      return [good(status), ` “${name}”${partly}${who}`];
    case 'rejected':
      return [removed(status), ` “${name}”${who}`];
    case 'cancelled':
      return [dim(`withdrawn${cause === null ? '' : ` (${cause})`}`)];
    case 'orphaned':
      return [dim('lost: the window that asked was restarted')];
    default:
      return [dim(`${status}${cause === null ? '' : ` (${cause})`}`)];
  }
}
