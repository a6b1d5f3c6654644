import type { Announcer } from './announcer.ts';
import type { readFiles } from './composer/readFiles.ts';
import type { shrunk } from './composer/shrunk.ts';
import type { Finding } from './find/finding.ts';
import { loadScript } from './loadScript.ts';
import type { trimView } from './trimView.ts';
import type { QueueEditor } from './view/queueEditor.ts';
import type { suggestions } from './view/suggestions.ts';

/** What nobody needs to see the page, and may ask for a moment later. */
export interface LaterParts {
  readonly Announcer: typeof Announcer;
  readonly Finding: typeof Finding;
  readonly QueueEditor: typeof QueueEditor;
  readonly readFiles: typeof readFiles;
  readonly shrunk: typeof shrunk;
  readonly suggestions: typeof suggestions;
  readonly trimView: typeof trimView;
}

declare global {
  /** Set by the script of laterMain. */
  var attacheLater: LaterParts | undefined;
}

interface Wish {
  readonly serve: (parts: LaterParts) => void;
  readonly failed: (() => void) | null;
}

let wishes: readonly Wish[] = [];
let isLoading = false;

/** Null until they are here. */
export const later = (): LaterParts | null => globalThis.attacheLater ?? null;

/**
 * Done as soon as they are here, in the order in which it was asked for. When they cannot be had, who gave a `failed` is told; the
 * others wait until somebody's next wish brings them.
 */
export function whenLater(serve: Wish['serve'], failed: Wish['failed'] = null): void {
  const parts = later();
  if (parts !== null) return serve(parts);
  wishes = [...wishes, { serve, failed }];
  if (failed !== null) loadLater();
}

/** To be called when the page has been painted. */
export function loadLater(): void {
  if (isLoading || later() !== null) return;
  isLoading = true;
  loadScript('later.js', () => {
    isLoading = false;
    const [parts, waiting] = [later(), wishes];
    wishes = parts === null ? waiting.filter(({ failed }) => failed === null) : [];
    for (const { serve, failed } of waiting) {
      if (parts !== null) serve(parts);
      else failed?.();
    }
  });
}
