import { t } from '../l10n.ts';
/** Built by hand, for it must work when nothing else does. */
export function showFailure(parent: HTMLElement, message: string, reload: () => void): void {
  parent.querySelector('[data-region="page-error"]')?.remove();
  const box = document.createElement('div');
  box.className = 'page-error';
  box.dataset['region'] = 'page-error';
  box.setAttribute('role', 'alert');
  const text = document.createElement('p');
  text.textContent = t('This panel ran into an error. The work goes on in the background; nothing is lost.');
  const detail = document.createElement('p');
  detail.className = 'meta';
  detail.textContent = message.slice(0, 500);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button primary small';
  button.textContent = t('Reload Panel');
  button.addEventListener('click', () => {
    box.remove();
    reload();
  });
  box.append(text, detail, button);
  parent.append(box);
}
