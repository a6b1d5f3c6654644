import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { chatBody } from '../../../src/extension/chat/chatBody.ts';

interface Theme {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

const themeFile = path.join(import.meta.dirname, 'themes.json');

// What VS Code puts into every webview, in a layer below the page's own rules.
const DEFAULTS = `@layer vscode-default {
  html { scrollbar-color: var(--vscode-scrollbarSlider-background) var(--vscode-editor-background); }
  body { overscroll-behavior-x: none; background-color: transparent; color: var(--vscode-editor-foreground); font-family: var(--vscode-font-family);
    font-weight: var(--vscode-font-weight); font-size: var(--vscode-font-size); margin: 0; padding: 0 20px; }
  img, video { max-width: 100%; max-height: 100%; }
  a, a code { color: var(--vscode-textLink-foreground); }
  a:focus, input:focus, select:focus, textarea:focus { outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }
  code { font-family: var(--monaco-monospace-font); color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
  ::-webkit-scrollbar { width: 10px; height: 10px; }
  ::-webkit-scrollbar-thumb { background-color: var(--vscode-scrollbarSlider-background); }
}
html { background: var(--vscode-sideBar-background); }`;

// The webview's half of the link. What the page says goes to the test through a binding; its kept state lives as long as the tab.
const STUB = `
globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => { globalThis.panelPost(structuredClone(message)); },
  getState: () => JSON.parse(sessionStorage.getItem('vscode-state') ?? 'null') ?? undefined,
  setState: (state) => { sessionStorage.setItem('vscode-state', JSON.stringify(state)); },
});
globalThis.panelErrors = [];
addEventListener('securitypolicyviolation', (event) => { globalThis.panelErrors.push('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample); });
`;

async function dictionary(language: string): Promise<Readonly<Record<string, string>> | undefined> {
  if (language === 'en') { return undefined; }
  return JSON.parse(await fs.readFile(path.join(import.meta.dirname, `../../../l10n/bundle.l10n.${language}.json`), 'utf8')) as Record<string, string>;
}

const WORDS = { what: 'This panel could not be loaded. The work goes on in the background; nothing is lost.', reload: 'Reload Panel', next: 'If that does not help, run “Developer: Reload Window”.' };

/** The page as the extension's webview has it: same policy, same order of files, a theme's variables on the root element. */
export async function pageHtml(themeName: string, origin: string, language = 'en'): Promise<{ readonly html: string; readonly policy: string }> {
  const themes = JSON.parse(await fs.readFile(themeFile, 'utf8')) as Readonly<Record<string, Theme>>;
  const theme = themes[themeName];
  if (theme === undefined) { throw new Error(`no such theme: ${themeName}`); }
  const nonce = randomBytes(16).toString('base64');
  const variables = Object.entries(theme.variables).map(([name, value]) => `document.documentElement.style.setProperty(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join('\n');
  const body = chatBody({ dictionary: await dictionary(language), words: WORDS, script: `nonce="${nonce}" src="chat.js"` });
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>chat</title>
<script nonce="${nonce}">${variables}${STUB}</script>
<style nonce="${nonce}">${DEFAULTS}</style>
<link rel="stylesheet" href="codicon.css"><link rel="stylesheet" href="chat.css">
</head><body class="${theme.bodyClass}">${body}</body></html>`;
  const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}' ${origin}; font-src 'self'; script-src 'nonce-${nonce}'; img-src data:`;
  return { html, policy };
}
