/** What a person reads when the page's own script does not come. */
export interface NotLoadedWords {
  readonly what: string;
  readonly reload: string;
  readonly next: string;
}

/** The one command that the page may run by a link: it needs no script of ours, and no extension host. */
export const RELOAD_COMMAND = 'workbench.action.webview.reloadWebviewAction';

export interface ChatBodyParts {
  /** The texts of the display language by their English ones; undefined: English. */
  readonly dictionary: Readonly<Record<string, unknown>> | undefined;
  readonly words: NotLoadedWords;
  /** Attributes of the page's script, already fit for HTML. */
  readonly script: string;
}

/**
 * The body of the chat page, a string of HTML. What it says by itself stays out of sight for a moment (chat.css), until the script has taken
 * it away; without the script, or without the style, it is seen.
 */
export function chatBody({ dictionary, words: { what, reload, next }, script }: ChatBodyParts): string {
  return [
    `<div class="not-loaded" role="alert"><p>${inHtml(what)}</p><p><a href="command:${RELOAD_COMMAND}">${inHtml(reload)}</a></p><p>${inHtml(next)}</p></div>`,
    // A data block is no script: the policy has nothing to allow. `<` would be able to end it.
    dictionary === undefined ? '' : `<script type="application/json" id="l10n">${JSON.stringify(dictionary).replaceAll('<', String.raw`\u003c`)}</script>`,
    `<script ${script}></script>`,
  ].join('');
}

const inHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
