import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

// A script of its own, which the page asks for with the first block of code that is closed: it is not needed for the first paint.
const languages = { bash, cpp, csharp, css, diff, go, ini, java, javascript, json, php, python, ruby, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['shell', 'shellscript', 'console', 'shell-session', 'fish'], { languageName: 'bash' });
hljs.registerAliases(['jsonc', 'json5', 'ndjson'], { languageName: 'json' });
hljs.registerAliases(['c', 'h'], { languageName: 'cpp' });
hljs.registerAliases(['vue', 'svelte'], { languageName: 'xml' });
hljs.registerAliases(['scss', 'less'], { languageName: 'css' });

// Colouring more than this takes longer than a frame.
const MAX_CHARS = 30_000;
// Of a folded block a little more than is seen of it: colouring a hundred lines makes thousands of boxes, all in one task.
const HEAD_LINES = 24;

globalThis.attacheHighlight = (block, rest) => {
  if (rest === true && block.dataset['coloured'] !== 'head') return;
  const code = block.querySelector('code');
  const text = code?.textContent ?? '';
  const seen = block.querySelector('[data-unfold][aria-expanded="false"]') === null ? text : firstLines(text);
  block.dataset['coloured'] = seen === text ? '' : 'head';
  // What is shown by its number stays so: such code is looked at with care, not skimmed.
  if (code === null || seen.length > MAX_CHARS || code.querySelector('mark') !== null) return;
  const made = document.createElement('template');
  made.innerHTML = toHtml(seen, (block.dataset['language'] ?? '').toLowerCase());
  // The colours may come from elsewhere; the text may not.
  if (made.content.textContent === seen && isOnlySpans(made.content)) code.replaceChildren(made.content, ...(seen === text ? [] : [text.slice(seen.length)]));
};

function firstLines(text: string): string {
  let end = 0;
  for (let line = 0; line < HEAD_LINES && end >= 0; line += 1) end = text.indexOf('\n', end) + 1 || -1;
  return end < 0 ? text : text.slice(0, end);
}

/** Code as spans with class names; nothing for a language that nobody knows. */
const toHtml = (code: string, language: string): string =>
  (hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language, ignoreIllegals: true }).value);

const isOnlySpans = (content: DocumentFragment): boolean =>
  [...content.querySelectorAll('*')].every(({ tagName, attributes }) => tagName === 'SPAN' && attributes.length === 1 && attributes[0]?.name === 'class');
