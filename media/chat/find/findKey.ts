import { isComposing } from '../view/keys.ts';

/** Keys of an input method are its own. */
export const isOwnKey = (event: KeyboardEvent): boolean => !isComposing(event) && !event.altKey;

/** The key that begins finding, here as everywhere. */
export const isFindKey = (event: KeyboardEvent): boolean => isOwnKey(event) && (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'f';

/** Keeps a key from the editor around the page, whose own find would open in another place. */
export function keep(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}
