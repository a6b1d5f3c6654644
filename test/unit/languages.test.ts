import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { ERRORS } from '../../src/protocol/errors.ts';
import { repository } from '../support/repository.ts';
import { type FoundText, scanTexts } from '../support/textScan.ts';

type Words = Readonly<Record<string, string>>;

const read = (file: string): string => fs.readFileSync(path.join(repository, file), 'utf8');
const words = (file: string): Words => JSON.parse(read(file)) as Words;

const languages = ['zh-cn'];

/** Layers that say nothing to a person themselves; what they write is told by the extension and the page. */
const ENGLISH = ['src/gateway/{approvals,broker,goals,grants,items,process,sessions,space,store}', 'src/gateway/server/subscriptionHub.ts', 'src/host', 'src/runtime/acp', 'src/execution', 'src/connector', 'src/extension'];

/** The same in every language: names, keys and code; and what is no text for people though it looks like one. */
const SAME = new Set([
  'Ctrl Enter', 'help', 'Claude Code', 'Codex', 'Gemini CLI', 'OpenCode', 'Markdown', 'JSON Lines',
]);
/** English until it is shown, like the words of an error; some of it goes to the agent. */
const LATER = new Set([
  'The link to the gateway was cut.', 'The new text', 'This session is not run by this window.', 'Use the window that runs it, or continue in a new session.',
  '{0}\n… {1} more characters were left out\n', 'New file, not in Git yet: {0}\n',
]);
const NO_TEXT = [
  /^(?:Enter|Home|End|\{0\}Hunk)$/, // keys, commands
  /^npm install -g [\w@/-]+$/,
  /^@echo off/, // a script
  /^(?:[.#]?[a-z][\w-]*, )+/, // selectors
  /^(?:primary|secondary|button)(?: \w+)+$|^line short$/, // class names
  /^(?:store content|host session|looseLink)$/, // names between programs
  /^(?:Approved|Answered|Rejected)$/, // a case of receipts
];

const shown = scanTexts(['media/chat', 'src/extension', 'src/protocol', 'src/base']);
const bare = scanTexts(['media/chat', 'src/extension']).bare.filter(({ text }) => !SAME.has(text) && !LATER.has(text) && !NO_TEXT.some((pattern) => pattern.test(text)));
const told = scanTexts(ENGLISH).sentences;
const errors = Object.entries(ERRORS).flatMap(([kind, { message, next }]) => [{ text: message, at: `ERRORS.${kind}` }, { text: next, at: `ERRORS.${kind}` }]);
const texts: readonly FoundText[] = [...shown.keys, ...told, ...errors];

const placeholders = (text: string): string[] => [...new Set(text.match(/\{\d+\}/g) ?? [])].sort();
const listed = (found: readonly FoundText[]): string[] => [...new Set(found.map(({ text, at }) => `${at}: ${JSON.stringify(text)}`))];

describe('every text that a person sees', () => {
  it('is found by the scan', () => {
    assert.ok(shown.keys.length > 400 && told.length > 100, `${shown.keys.length} and ${told.length}`);
  });

  it('goes through t() or l10n.t(), with its English words written out', () => {
    assert.deepEqual(listed(shown.computed), []);
    assert.deepEqual(listed(bare), []);
  });

  it('is English everywhere but in the extension and its page: what is stored, sent or printed is the same for everybody', () => {
    const callers = fs.globSync('{src,media}/**/*.ts', { cwd: repository }).filter((file) => /import \{[^}]*\bspeak\b[^}]*\} from '[^']*l10n\.ts'/.test(read(file))).map((file) => file.replaceAll('\\', '/'));
    assert.deepEqual(callers.sort(), ['media/chat/l10n.ts', 'src/extension/main.ts']);
  });

  it('is asked for when the language is known: not at the top of a shared module', () => {
    assert.deepEqual(listed(shown.early), []);
  });

  for (const language of languages) {
    const bundle = words(`l10n/bundle.l10n.${language}.json`);

    it(`has words in ${language}`, () => {
      assert.deepEqual(listed(texts.filter(({ text }) => !Object.hasOwn(bundle, text))), []);
      assert.deepEqual(Object.entries(bundle).filter(([, text]) => text.trim() === ''), []);
    });

    it(`is what ${language} has words for, and nothing else`, () => {
      const known = new Set(texts.map(({ text }) => text));
      assert.deepEqual(Object.keys(bundle).filter((text) => !known.has(text)), []);
    });

    it(`has the same placeholders and icons in ${language}`, () => {
      const marks = (text: string): string[] => [...placeholders(text), ...(text.match(/\$\([\w-]+\)/g) ?? [])];
      assert.deepEqual(Object.entries(bundle).filter(([english, text]) => marks(english).join() !== marks(text).join()), []);
    });
  }
});

describe('the texts of the manifest', () => {
  const english = words('package.nls.json');
  const manifest = JSON.parse(read('package.json')) as { readonly contributes: unknown };
  const used = new Set([...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? ''));

  it('are keys of package.nls.json', () => {
    assert.deepEqual([...used].filter((key) => !Object.hasOwn(english, key)), []);
    assert.deepEqual(Object.keys(english).filter((key) => !used.has(key)), []);
    assert.deepEqual(literals(manifest.contributes), []);
  });

  for (const language of languages) {
    it(`are all there in ${language}`, () => {
      const there = words(`package.nls.${language}.json`);
      assert.deepEqual(Object.keys(english).filter((key) => !Object.hasOwn(there, key)), []);
      assert.deepEqual(Object.keys(there).filter((key) => !Object.hasOwn(english, key)), []);
    });

    it(`lead to the same commands and settings in ${language}`, () => {
      const there = words(`package.nls.${language}.json`);
      const targets = (text = ''): string[] => [...(text.match(/\]\([^)]+\)/g) ?? []), ...(text.match(/`[^`]+`/g) ?? [])].sort();
      assert.deepEqual(Object.keys(english).filter((key) => targets(english[key]).join() !== targets(there[key]).join()), []);
    });

    it(`have each page of the walkthrough in ${language}, with the same code`, () => {
      const code = (text: string): string[] => text.match(/`[^`]+`/g) ?? [];
      for (const file of fs.globSync('media/walkthrough/*.md', { cwd: repository }).filter((name) => !name.includes('.nls.'))) {
        assert.deepEqual(code(read(file.replace(/\.md$/, `.nls.${language}.md`))), code(read(file)), file);
      }
    });
  }
});

/** Texts of a contribution that are no keys; a name of the product is no text. */
function literals(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => literals(entry, key));
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([name, entry]) => literals(entry, name));
  const isText = /^(?:title|name|label|shortTitle|description|markdownDescription|contents|placeholder|enumDescriptions|markdownEnumDescriptions|enumItemLabels|contextualTitle|deprecationMessage|markdownDeprecationMessage)$/.test(key);
  return isText && typeof value === 'string' && value !== 'Attaché' && !/^%.+%$/.test(value) ? [`${key}: ${value}`] : [];
}
