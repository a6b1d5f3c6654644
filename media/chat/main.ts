import { connectHost } from './host.ts';
import { whenLater } from './later.ts';
import { Page } from './page.ts';
import './shared.ts';
import { showFailure } from './view/failure.ts';

const host = connectHost();
const root = document.createElement('div');
root.id = 'root';
document.body.append(root);

let page: Page | undefined;

function start(): void {
  page?.dispose();
  page = undefined;
  try {
    page = new Page(root, host);
  } catch (error) {
    fail(error);
  }
}

/** Whatever goes wrong, there is a sentence and a way back; the extension hears of it. */
function fail(error: unknown): void {
  const message = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
  host.post({ type: 'pageError', message: message.slice(0, 20_000) });
  showFailure(document.body, error instanceof Error ? error.message : String(error), start);
}

window.addEventListener('error', (event) => {
  // The browser's own remark that a resize took two passes is no error.
  if (!event.message.includes('ResizeObserver loop')) fail(event.error ?? event.message);
});
window.addEventListener('unhandledrejection', (event) => fail(event.reason));
start();
// Written by src/extension/chat/chatBody.ts, for the case that nothing of this runs.
document.querySelector('.not-loaded')?.remove();
// Not in the frame that is painted first.
requestAnimationFrame(() => setTimeout(() => whenLater(() => undefined, () => page?.actions.lacksParts())));
