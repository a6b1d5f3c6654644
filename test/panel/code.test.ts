import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { codeMarkdown } from '../support/panelHarness/texts.ts';

const stage = new PanelStage();
let panel: PanelHarness;

function answering(text = '') {
  const script = new SessionScript();
  const turn = script.start('go');
  const item = script.item(turn, { kind: 'agent_message' }, text);
  return { script, turn, item };
}

const block = (number = 0) => panel.page.locator('.code-block').nth(number);
const words = (number = 0): Promise<number> => block(number).locator('code span').count();
const isColoured = async (number = 0): Promise<boolean> => await words(number) > 0;

describe('code an agent writes', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it('is coloured once its fence is closed, and not before', async () => {
    const { script, item } = answering('```ts\nconst a = 1;\n```\n\n```ts\nconst b = 2;\n');
    panel = await stage.open(script.state());
    await comesTo(true, () => isColoured(0));
    assert.equal(await isColoured(1), false);
    script.delta(item, 'const c = 3;\n');
    await panel.play(script);
    await panel.drawn();
    assert.equal(await isColoured(1), false);
    script.delta(item, '```');
    await panel.play(script);
    await comesTo(true, () => isColoured(1));
    await comesTo('const b = 2;\nconst c = 3;\n', () => block(1).locator('pre').textContent());
  });

  it('is coloured where the text ends inside it', async () => {
    const { script, item } = answering('```py\nx = 1');
    panel = await stage.open(script.state());
    assert.equal(await isColoured(), false);
    script.endItem(item);
    await panel.play(script);
    await comesTo(true, () => isColoured());
  });

  it('is coloured as far as it is seen, and the rest when it is unfolded', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `const value${n} = call(${n}, "text");`);
    const { script, turn, item } = answering(`\`\`\`ts\n${lines.join('\n')}\n\`\`\``);
    script.endItem(item);
    script.endTurn(turn);
    panel = await stage.open(script.state());
    const keywords = () => block().locator('.hljs-keyword').count();
    await comesTo(true, async () => await keywords() >= 20 && await keywords() <= 30);
    assert.equal(await block().locator('.hljs-keyword').evaluateAll((all) => all.filter((word) => word.getBoundingClientRect().bottom < (word.closest('pre')?.getBoundingClientRect().bottom ?? 0)).length), 20, 'every line that is seen');
    await block().getByRole('button', { name: 'Show all 300 lines' }).click();
    await comesTo(300, keywords);
    assert.equal(await block().locator('pre').textContent(), `${lines.join('\n')}\n`);
    await block().getByRole('button', { name: 'Show fewer lines' }).click();
    await comesTo(300, keywords);
  });

  it('is coloured in the languages agents write most, by all their names, and says which', async () => {
    const names = ['ts', 'tsx', 'js', 'jsx', 'py', 'sh', 'bash', 'shell', 'console', 'json', 'jsonc', 'yaml', 'yml', 'html', 'xml', 'css', 'scss', 'c', 'c++', 'cs', 'java', 'go', 'rs', 'rb', 'php', 'sql', 'toml', 'diff'];
    const { script } = answering([...names, 'brainfog', ''].map((name) => `\`\`\`${name}\n<b x="a"> 1 true\n-b = "c" # d\n\`\`\``).join('\n\n'));
    panel = await stage.open(script.state());
    const blocks = () => panel.page.locator('.code-block').evaluateAll((all) => all.map((one) => [one.querySelector('.code-language')?.textContent, one.querySelectorAll('code span').length > 0]));
    await comesTo([...names.map((name) => [name, true]), ['brainfog', false], ['text', false]], blocks);
  });

  it('keeps every character, and its size, when colours come', async () => {
    const { script } = answering(codeMarkdown);
    panel = await stage.open(null);
    // The colours are late: everything is drawn without them first.
    let release = (): void => undefined;
    const late = new Promise<void>((resolve) => { release = resolve; });
    await panel.page.route('**/highlight.js', async (route) => { await late; await route.continue(); });
    await panel.show(script);
    const look = () => panel.page.locator('.code-block').evaluateAll((blocks) => blocks.map((element) => [element.querySelector('pre')?.textContent, element.getBoundingClientRect().height]));
    const before = await look();
    assert.equal(await isColoured(), false);
    release();
    await comesTo(true, () => isColoured());
    assert.deepEqual(await look(), before);
  });

  it('is plain where colours cannot come', async () => {
    const { script } = answering(codeMarkdown);
    panel = await stage.open(null);
    let asked = 0;
    await panel.page.route('**/highlight.js', (route) => {
      asked += 1;
      return route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    await panel.show(script);
    await panel.page.getByText('no language at all').waitFor();
    await comesTo(1, () => Promise.resolve(asked));
    await panel.drawn();
    assert.equal(await isColoured(), false);
  });

  it('asks for the script of colours with the first code, and once', async () => {
    const asked: string[] = [];
    const { script, item } = answering('words only');
    panel = await stage.open(null);
    panel.page.on('request', (request) => { if (request.url().endsWith('.js')) asked.push(new URL(request.url()).pathname); });
    await panel.show(script);
    assert.deepEqual(asked, []);
    script.delta(item, '\n\n```ts\nconst a = 1;\n```\n\n```ts\nconst b = 1;\n```\n');
    await panel.play(script);
    await comesTo(true, () => isColoured(1));
    assert.deepEqual(asked, ['/highlight.js']);
  });

  it('is copied, inserted and opened as it was written', async () => {
    const { script } = answering('```sh\necho "a" && ls <b>\n```');
    panel = await stage.open(script.state());
    await comesTo(true, () => isColoured());
    const text = 'echo "a" && ls <b>\n';
    await block().getByRole('button', { name: 'Copy Code' }).click();
    await block().getByRole('button', { name: 'Insert at Cursor' }).click();
    await block().getByRole('button', { name: 'Open as New File' }).click();
    assert.deepEqual(await panel.waitPosted('copy'), [{ type: 'copy', text }]);
    assert.deepEqual(await panel.waitPosted('insertCode'), [{ type: 'insertCode', text, language: 'sh' }]);
    assert.deepEqual(await panel.waitPosted('newFile'), [{ type: 'newFile', text, language: 'sh' }]);
  });

  it('shows what hides in it by its number, coloured or not', async () => {
    const { script } = answering('```ts\nconst a\u202E = 1;\n```\n\n```ts\nconst b = 1;\n```');
    panel = await stage.open(script.state());
    await comesTo(true, () => isColoured(1));
    await comesTo('const aU+202E = 1;\n', () => block(0).locator('pre').textContent());
    await comesTo(1, () => block(0).locator('mark').count());
  });

  for (const width of [180, 420]) it(`keeps its buttons in reach and off the code at ${width} px`, async () => {
    const { script } = answering('```averylongnameofalanguage-that-isnone\nls: cannot access this: No such file or directory, whatever the width is\n```');
    panel = await stage.open(script.state(), { width });
    const [frame, code] = [await block().boundingBox(), await block().locator('pre').boundingBox()];
    for (const button of await block().getByRole('button').all()) {
      const box = await button.boundingBox();
      assert.ok(frame && code && box && box.y + box.height <= code.y + 1 && box.x >= frame.x && box.x + box.width <= frame.x + frame.width, JSON.stringify([frame, code, box]));
    }
    assert.equal(await block().getByRole('button').count(), 3);
  });
});
