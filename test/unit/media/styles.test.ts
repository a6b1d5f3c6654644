import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { repository } from '../../support/repository.ts';

const read = (pattern: string): string[] => fs.globSync(pattern, { cwd: repository }).map((file) => fs.readFileSync(path.join(repository, file), 'utf8'));
const sources = read('media/chat/**/*.ts').join('\n');

/** The class names that styles are for. */
function classesOf(css: string): Set<string> {
  const selectors = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\{[^{}]*\}/g, '{}');
  return new Set([...selectors.matchAll(/\.(-?[a-z_][\w-]*)/gi)].map(([, name]) => name ?? ''));
}

/** The scopes that a language gives to pieces of its code, as class names. */
function scopesOf(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  return Object.entries(value).flatMap(([name, entry]) => {
    if (/^(?:scope|className|beginScope|endScope)$/.test(name)) return Object.values(typeof entry === 'string' ? [entry] : (entry ?? {}) as object).flatMap((scope) => String(scope).split('.'));
    return [...(name === 'keywords' && typeof entry === 'object' && entry !== null ? Object.keys(entry) : []), ...scopesOf(entry, seen)];
  });
}

function highlightedScopes(): Set<string> {
  const load = createRequire(path.join(repository, 'media/chat/markdown/highlightMain.ts'));
  const hljs = load('highlight.js/lib/core') as { registerLanguage(name: string, language: unknown): void; getLanguage(name: string): unknown };
  const names = [...sources.matchAll(/highlight\.js\/lib\/languages\/([\w-]+)/g)].map(([, name]) => name ?? '');
  for (const name of names) hljs.registerLanguage(name, load(`highlight.js/lib/languages/${name}`));
  return new Set(names.flatMap((name) => scopesOf(hljs.getLanguage(name))));
}

describe('the styles of the chat page', () => {
  it('are for what the page draws', () => {
    const scopes = highlightedScopes();
    const known = (name: string): boolean => {
      if (/^(?:vscode-|codicon)/.test(name)) return true;
      if (name.startsWith('hljs-')) return scopes.has(name.slice('hljs-'.length));
      return name.endsWith('_') ? scopes.has(name.slice(0, -1)) : new RegExp(String.raw`(?<![\w-])${name}(?![\w-])`).test(sources);
    };
    assert.ok(scopes.has('keyword') && scopes.has('string'));
    assert.deepEqual([...classesOf(read('media/chat/css/*.css').join('\n'))].filter((name) => !known(name)), []);
  });
});
