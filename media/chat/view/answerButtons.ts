import type { VNode } from 'preact';
import type { Approval, ApprovalOption } from '../../../src/protocol/approval/state.ts';
import { chosenPart, mayAnswer, refuses } from '../format/parts.ts';
import { t } from '../l10n.ts';
import { el, focusOnce, icon, iconButton, kept, linkButton, pushButton, type Surroundings, SurroundingsContext } from './dom.ts';
import { isComposing, isMac } from './keys.ts';
import { words } from './shownText.ts';

const allows = ({ kind }: ApprovalOption): boolean => kind === 'allow_once' || kind === 'allow_always';

/** The agent's own answers, in its own words: what allows comes first, what refuses last. A button acts only on a press on itself. */
export function AnswerButtons({ approval }: { readonly approval: Approval }, { actions, deciding, leftOut }: Surroundings): VNode {
  return kept<string | null>(null, (comment, setComment) => {
    const commenting = comment !== null;
    const pressed = deciding.get(approval.approvalId);
    const { options } = approval;
    const part = chosenPart(approval, leftOut[approval.approvalId]);
    const isOff = (option: ApprovalOption): boolean => !mayAnswer(option, part);
    const ordered = [...options.filter(allows), ...options.filter((option) => !allows(option) && !refuses(option)), ...options.filter(refuses)];
    const refusal = options.find(refuses);
    // Who writes why not is about to refuse.
    const first = commenting ? refusal : ordered.find(allows);
    const decide = (option: ApprovalOption): void => actions.decide(approval, option.optionId, refuses(option) ? (comment ?? '') : '');
    return el('div', { class: 'answers' },
      commenting && refusal !== undefined && el('textarea', {
        class: 'comment', rows: 2, value: comment, dir: 'auto', 'aria-label': t('Comment for the agent'), placeholder: t('What should it do instead?'),
        ref: focusOnce,
        onInput: (event) => setComment(event.currentTarget.value),
        onKeyDown: (event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') setComment(null);
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) decide(refusal);
          else return;
          event.stopPropagation();
        },
      }),
      commenting && refusal !== undefined && el('p', { class: 'meta comment-hint' }, t('{0} rejects', ctrlEnter)),
      el('div', { class: 'buttons', role: 'group', 'aria-label': t('Answers') },
        ordered.map((option) => pushButton(option === first ? 'primary' : 'secondary',
          [pressed === option.optionId && icon('loading'), words(option.name), part !== null && option.kind === 'allow_once' && ` ${t('({0} of {1} changes)', part.chosen, part.of)}`],
          () => { if (!isOff(option)) decide(option); },
          { 'key': option.optionId, 'data-option-kind': option.kind, 'aria-disabled': pressed !== undefined || isOff(option) })),
        refusal !== undefined && pressed === undefined && iconButton('comment', t('Add a comment to the refusal'), () => setComment(commenting ? null : ''), { 'aria-expanded': commenting }),
        pressed === undefined && part === null && iconButton('ellipsis', t('Always Allow…'), () => actions.post({ type: 'run', command: 'alwaysAllow', about: approval.approvalId })),
        approval.subject.kind === 'edit' && linkButton(t('Open Diff'), () => actions.post({ type: 'openDiff', approvalId: approval.approvalId })),
        ordered[0] !== undefined && allows(ordered[0]) && !commenting && part === null && el('span', { class: 'shortcut', title: t('Approves this request while it has the focus'), 'aria-hidden': 'true' }, el('kbd', null, ctrlEnter))));
  });
}
AnswerButtons.contextType = SurroundingsContext;

const ctrlEnter = isMac ? '⌘ Enter' : 'Ctrl Enter';
