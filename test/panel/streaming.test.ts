import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { hostileTexts } from '../support/panelHarness/hostileTexts.ts';
import { openMarkdownLab } from '../support/panelHarness/openMarkdownLab.ts';
import { codeMarkdown, looseMarkdown, richMarkdown } from '../support/panelHarness/texts.ts';
import { launchBrowser } from '../support/vscodeHost/browser.ts';

// What markdown is made of, and what may be cut in two or reach back over what stands before it.
const SCRAPS = [
  'word ', 'two words', '\n', '\n\n', '\n\n\n', '```', '```ts\n', '\n```\n', '````', '~~~\n', '  ```\n', '    ', '\t', '- ', '- [x] ', '* ', '1. ', '2) ', '  - ', '   ', '> ', '>', '| a | b |\n', '|---|:-:|\n', '|', '# ', '===\n', '---\n', '***\n',
  '**', '*', '_', '~~', '`', '``', '[x](src/a b.ts:4)', '[x](https://e.org)', '[x]', '[x][y]', '[x]: https://e.org\n', '\n[y]: <a b> "t"\n', ']:', '![i](u)', 'https://e.org/a_b ', '`src/a.ts:3`', '<div>', '</div>\n', '<!--', '-->', '<br>', '<pre>', '<script>',
  '&amp;', '&', '\\', '\r\n', '\r', '👩\u200D👧', '\u200D', '\u202E', '\uD83D', '\uDC69', 'é', 'עב', 'const a = 1;\n', '`${b}`', '{ "a": 1 }\n',
] as const;

const text = fc.array(fc.constantFrom(...SCRAPS), { maxLength: 60 }).map((scraps) => scraps.join(''));
const message = fc.oneof({ weight: 4, arbitrary: text }, fc.constantFrom(richMarkdown, looseMarkdown, codeMarkdown));

/** A text in pieces, as it was cut by a gateway that knows nothing of what is in it. */
const cut = fc.record({ whole: message, sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }) }).map(({ whole, sizes }) => {
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 1) pieces.push(whole.slice(at, at + (sizes[pieces.length % sizes.length] ?? 1)));
  return pieces;
});

const CASES = Number(process.env['ATTACHE_CASES'] ?? 1000);
const BATCH = 250;

let browser: Browser;
let page: Page;

/** The first that does not end as it does at once. */
const firstBad = (all: readonly (readonly string[])[], whole: string | null = null): Promise<{ readonly pieces: readonly string[]; readonly streamed: string; readonly once: string } | null> => page.evaluate(([cases, whole]) => {
  for (const pieces of cases) {
    const [streamed, once] = [globalThis.markdownLab.streamed(pieces), globalThis.markdownLab.once(whole ?? pieces.join(''))];
    if (streamed !== once) return { pieces, streamed, once };
  }
  return null;
}, [all, whole] as const);

const lines = (count: number): string[] => Array.from({ length: count }, (_, n) => `  const value${n} = call(${n}, "text"); // row ${n}\n`);

