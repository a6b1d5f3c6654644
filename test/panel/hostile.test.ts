import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { hostileTexts } from '../support/panelHarness/hostileTexts.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';

/** Of each kind one, compared through the whole page: the markdown of all of them alone is compared in streaming.test.ts. */
const COMPARED = ['script in a table', 'javascript in a reference', 'a false request in markdown', 'bidi in code', 'terminal escapes'];
const OUTSIDE = 'http://127.0.0.1:9';
const stage = new PanelStage();
let panel: PanelHarness;
let requests: string[];

const text = (name: string): string => (hostileTexts[name] ?? '').replaceAll('%ORIGIN%', OUTSIDE);
const message = () => panel.page.locator('[data-kind="agent_message"] .markdown').last();

/** Each is shown as a message of its own, in place of the one before. */
function showing(name: string) {
  const script = new SessionScript();
  const turn = script.start(`"><script>window.ran = 1</script> ${name}`);
  const item = script.item(turn, { kind: 'agent_message' });
  return { script, turn, item };
}

async function assertUnharmed(name: string): Promise<void> {
  const seen = await panel.page.evaluate(() => ({
    ran: (window as unknown as { ran?: number }).ran ?? 0,
    elements: [...document.querySelectorAll('.markdown *, .bubble *')].map(({ tagName }) => tagName).filter((tag) => /^(?:SCRIPT|STYLE|IFRAME|OBJECT|EMBED|FORM|A|BASE|META|LINK|SVG|MATH|VIDEO|AUDIO|TEXTAREA|SELECT|TEMPLATE|DETAILS)$/i.test(tag)),
    acts: [...document.querySelectorAll('.markdown *')].flatMap((element) => element.getAttributeNames().filter((attribute) => /^(?:on|style|href|action|srcdoc|formaction|id|name)/.test(attribute))),
    wide: (document.querySelector('main')?.scrollWidth ?? 0) - (document.querySelector('main')?.clientWidth ?? 0),
    isAlive: document.querySelector('[data-region="composer"]') !== null && document.querySelector('[data-region="page-error"]') === null,
  }));
  assert.deepEqual(seen, { ran: 0, elements: [], acts: [], wide: 0, isAlive: true }, name);
}

describe('hostile and odd messages', () => {
  before(() => stage.start());
  after(() => stage.stop());
  beforeEach(async () => {
    panel = await stage.open(new SessionScript().state());
    requests = [];
    panel.page.on('request', (request) => { if (!/\/(?:codicon\.ttf|highlight\.js)$/.test(request.url()) && !request.url().startsWith('data:')) requests.push(request.url()); });
    panel.page.on('dialog', () => requests.push('dialog'));
    panel.page.on('popup', () => requests.push('popup'));
  });
  afterEach(() => panel.close());

  it(`C21 run nothing, load nothing and break nothing: ${Object.keys(hostileTexts).length} of them`, async () => {
    assert.ok(Object.keys(hostileTexts).length >= 60);
    let generation = 1;
    for (const name of Object.keys(hostileTexts)) {
      const { script, item, turn } = showing(name);
      script.delta(item, text(name));
      script.endItem(item);
      script.done(turn, { kind: 'thought' }, text(name).slice(0, 2000));
      script.endTurn(turn);
      generation += 1;
      await panel.send({ type: 'state', state: script.state({ generation, conversation: name }) });
      await panel.drawn();
      await assertUnharmed(name);
      assert.notEqual(text(name).trim() !== '' && (await message().textContent())?.trim() === '', true, `${name} shows nothing`);
    }
    await panel.input.fill('still alive');
    await comesTo('still alive', () => panel.input.inputValue());
    assert.deepEqual(requests, []);
    await panel.assertClean();
  });

  it('C21 come in pieces as harmlessly, and end as they do at once', async () => {
    let generation = 1;
    const compared: string[] = [];
    const html = (): Promise<string> => message().evaluate((element) => element.innerHTML);
    for (const name of Object.keys(hostileTexts).filter((key) => text(key).length <= 3000)) {
      const whole = text(name);
      const { script, item } = showing(name);
      generation += 1;
      script.take();
      await panel.send({ type: 'state', state: script.state({ generation, conversation: `${name} in pieces` }) });
      const size = Math.max(1, Math.ceil(whole.length / (COMPARED.includes(name) ? 7 : 4)));
      for (let at = 0; at < whole.length; at += size) {
        script.delta(item, whole.slice(at, at + size));
        await panel.play(script, generation);
        await panel.drawn();
      }
      script.endItem(item);
      await panel.play(script, generation);
      await panel.drawn();
      await assertUnharmed(name);
      if (!COMPARED.includes(name)) continue;
      const streamed = await html();
      generation += 1;
      await panel.send({ type: 'state', state: script.state({ generation, conversation: `${name} at once` }) });
      await panel.drawn();
      assert.equal(streamed, await html(), name);
      assert.notEqual(streamed.trim(), '', name);
      compared.push(name);
    }
    assert.deepEqual(compared.sort(), COMPARED.toSorted());
    assert.deepEqual(requests, []);
    await panel.assertClean();
  });

  it('are inert as titles, commands, output, plans, paths and requests, too', async () => {
    const { script, turn } = showing('everywhere');
    for (const name of Object.keys(hostileTexts).filter((key) => text(key).length <= 3000)) {
      const nasty = text(name);
      script.done(turn, { kind: 'tool_call', toolKind: nasty.slice(0, 50), title: nasty, locations: [{ path: nasty.slice(0, 200) || 'x' }], input: nasty }, nasty);
      script.done(turn, { kind: 'command', command: nasty, cwd: nasty.slice(0, 200), envNames: [nasty.slice(0, 100)], exitCode: 0, signal: null, cut: 0, note: nasty.slice(0, 500) }, nasty);
      script.done(turn, { kind: 'plan', entries: [{ content: nasty, status: 'pending' }] });
      script.done(turn, { kind: 'error', code: 'x', next: nasty.slice(0, 500) }, nasty, { state: 'failed' });
    }
    await panel.send({ type: 'state', state: script.state({ generation: 2, conversation: 'everywhere' }) });
    for (let n = 0; n < 12; n += 1) {
      await panel.region('transcript').evaluate((view, part) => { view.scrollTop = view.scrollHeight * part; }, n / 12);
      await panel.drawn();
      await panel.page.locator('.fold > button[aria-expanded="false"]').evaluateAll((buttons: HTMLElement[]) => { for (const button of buttons) button.click(); });
      await panel.drawn();
      await assertUnharmed(`part ${n}`);
    }
    assert.deepEqual(requests, []);
    await panel.assertClean();
  });

  it('C21 a message that cannot be drawn is shown as raw text, and those around it stay', async () => {
    const { script, item, turn } = showing('deep');
    script.delta(item, `${'>'.repeat(5000)} deep below`);
    script.endItem(item);
    script.done(turn, { kind: 'agent_message' }, 'after **it**');
    await panel.send({ type: 'state', state: script.state({ generation: 2, conversation: 'deep' }) });
    await until(async () => (await panel.page.locator('[data-kind="agent_message"]').first().textContent() ?? '').endsWith('deep below'), () => 'the text');
    await panel.page.locator('strong', { hasText: 'it' }).waitFor();
    await panel.assertClean();
  });
});
