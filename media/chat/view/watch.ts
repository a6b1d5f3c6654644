import type { Actions } from '../actions.ts';
import type { FilePlace } from '../markdown/linkTarget.ts';
import { setUnfolded } from '../markdown/inertNodes.ts';

/** Presses inside rendered markdown, whose nodes are not drawn by the page: links become messages to the editor, nothing navigates. */
export function watchClicks(root: HTMLElement, actions: Actions, signal: AbortSignal): void {
  root.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-href], [data-path], [data-code], [data-unfold]') : null;
    if (target === null) return;
    event.preventDefault();
    // Words that were just marked over a link are to be copied.
    if (target.matches(LINK) && document.getSelection()?.isCollapsed === false) return;
    follow(target, actions);
  }, { signal });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLElement) || !event.target.matches(LINK)) return;
    event.preventDefault();
    follow(event.target, actions);
  }, { signal });
}

// No buttons, so that keys do nothing with them by themselves.
const LINK = 'span[data-href], span[data-path]';

function follow(target: HTMLElement, actions: Actions): void {
  const { href, path, code, unfold } = target.dataset;
  if (href !== undefined) actions.post({ type: 'openLink', href });
  else if (path !== undefined) actions.openFile(path, placeOf(target));
  else if (unfold !== undefined) setUnfolded(target, target.ariaExpanded !== 'true');
  else if (code !== undefined) useCode(target, code, actions);
}

function placeOf({ dataset }: HTMLElement): FilePlace {
  const numbers = (['line', 'column', 'endLine'] as const).flatMap((name) => (dataset[name] === undefined ? [] : [[name, Number(dataset[name])]]));
  return Object.fromEntries(numbers) as FilePlace;
}

/** What is shown is what is taken: a character that is shown by its number comes as its number. */
function useCode(button: HTMLElement, act: string, actions: Actions): void {
  const block = button.closest<HTMLElement>('.code-block');
  const text = block?.querySelector('pre')?.textContent ?? '';
  const language = block?.dataset['language'] ?? '';
  if (act === 'copy') actions.post({ type: 'copy', text });
  else if (text !== '') actions.post({ type: act === 'insert' ? 'insertCode' : 'newFile', text, language });
}

/** Tells the editor where the keys go, for the key bindings that hold only there. */
export function watchFocus(root: HTMLElement, actions: Actions, signal: AbortSignal): void {
  let last = '';
  const tell = (): void => {
    const element = document.hasFocus() ? document.activeElement : null;
    const input = element instanceof HTMLTextAreaElement;
    // Someone who writes a comment is not at the card's buttons: the shortcut that allows must not reach it.
    const approvalId = input ? null : element?.closest<HTMLElement>('[data-approval-id][data-status="pending"]')?.dataset['approvalId'] ?? null;
    const now = `${input} ${approvalId}`;
    if (now === last) return;
    last = now;
    actions.post({ type: 'focus', input, approvalId });
  };
  root.addEventListener('focusin', tell, { signal });
  root.addEventListener('focusout', () => queueMicrotask(tell), { signal });
  window.addEventListener('focus', tell, { signal });
  window.addEventListener('blur', tell, { signal });
}
