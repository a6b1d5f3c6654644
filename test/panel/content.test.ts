import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { change, fresh } from '../support/panelHarness/states.ts';
import { hostile, looseMarkdown, richMarkdown } from '../support/panelHarness/texts.ts';

const stage = new PanelStage();
let panel: PanelHarness;

function answering(text = '') {
  const script = new SessionScript();
  const turn = script.start('go');
  const item = script.item(turn, { kind: 'agent_message' }, text);
  return { script, turn, item };
}

const html = (): Promise<string> => panel.page.locator('[data-kind="agent_message"] .markdown').first().evaluate((element) => element.innerHTML);

describe('what an agent writes', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(() => panel.close());

  for (const [name, text, largest] of [['rich', richMarkdown, 23], ['loose', looseMarkdown, 3]] as const) it(`looks the same streamed in pieces as at once (${name})`, async () => {
    const { script, item } = answering();
    panel = await stage.open(script.state());
    for (let at = 0; at < text.length;) {
      const size = 1 + ((at * 7919) % largest);
      script.delta(item, text.slice(at, at + size));
      at += size;
      await panel.play(script);
      if (largest < 10 || at % 3 === 0) await panel.drawn();
    }
    await panel.drawn();
    const streamed = await html();
    script.endItem(item);
    await panel.play(script);
    await panel.drawn();
    const ended = await html();
    const once = answering(text);
    once.script.endItem(once.item);
    await panel.send({ type: 'state', state: once.script.state({ generation: 2, conversation: 'two' }) });
    await panel.drawn();
    assert.equal(ended, await html());
    assert.equal(streamed, ended);
    await panel.assertClean();
  });

  it('C17 arrives whole, in order, with nothing twice', async () => {
    const { script, item } = answering();
    panel = await stage.open(script.state());
    for (let line = 1; line <= 200; line += 1) {
      script.delta(item, `line ${line} of 200\n`);
      await panel.play(script);
    }
    script.endItem(item);
    await panel.play(script);
    await panel.drawn();
    const shown = await panel.page.locator('[data-kind="agent_message"]').innerText();
    assert.deepEqual(shown.trim().split('\n'), Array.from({ length: 200 }, (_, n) => `line ${n + 1} of 200`));
    await panel.assertClean();
  });

  it('is drawn at most once a frame, and only the open message', async () => {
    const { script, item, turn } = answering('# finished\n\ntext');
    script.endItem(item);
    const open = script.item(turn, { kind: 'agent_message' });
    panel = await stage.open(script.state());
    await panel.page.evaluate(() => {
      const counts = { frames: 0, batches: 0, finished: 0 };
      const messages = document.querySelectorAll('[data-kind="agent_message"] .markdown');
      new MutationObserver(() => { counts.finished += 1; }).observe(messages[0] as Element, { childList: true, subtree: true, characterData: true });
      let inFrame = 0;
      new MutationObserver(() => { counts.batches += 1; inFrame += 1; }).observe(messages[1] as Element, { childList: true, subtree: true, characterData: true });
      const tick = (): void => { counts.frames = Math.max(counts.frames, inFrame); inFrame = 0; requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
      Object.assign(globalThis, { counts });
    });
    for (let n = 0; n < 300; n += 1) script.delta(open, `word ${n} `);
    const events = script.take();
    await panel.page.evaluate((all) => { for (const event of all) window.postMessage({ type: 'events', generation: 1, events: [event] }, '*'); }, events);
    await panel.page.getByText('word 299').waitFor();
    await panel.drawn();
    const counts = await panel.page.evaluate(() => (globalThis as unknown as { counts: Record<string, number> }).counts);
    assert.equal(counts['finished'], 0);
    assert.ok((counts['batches'] ?? 0) > 0 && (counts['frames'] ?? 9) <= 1, JSON.stringify(counts));
    await panel.assertClean();
  });

  it('comes out harmless: no script, no request, no navigation, dead links dead', async () => {
    const requests: string[] = [];
    const { script, item } = answering(hostile);
    script.endItem(item);
    panel = await stage.open(null);
    panel.page.on('request', (request) => { if (!request.url().includes('/codicon.ttf')) requests.push(request.url()); });
    panel.page.on('dialog', () => requests.push('dialog'));
    await panel.show(script);
    const message = panel.page.locator('[data-kind="agent_message"]');
    await comesTo(0, () => message.locator('a, script, iframe, style, form, img').count());
    await message.getByText('<script>alert(1)</script>', { exact: false }).waitFor();
    for (const dead of ['run', 'js', 'data']) await comesTo(0, () => message.getByRole('link', { name: dead, exact: true }).count());
    const address = panel.page.url();
    await message.getByRole('link', { name: 'web' }).click();
    await message.getByRole('link', { name: 'file' }).click();
    assert.deepEqual(await panel.waitPosted('openLink'), [{ type: 'openLink', href: 'https://example.org' }]);
    assert.deepEqual(await panel.waitPosted('openFile'), [{ type: 'openFile', path: '/home/me/demo/src/cart.ts', line: 3 }]);
    await message.locator('.dead-link').first().click();
    await message.getByRole('link', { name: 'web' }).click({ button: 'middle' });
    await panel.drawn();
    assert.equal(panel.page.url(), address);
    assert.equal(panel.posted('openLink').length, 1);
    assert.deepEqual(requests, []);
    await panel.assertClean();
  });

  it('leads to files: by links with blanks and accents, by paths in inline code, with mouse and keys; and copies as text', async () => {
    const { script, item } = answering([
      'See [the notes](my notes/über alles.md:4:2), [lines](<src/a b.ts#L3-L5>), [this](file:///home/me/demo/src/cart.ts) and `src/cart.ts:12`, not `Math.round` or `and/or`.',
      'A [link with `src/x.ts:1` in it](src/cart.ts) is one link; [so is one with *a title*](src/a.ts "title here").',
    ].join('\n\n'));
    script.endItem(item);
    panel = await stage.open(script.state());
    const links = panel.page.locator('[data-kind="agent_message"]').getByRole('link');
    assert.deepEqual(await links.allTextContents(), ['the notes', 'lines', 'this', 'src/cart.ts:12', 'link with src/x.ts:1 in it', 'so is one with a title']);
    for (const name of ['the notes', 'lines', 'this']) await links.getByText(name, { exact: true }).or(panel.page.getByRole('link', { name, exact: true })).first().click();
    await panel.page.getByRole('link', { name: 'src/cart.ts:12', exact: true }).focus();
    await panel.page.keyboard.press('Enter');
    assert.deepEqual((await panel.waitPosted('openFile', 4)).map(({ type: _, ...rest }) => rest), [
      { path: 'my notes/über alles.md', line: 4, column: 2 }, { path: 'src/a b.ts', line: 3, endLine: 5 }, { path: '/home/me/demo/src/cart.ts' }, { path: 'src/cart.ts', line: 12 },
    ]);
    const paragraph = panel.page.locator('[data-kind="agent_message"] p').first();
    await paragraph.selectText();
    assert.match(await panel.page.evaluate(() => document.getSelection()?.toString() ?? ''), /^See the notes, lines, this and src\/cart\.ts:12, not Math\.round/);
    // Marking words is no press on them.
    const box = await links.first().boundingBox();
    assert.ok(box);
    await panel.page.mouse.move(box.x + 2, box.y + box.height / 2);
    await panel.page.mouse.down();
    await panel.page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 4 });
    await panel.page.mouse.up();
    await panel.drawn();
    assert.equal(panel.posted('openFile').length, 4);
    await panel.assertClean();
  });

  it('keeps characters that reorder text from doing it', async () => {
    const { script, item } = answering('user\u202Etxt.exe and `rm\u202E-rf`');
    script.endItem(item);
    panel = await stage.open(script.state());
    await comesTo('userU+202Etxt.exe and rmU+202E-rf', () => panel.page.locator('[data-kind="agent_message"] p').textContent());
    await comesTo(2, () => panel.page.locator('[data-kind="agent_message"] mark').count());
    await panel.assertClean();
  });

  it('C31 no character that reorders reaches beyond the words it is in, wherever an agent or a person writes it', async () => {
    const controls = ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E', '\u2066', '\u2067', '\u2068', '\u2069'];
    const text = (name: string): string => `${name} ${controls.map((control) => `${control}x`).join('')} end`;
    const script = new SessionScript({ title: text('title') });
    const turn = script.start(text('question'));
    script.done(turn, { kind: 'plan', entries: [{ content: text('step'), status: 'pending' }] });
    script.done(turn, { kind: 'tool_call', toolKind: 'read', title: text('tool'), locations: [{ path: `/home/me/${text('file')}` }], input: text('input') }, text('output'));
    script.done(turn, { kind: 'agent_message' }, `${text('answer')}\n\n- ${text('item')}\n\n| ${text('cell')} |\n|---|\n| 1 |\n\n\`${text('code')}\` [${text('link')}](src/a.ts)`);
    script.done(turn, { kind: 'notice', level: 'info' }, text('notice'));
    script.endTurn(turn);
    panel = await stage.open(script.state());
    await panel.page.evaluate(() => { for (const fold of document.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')) fold.click(); });
    await panel.drawn();
    // Raw ones may stand only where they end with their own element, which is isolated from what is around it.
    const loose = await panel.page.evaluate(() => {
      const walker = document.createTreeWalker(document.querySelector('.panel') ?? document.body, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      while (walker.nextNode() !== null) {
        const parent = walker.currentNode.parentElement;
        if (parent === null || !/[\u202A-\u202E\u2066-\u2069]/.test(walker.currentNode.textContent ?? '') || parent.closest('.spoken') !== null) continue;
        let holder: HTMLElement | null = parent;
        while (holder !== null && !['isolate', 'isolate-override', 'plaintext'].includes(getComputedStyle(holder).unicodeBidi) && getComputedStyle(holder).display === 'inline') holder = holder.parentElement;
        const isApart = holder !== null && [...holder.querySelectorAll('*')].every((inner) => inner.contains(parent) || parent.contains(inner));
        if (!isApart) found.push(`${parent.className}: ${walker.currentNode.textContent ?? ''}`.slice(0, 80));
      }
      return found;
    });
    assert.deepEqual(loose, []);
    assert.equal(await panel.page.locator('[data-kind="agent_message"] mark, [data-kind="tool_call"] mark, [data-kind="plan"] mark').count() >= 9 * 5, true);
    await panel.assertClean();
  });

  it('a change that is too large for the page says so and opens whole, of an edit and of a tool call', async () => {
    const script = new SessionScript();
    const turn = script.start('go');
    const lines = Array.from({ length: 400 }, (_, n) => ({ t: '+' as const, text: `row ${n}` }));
    const large = change('src/large.ts', { before: null, added: 5000, removed: 0, lines, linesCut: true });
    const edit = script.done(turn, { kind: 'edit', mode: 'hosted', change: large });
    const tool = script.done(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Patch', locations: [], changes: [large] });
    script.endTurn(turn);
    panel = await stage.open(script.state());
    for (const [n, { itemId }] of [edit, tool].entries()) {
      const item = panel.page.locator(`[data-item-id="${itemId}"]`);
      await item.locator('button[aria-expanded="false"]').first().click();
      await comesTo(16, () => item.locator('.line').count());
      await item.getByText('Only the first part of this change is shown.').waitFor();
      await item.getByRole('button', { name: 'Open Diff' }).click();
      assert.equal((await panel.waitPosted('openChange', n + 1)).at(-1)?.itemId, itemId);
      await item.getByRole('button', { name: 'Show 384 more lines' }).click();
      await comesTo(400, () => item.locator('.line').count());
    }
    await panel.assertClean();
  });

  it('C31 takes its direction from its own words, each block for itself', async () => {
    const { script, item } = answering('שלום `a.b(1)` עולם\n\nplain English');
    script.endItem(item);
    panel = await stage.open(script.state());
    const directions = await panel.page.locator('[data-kind="agent_message"] p').evaluateAll((blocks) => blocks.map((block) => getComputedStyle(block).direction));
    assert.deepEqual(directions, ['rtl', 'ltr']);
    await panel.assertClean();
  });

  it('C21 may be 300,000 characters on one line', async () => {
    const { script, item } = answering();
    panel = await stage.open(script.state());
    const piece = 'x'.repeat(30_000);
    for (let n = 0; n < 10; n += 1) {
      script.delta(item, piece);
      await panel.play(script);
      await panel.drawn();
    }
    script.endItem(item);
    await panel.play(script);
    await panel.drawn();
    assert.equal((await panel.page.locator('[data-kind="agent_message"]').textContent())?.length, 300_000);
    await panel.input.fill('still alive');
    await comesTo('still alive', () => panel.input.inputValue());
    await comesTo(true, () => panel.region('transcript').evaluate((view) => view.scrollWidth <= view.clientWidth));
    await panel.assertClean();
  });

  it('C21 is shown as raw text where it cannot be drawn, and the rest stays', async () => {
    const { script, item, turn } = answering('before');
    script.endItem(item);
    script.done(turn, { kind: 'plan', entries: 'not a list' as unknown as [] }, 'broken plan');
    script.done(turn, { kind: 'agent_message' }, 'after');
    panel = await stage.open(script.state());
    await panel.page.getByText('This part could not be drawn').waitFor();
    await panel.page.getByText('broken plan').waitFor();
    await panel.page.getByText('before', { exact: true }).waitFor();
    await panel.page.getByText('after', { exact: true }).waitFor();
    assert.match((await panel.waitPosted('pageError'))[0]?.message ?? '', /^item itm_/);
  });

  it('C21 an error of the page is a message with a way back, and transcript, draft, request and place are there again', async () => {
    const { script, item, turn } = answering(Array.from({ length: 120 }, (_, n) => `paragraph ${n}`).join('\n\n'));
    const approval = script.ask(script.item(turn, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
    panel = await stage.open(script.state());
    await panel.input.fill('my draft');
    await panel.waitPosted('draft');
    const place = (): Promise<number> => panel.page.getByText('paragraph 60', { exact: true }).evaluate((element) => element.getBoundingClientRect().top);
    await panel.page.getByText('paragraph 60', { exact: true }).evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await panel.drawn();
    const before = await place();
    // At once: where the reader was had no time to be told by itself.
    await panel.page.evaluate(() => { setTimeout(() => { throw new Error('boom'); }); });
    await panel.region('page-error').getByText('boom').waitFor();
    assert.match((await panel.waitPosted('pageError'))[0]?.message ?? '', /boom/);
    // The work goes on meanwhile.
    script.delta(item, '\n\nwhat came meanwhile');
    panel.answer = script.state({ generation: 2, draft: 'my draft' });
    await panel.region('page-error').getByRole('button', { name: 'Reload Panel' }).evaluate((button: HTMLElement) => button.click());
    await panel.waitPosted('scroll');
    panel.answer = script.state({ generation: 3, draft: 'my draft', scroll: panel.posted('scroll').at(-1)?.place ?? null });
    await panel.page.evaluate(() => { setTimeout(() => { throw new Error('again'); }); });
    await panel.region('page-error').getByText('again').waitFor();
    await panel.region('page-error').getByRole('button', { name: 'Reload Panel' }).click();
    await panel.page.getByText('what came meanwhile').waitFor();
    await comesTo(0, () => panel.region('page-error').count());
    await until(async () => (await panel.input.inputValue()) === 'my draft', () => 'the draft');
    await comesTo(1, () => panel.approval(approval.approvalId).getByRole('button', { name: 'Allow once', exact: true }).count());
    await panel.drawn();
    assert.ok(Math.abs(await place() - before) <= 2, `at ${await place()} instead of ${before}`);
  });

  it('C33 is told to a screen reader once, when it is complete; what was there before is not', async () => {
    const { script, item, turn } = answering('whole');
    const old = new SessionScript();
    const oldTurn = old.start('old');
    old.done(oldTurn, { kind: 'agent_message' }, 'an old reply');
    old.endTurn(oldTurn);
    panel = await stage.open(old.state());
    const log = panel.page.getByRole('log', { name: 'Announcements' });
    await comesTo('', () => log.textContent());
    await panel.send({ type: 'state', state: script.state({ generation: 2, conversation: 'two' }) });
    script.take();
    script.delta(item, ' reply');
    await panel.play(script, 2);
    await panel.drawn();
    await comesTo('', () => log.textContent());
    script.endItem(item);
    script.endTurn(turn);
    await panel.play(script, 2);
    await until(async () => (await log.textContent()) === 'Codex: whole reply', () => 'the reply');
    await panel.assertClean();
  });

  it('C26 C25 holds no escape codes where a command printed them, and says when it printed nothing', async () => {
    const { script, turn } = answering('x');
    const base = { kind: 'command' as const, cwd: '/home/me/demo', envNames: [], exitCode: 0, signal: null, cut: 0 };
    script.done(turn, { ...base, command: 'true' });
    script.done(turn, { ...base, command: 'colours' }, `${'\u001B[2K\r[##   ] 50 %'.repeat(500)}\r\n\u001B[31mdone`);
    const long = script.done(turn, { ...base, command: 'long' }, Array.from({ length: 5000 }, (_, n) => `row ${n}`).join('\n'));
    panel = await stage.open(script.state());
    await panel.page.getByText('no output').waitFor();
    const outputs = panel.page.getByRole('group', { name: 'Output' });
    await comesTo('[##   ] 50 %\ndone', () => outputs.first().textContent());
    assert.match(await outputs.last().textContent() ?? '', /^row 0\n[\s\S]*⋯ 4,987 lines ⋯[\s\S]*row 4999$/);
    await panel.page.getByRole('button', { name: 'Open in Editor' }).click();
    assert.deepEqual(await panel.waitPosted('openOutput'), [{ type: 'openOutput', itemId: long.itemId }]);
    await panel.page.getByRole('button', { name: 'Show all output' }).click();
    await until(async () => (await outputs.last().textContent())?.split('\n').length === 5000, () => 'all lines');
    await panel.assertClean();
  });

  it('folds long code, opens it on request, and keeps it open while more arrives and at the end', async () => {
    const rows = Array.from({ length: 400 }, (_, n) => `row ${n}`).join('\n');
    const { script, item, turn } = answering(`\`\`\`\nshort\n\`\`\`\n\n\`\`\`\n${rows}\n\`\`\`\n\n`);
    panel = await stage.open(script.state());
    const block = panel.page.locator('.code-block').last();
    const height = async (): Promise<number> => (await block.boundingBox())?.height ?? 0;
    await until(async () => await height() < 600, () => 'a height < 600');
    await comesTo(0, () => panel.page.locator('.code-block').first().getByRole('button', { name: /lines/ }).count());
    await block.getByRole('button', { name: 'Show all 400 lines' }).click();
    await until(async () => await height() > 4000, () => 'a height > 4000');
    script.delta(item, 'and [a link][1] more');
    await panel.play(script);
    await panel.page.getByText('a link').waitFor();
    await until(async () => await height() > 4000, () => 'a height > 4000');
    script.endItem(item, 'completed', { text: `${item.text}and [a link][1] more\n\n[1]: https://example.org`, textLength: item.text.length + 46 });
    script.endTurn(turn);
    await panel.play(script);
    await panel.page.getByRole('link', { name: 'a link' }).waitFor();
    await until(async () => await height() > 4000, () => 'a height > 4000');
    await block.getByRole('button', { name: 'Show fewer lines' }).click();
    await until(async () => await height() < 600, () => 'a height < 600');
    await panel.assertClean();
  });

  it('claims no number of lines for what was left out before it came', async () => {
    const { script, turn } = answering('x');
    const lines = (count: number): string => Array.from({ length: count }, (_, n) => `row ${n}`).join('\n');
    script.done(turn, { kind: 'command', command: 'long', cwd: '/home/me/demo', envNames: [], exitCode: 0, signal: null, cut: 900 }, `${lines(50)}\n… 900 characters left out …\n${lines(50)}`);
    panel = await stage.open(script.state());
    // 101 lines, of which 13 are shown and one stands for what is missing.
    assert.match(await panel.page.getByRole('group', { name: 'Output' }).textContent() ?? '', /⋯ 87 lines and 900 characters that were not kept ⋯/);
    await panel.assertClean();
  });

  it('loads the rest of a very long text on request', async () => {
    const { script, turn } = answering('x');
    const item = script.done(turn, { kind: 'agent_message' }, 'the head', { textLength: 17 });
    panel = await stage.open(script.state());
    await panel.page.getByText('9 more characters are not shown').waitFor();
    await panel.page.getByRole('button', { name: 'Load all' }).click();
    assert.deepEqual(await panel.waitPosted('loadItem'), [{ type: 'loadItem', itemId: item.itemId }]);
    await panel.send({ type: 'item', generation: 1, item: { ...item, text: 'the head and tail' } });
    await panel.page.getByText('the head and tail').waitFor();
    await comesTo(0, () => panel.page.getByText('more characters').count());
    await panel.assertClean();
  });

  it('has a sentence while nothing is known yet', async () => {
    panel = await stage.open(null);
    await panel.region('loading').getByText('Loading the session…').waitFor();
    await panel.send({ type: 'state', state: fresh() });
    await panel.region('empty').waitFor();
    await panel.assertClean();
  });
});
