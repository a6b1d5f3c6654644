import * as l10n from './l10n.ts';
import * as renderMarkdown from './markdown/renderMarkdown.ts';
import * as dom from './view/dom.ts';

/** The modules of which there is one for all scripts of the page, by their file names: the language, the parser, what draws. */
const shared = { dom, l10n, renderMarkdown };

declare global {
  /** The build puts it in place of these modules in the later script. */
  var attachePage: typeof shared | undefined;
}

globalThis.attachePage = shared;
