import type { VNode } from 'preact';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { t } from '../l10n.ts';
import { type Surroundings, SurroundingsContext, el, focusOnce, kept, pushButton } from './dom.ts';
import { isComposing } from './keys.ts';

interface EditorProps {
  readonly turn: Turn;
  readonly done: () => void;
}

/** A message that waits, while it is being changed. */
export function QueueEditor({ turn, done }: EditorProps, { actions }: Surroundings): VNode {
  return kept(turn.text, (text, setText) => {
    const save = (): void => {
      actions.editQueued(turn, text);
      done();
    };
    return el('div', { class: 'queue-editor' },
      el('textarea', {
        class: 'queue-input', rows: Math.min(6, text.split('\n').length + 1), value: text, dir: 'auto', 'aria-label': t('Queued message'),
        ref: focusOnce,
        onInput: (event) => setText(event.currentTarget.value),
        onKeyDown: (event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') done();
          else if (event.key === 'Enter' && !event.shiftKey) save();
          else return;
          event.preventDefault();
        },
      }),
      el('div', { class: 'buttons' },
        pushButton('primary small', t('Save'), save),
        pushButton('secondary small', t('Cancel'), done)));
  });
}
QueueEditor.contextType = SurroundingsContext;
