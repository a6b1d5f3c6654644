import { t } from './l10n.ts';

/** A live region. Equal sentences in a row are read out again. */
export function liveRegion(parent: HTMLElement): { readonly say: (text: string) => void; readonly remove: () => void } {
  const region = document.createElement('div');
  region.className = 'spoken';
  region.setAttribute('role', 'log');
  region.setAttribute('aria-live', 'polite');
  region.setAttribute('aria-label', t('Announcements'));
  parent.append(region);
  const say = (text: string): void => {
    const line = document.createElement('p');
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > 5) region.firstElementChild?.remove();
  };
  return { say, remove: () => region.remove() };
}
