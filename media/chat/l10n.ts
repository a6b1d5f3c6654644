import { type Dictionary, inOneLine, speak, t, told } from '../../src/base/l10n.ts';

/** The id of the data block that the extension writes into the page's document; there is none in English. */
const BLOCK = 'l10n';

// Here and not in main: the language is chosen before any other module of the page says a word.
if (typeof document !== 'undefined') speak(JSON.parse(document.getElementById(BLOCK)?.textContent ?? '{}') as Dictionary);

/** Texts of the page in the display language; see src/base/l10n.ts. */
export { inOneLine, t, told };

/** For dates and numbers: the display language, in the reader's own manner where that is of the same language. */
export const displayLocale = typeof document === 'undefined' ? undefined : localeOf(document.documentElement.lang, navigator.language);

function localeOf(display: string, own: string): string {
  return display === '' || display.split('-')[0] === own.split('-')[0] ? own : display;
}
