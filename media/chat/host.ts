import { Emitter, type Event } from '../../src/base/event.ts';
import type { FromPanel, ToPanel } from '../../src/protocol/panel.ts';
import type { KeptDraft } from './draft.ts';

/** What the page keeps over its own reload; small, and never the only copy of anything but what was just typed. */
export interface Kept {
  /** What is shown; an editor tab that VS Code restores is asked for it. */
  readonly conversation: string | null;
  readonly submissions: readonly Submission[];
  readonly carets: Readonly<Record<string, readonly [number, number]>>;
  readonly draft: KeptDraft | null;
}

/** A message that was handed over and has not been seen in the transcript. */
export interface Submission {
  readonly conversation: string;
  readonly clientTurnId: string;
  readonly text: string;
  /** The ids of what goes with it; absent: nothing. */
  readonly attachments?: readonly string[];
  /** The names of the same. */
  readonly names?: readonly string[];
}

/** The message that hands it over; the same each time. */
export const submitMessage = ({ conversation, clientTurnId, text, attachments }: Submission): FromPanel =>
  ({ type: 'submit', conversation, clientTurnId, text, ...(attachments === undefined ? {} : { attachments }) });

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare global {
  function acquireVsCodeApi(): VsCodeApi;
}

/** The page's end of the link to the extension. */
export interface Host {
  readonly onMessage: Event<ToPanel>;
  post(message: FromPanel): void;
  kept(): Kept;
  keep(kept: Kept): void;
}

const NOTHING: Kept = { conversation: null, submissions: [], carets: {}, draft: null };

/** May be called once: VS Code hands out its API only once per page. */
export function connectHost(): Host {
  const api = acquireVsCodeApi();
  const messages = new Emitter<ToPanel>();
  // Only the frame around the page can post here; what it says was built by the extension.
  window.addEventListener('message', (event: MessageEvent<ToPanel>) => messages.fire(event.data));
  return {
    onMessage: messages.event,
    post: (message) => api.postMessage(message),
    kept: () => ({ ...NOTHING, ...(api.getState() as Partial<Kept> | undefined) }),
    keep: (kept) => api.setState(kept),
  };
}
