import type { Approval, ApprovalOption } from '../../../src/protocol/approval/state.ts';
import { isComposing } from './keys.ts';

/**
 * The answer that a key gives while the focus is within a card that waits. The page hears these keys itself: the editor would
 * learn too late that the focus has left, and answer with a key that was meant for a document. Never "always".
 */
export function answerOfKey(event: KeyboardEvent, { options }: Pick<Approval, 'options'>): ApprovalOption | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.repeat || isComposing(event)) return null;
  // A field has these keys for itself: its text, and its own way to answer.
  if (event.target instanceof HTMLTextAreaElement || (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox')) return null;
  if (event.key === 'Enter') return options.find(({ kind }) => kind === 'allow_once') ?? null;
  return event.key === 'Backspace' ? (options.find(({ kind }) => kind === 'reject_once') ?? null) : null;
}
