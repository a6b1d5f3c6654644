import { inOneLine } from '../../src/base/l10n.ts';
import { oneLine } from '../../src/base/oneLine.ts';
import type { Approval, ApprovalSubject } from '../../src/protocol/approval/state.ts';
import type { PanelState } from '../../src/protocol/panel.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import { subjectName } from './format/receipts.ts';
import { firstLine } from './format/text.ts';
import { turnEnd } from './format/turnEnd.ts';
import { t } from './l10n.ts';
import type { StoreChange } from './store.ts';

const MAX_SPOKEN = 2000;
/** More than that nobody keeps in mind. */
const MAX_FILES = 5;

/** Tells a screen reader what happens: a reply once, when it is complete; a request once, with how to answer. What was there before the page is never read out. */
export class Announcer {
  readonly #say: (text: string) => void;
  #asked = new Set<string>();

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  observe(change: StoreChange, state: PanelState | null): void {
    if (state === null) return;
    if (change.kind === 'replaced') this.#replaced(change.before, change.after);
    if (change.kind === 'event') this.#event(change.event, state);
  }

  /** The same conversation again, after a cut link: only requests that are new are told. */
  #replaced(before: PanelState | null, after: PanelState): void {
    const pending = after.view?.approvals.filter(({ status }) => status === 'pending') ?? [];
    const again = before?.conversation === after.conversation && before.view !== null;
    if (again) for (const approval of pending) this.#ask(approval, after);
    else this.#asked = new Set(pending.map(({ approvalId }) => approvalId as string));
  }

  #event(event: SessionEvent, state: PanelState): void {
    if (event.type === 'approval.requested' && event.approval.status === 'pending') this.#ask(event.approval, state);
    if (event.type === 'turn.ended') this.#say(this.#replyOf(event.turn, state));
  }

  #ask(approval: Approval, state: PanelState): void {
    if (this.#asked.has(approval.approvalId)) return;
    this.#asked.add(approval.approvalId);
    const answers = approval.options.map(({ name }) => name).join(', ');
    this.#say(t('{0} asks: {1}. Answers: {2}. To answer, run the command “Attaché: Go to Next Request”, or move to the request with Tab.', asker(approval, state), asked(approval, state), answers));
  }

  #replyOf(turn: Turn, state: PanelState): string {
    const end = turnEnd(turn);
    const reply = state.view?.items.findLast((item) => item.turnId === turn.turnId && item.data.kind === 'agent_message');
    const said = reply === undefined ? '' : reply.text.slice(0, MAX_SPOKEN);
    if (end !== null) return inOneLine(t(/[.。]$/.test(end.text) ? '{0}: {1}' : '{0}: {1}.', firstLine(turn.text, 60), end.text), said);
    return said === '' ? t('{0} is done.', state.chrome.agent.label) : `${state.chrome.agent.label}: ${said}`;
  }
}

function asker({ subject: { from } }: Approval, { chrome: { agent } }: PanelState): string {
  return `${agent.label}${from === undefined ? '' : t(' (sub-agent “{0}”)', oneLine(from))}`;
}

/** All that a person sees of it at once: what, where, with which variables, and which of several it is. */
function asked({ approvalId, subject, title }: Approval, { view }: PanelState): string {
  const waiting = view?.approvals.filter(({ status }) => status === 'pending') ?? [];
  const at = waiting.findIndex((other) => other.approvalId === approvalId);
  const place = waiting.length > 1 && at >= 0 ? [t('Request {0} of {1}', at + 1, waiting.length)] : [];
  return [whatOf(subject, title), ...detailsOf(subject), ...place].join('; ');
}

function whatOf(subject: ApprovalSubject, title: string): string {
  if (subject.kind !== 'edit') return subjectName(subject, title);
  const names = subject.changes.slice(0, MAX_FILES).map(({ label }) => label).join(', ');
  const more = subject.changes.length - MAX_FILES;
  return t('Edit of {0}', more > 0 ? t('{0} and {1} more', names, more) : names);
}

function detailsOf(subject: ApprovalSubject): string[] {
  if (subject.kind !== 'command') return [];
  const { cwd, envNames } = subject;
  return [t('Folder: {0}', cwd), ...(envNames.length === 0 ? [] : [t('Sets these variables: {0}', envNames.join(', '))])];
}