describe('a message that streams', () => {
  before(async () => {
    browser = await launchBrowser();
    page = await openMarkdownLab(browser);
  });
  after(() => browser.close());

  it('ends as it would have looked at once, whatever is in it and however it was cut', async function property() {
    const seed = Number(process.env['ATTACHE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    this.timeout(60_000 + CASES * 40);
    for (let n = 0; n * BATCH < CASES; n += 1) {
      const bad = await firstBad(fc.sample(cut, { seed: seed + n, numRuns: BATCH }));
      assert.equal(bad, null, `seed ${seed + n}: ${JSON.stringify(bad, null, 1)}`);
    }
  });

  it('is seen to differ where it does, by one letter, one break or one kind of block', async () => {
    for (const [pieces, whole] of [[['a ', '**b**'], 'a **c**'], [['a', '\n\nb'], 'a\nb'], [['- a', '\n- b'], '1. a\n2. b'], [['```\na', '\n```'], '```\na \n```']] as const) {
      assert.deepEqual((await firstBad([pieces], whole))?.pieces, pieces);
      assert.equal(await firstBad([pieces], pieces.join('')), null);
    }
  });

  it('ends as it would have looked at once, also where it is hostile', async () => {
    const all = Object.values(hostileTexts).map((whole) => Array.from({ length: 7 }, (_, n) => whole.slice(Math.ceil((whole.length * n) / 7), Math.ceil((whole.length * (n + 1)) / 7))));
    assert.equal((await firstBad(all))?.pieces.join('').slice(0, 200), undefined);
  });

  for (const [name, opening, closing] of [['closed', '```ts\n', '```\n\nafter'], ['never closed', '~~~~py\n', ''], ['closed by more', '```\n', '`````']] as const) {
    it(`ends as it would have looked at once after long code (${name})`, async () => {
      const pieces = ['before\n\n', opening, ...lines(300).flatMap((line) => [line.slice(0, 11), line.slice(11)]), 'a\u200Db 👩\uD83D', '\uDC67 ``\n', closing];
      assert.equal(await firstBad([pieces]), null);
    });
  }

  it('keeps the items and rows that are there, and what is marked in them, while more come', async () => {
    const stays = (pieces: readonly string[], selector: string): Promise<boolean> => page.evaluate(({ pieces, selector }) => globalThis.markdownLab.stays(pieces, selector), { pieces, selector });
    assert.equal(await stays(['- one\n- two\n', '- thr', 'ee\n', '  - below\n', '- four'], 'li:first-child'), true);
    assert.equal(await stays(['3. one\n4. two\n', '5. three'], 'li:nth-child(1)'), true);
    assert.equal(await stays(['| a | b |\n|---|---|\n| 1 | 2 |\n', '| 3 |', ' 4 |\n', '| 5 | 6 |'], 'tbody tr:first-child td'), true);
    assert.equal(await stays(['- one\n- two\n', '\n- loose'], 'li:first-child'), false, 'a loose list looks otherwise');
  });

  it('keeps every block that is there while others come below it', async () => {
    const before = '# Title\n\nfirst *words*\n\n```ts\nconst a = 1;\n```\n\n> said\n\n- [x] done\n\n| a |\n|---|\n| 1 |\n\n';
    const after = ['second', ' words\n\n', '```ts\nlet b', ' = 2;\n```\n\n', '- more\n'];
    for (const selector of ['h1', 'p', 'p em', 'pre', 'pre code', 'blockquote', 'li', 'table', 'td']) {
      assert.equal(await page.evaluate(({ pieces, selector }) => globalThis.markdownLab.stays(pieces, selector), { pieces: [before, ...after], selector }), true, selector);
    }
  });

  it('gives each item of a task list a box that says whether it is done, and that nobody can press', async () => {
    const boxes = (pieces: readonly string[]) => page.evaluate((given) => {
      const drawn = document.createElement('div');
      drawn.innerHTML = globalThis.markdownLab.streamed(given);
      return [...drawn.querySelectorAll('li')].map((item) => [item.textContent.trim(), ...[...item.querySelectorAll('input')].map((box) => [box.type, box.checked, box.disabled, box.ariaLabel])]);
    }, pieces);
    const expected = [['read it', ['checkbox', true, true, 'done']], ['write it', ['checkbox', false, true, 'to do']], ['no task']];
    const markdown = '- [x] read it\n- [ ] write it\n- no task\n';
    assert.deepEqual(await boxes([markdown]), expected);
    assert.deepEqual(await boxes([...markdown]), expected, 'letter by letter');
  });

  it('adds to open code what came, and nothing of what is there again', async () => {
    const added = async (count: number): Promise<number> => (await page.evaluate((pieces) => globalThis.markdownLab.work(pieces), ['```\n', ...lines(count).flatMap((line) => [line.slice(0, 11), line.slice(11)])])).added;
    const [one, two] = [await added(1000), await added(2000)];
    assert.ok(one > 0 && two <= one * 2.2, `${one} nodes for 1,000 lines, ${two} for 2,000`);
    const nodes = await page.evaluate(() => document.querySelector('code')?.childNodes.length ?? 0);
    assert.ok(nodes >= 1 && nodes <= 2, `${nodes} nodes hold one text`);
  });
});
