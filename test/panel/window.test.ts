import assert from 'node:assert/strict';
import { comesTo } from '../support/comesTo.ts';
import { ids } from '../support/panelHarness/ids.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { change } from '../support/panelHarness/states.ts';

/** The bounds that the page keeps, whatever the length of the transcript. */
const PLAIN_NODES = 500;
const RICH_NODES = 5000;

const stage = new PanelStage();
let panel: PanelHarness;

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');
const nodes = (): Promise<number> => panel.page.evaluate(() => document.querySelectorAll('body *').length);
const view = () => panel.region('transcript');
const frames = async (): Promise<void> => { await panel.drawn(); await panel.drawn(); };

/** Turns of a question and an answer, put together without playing each of them. */
function plain(messages: number): SessionScript {
  const script = new SessionScript();
  const { view: all } = script;
  const turn = script.start('question');
  const answer = script.done(turn, { kind: 'agent_message' }, 'answer');
  script.endTurn(turn);
  script.take();
  const [ended, asked] = [all.turns[0] ?? turn, all.items[0] ?? answer];
  all.turns = [];
  all.items = [];
  for (let n = 0; n < messages / 2; n += 1) {
    const place = { turnId: ids.turn(n + 1), turnIdx: n + 1 };
    const [question, reply] = [`question ${n}`, `answer ${n}`];
    all.turns.push({ ...ended, ...place, text: question, userItemId: ids.item(100_000 + n) });
    all.items.push({ ...asked, ...place, itemId: ids.item(100_000 + n), text: question, textLength: question.length }, { ...answer, ...place, itemId: ids.item(n + 1), text: reply, textLength: reply.length });
  }
  return script;
}

/** C20: 2,000 messages, 600 tool cards, 40 diffs, one output of 5,000 lines; one turn holds a fifth of them. */
function rich(): SessionScript {
  const script = new SessionScript();
  const long = script.start('one long turn');
  const turns = Array.from({ length: 200 }, (_, n) => (n < 40 ? long : script.queue(`question ${n}`, { state: 'completed' })));
  for (const [n, turn] of turns.entries()) {
    for (let m = 0; m < 9; m += 1) script.done(turn, { kind: 'agent_message' }, `Answer ${n}.${m} with \`code\`.\n\n- a\n- b\n\n\`\`\`ts\nconst x = ${m};\n\`\`\``);
    for (let m = 0; m < 3; m += 1) script.done(turn, { kind: 'tool_call', toolKind: 'read', title: `Read ${n}.${m}`, locations: [{ path: '/a/b.ts' }] }, lines(30));
    if (n % 5 === 0) script.done(turn, { kind: 'edit', mode: 'hosted', change: change() });
  }
  script.done(long, { kind: 'command', command: 'long', cwd: '/home/me/demo', envNames: [], exitCode: 0, signal: null, cut: 0 }, lines(5000));
  script.take();
  return script;
}

/** Goes through the transcript in steps of a view; gives the largest number of nodes on the way. */
async function walk(direction: 1 | -1, steps: number): Promise<number> {
  let most = 0;
  for (let n = 0; n < steps; n += 1) {
    await view().evaluate((element, by) => { element.scrollTop += by * element.clientHeight * 3; }, direction);
    await panel.drawn();
    most = Math.max(most, await nodes());
    const shows = await view().evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const rows = [...element.querySelectorAll('.turn')].map((row) => row.getBoundingClientRect()).filter((box) => box.bottom > top && box.top < bottom);
      return Math.min(bottom, Math.max(...rows.map((box) => box.bottom))) - Math.max(top, Math.min(...rows.map((box) => box.top)));
    });
    assert.ok(shows > 300, `after step ${n} only ${shows} px show rows`);
  }
  return most;
}

describe('a long transcript', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  it(`P9 has at most ${PLAIN_NODES} nodes for 10,000 plain messages, and never an empty view`, async () => {
    panel = await stage.open(plain(10_000).state());
    assert.ok(await nodes() <= PLAIN_NODES, `${await nodes()} at first`);
    await panel.page.getByText('answer 4999', { exact: true }).waitFor();
    assert.ok(await walk(-1, 7) <= PLAIN_NODES);
    await view().evaluate((element) => { element.scrollTop = 0; });
    await panel.page.getByText('answer 0', { exact: true }).waitFor();
    assert.ok(await walk(1, 7) <= PLAIN_NODES);
    await panel.region('jump').click();
    await panel.page.getByText('answer 4999', { exact: true }).waitFor();
    await panel.page.keyboard.press('Control+f');
    await panel.page.getByRole('textbox', { name: 'Find in Chat' }).fill('answer 2345');
    await panel.region('find').getByText('1 of 1', { exact: true }).waitFor();
    await panel.page.getByText('answer 2345', { exact: true }).waitFor();
    assert.ok(await nodes() <= PLAIN_NODES);
  });

  it(`C20 has at most ${RICH_NODES} nodes for messages, tool cards and diffs, also where one turn holds many`, async () => {
    panel = await stage.open(rich().state(), { height: 900 });
    assert.ok(await nodes() <= RICH_NODES, `${await nodes()} at first`);
    await view().evaluate((element) => { element.scrollTop = 0; });
    await frames();
    const most = Math.max(await walk(1, 15), await walk(-1, 15));
    assert.ok(most <= RICH_NODES, `${most} on the way`);
    await panel.page.keyboard.press('Control+f');
    await panel.page.getByRole('textbox', { name: 'Find in Chat' }).fill('Answer 123.4');
    await panel.region('find').getByText('1 of 1', { exact: true }).waitFor();
    await panel.page.getByText('Answer 123.4 with').waitFor();
    assert.ok(await nodes() <= RICH_NODES, `${await nodes()} when something is found`);
    await panel.page.keyboard.press('Escape');
    await panel.input.fill('x'.repeat(50));
    await comesTo('x'.repeat(50), () => panel.input.inputValue());
  });

  it('C20 gives its memory back when another session is shown', async () => {
    panel = await stage.open(plain(2).state());
    const session = await panel.page.context().newCDPSession(panel.page);
    const memory = async (): Promise<number> => {
      for (let n = 0; n < 2; n += 1) await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    // What is shown in turns lies in the page, so that it is not handed over twenty times; that is no memory of the page's own.
    const before = await memory();
    await panel.page.evaluate((states) => { Object.assign(globalThis, { states }); }, { small: JSON.stringify(plain(2).state()), big: JSON.stringify(rich().state()) });
    const held = await memory() - before;
    let generation = 1;
    const swap = async (name: 'small' | 'big'): Promise<void> => {
      generation += 1;
      await panel.page.evaluate(([name, generation]) => {
        const { states } = globalThis as unknown as { states: Record<string, string> };
        window.postMessage({ type: 'state', state: { ...JSON.parse(states[name] ?? '') as object, generation, conversation: name } }, '*');
      }, [name, generation] as const);
      await frames();
    };
    const own = async (): Promise<number> => await memory() - held;
    // What the engine keeps of the page's own code is there after the first rounds.
    for (let n = 0; n < 3; n += 1) {
      await swap('big');
      await swap('small');
    }
    const [smallFirst, bigFirst] = [await own(), await swap('big').then(own)];
    for (let n = 0; n < 10; n += 1) {
      await swap('small');
      await swap('big');
    }
    const bigLast = await own();
    await swap('small');
    const smallLast = await own();
    assert.ok(bigFirst > 1.2 * smallFirst, 'the large one takes more');
    assert.ok(bigLast <= bigFirst * 1.1 && smallLast <= smallFirst * 1.1, JSON.stringify({ smallFirst, bigFirst, bigLast, smallLast }));
  });

  it('keeps what has the focus, and a request that waits, wherever the reader goes', async () => {
    const script = new SessionScript();
    const first = script.start('asks');
    const approval = script.ask(script.item(first, { kind: 'edit', mode: 'hosted', change: change() }), { kind: 'edit', mode: 'hosted', changes: [change()] });
    for (let n = 0; n < 400; n += 1) {
      const turn = script.queue(`question ${n}`, { state: 'completed', startedAt: 1 });
      script.done(turn, { kind: 'agent_message' }, n === 200 ? 'a [link](src/a.ts) here' : `answer ${n}`);
    }
    script.take();
    panel = await stage.open(script.state());
    await comesTo(1, () => panel.approval(approval.approvalId).count());
    await view().evaluate((element) => { element.scrollTop = element.scrollHeight / 2; });
    await frames();
    const link = panel.page.getByRole('link', { name: 'link' });
    for (let n = 0; n < 40 && await link.count() === 0; n += 1) {
      const shown = Number(/\d+/.exec(await panel.page.locator('.turn .agent-message').nth(8).textContent() ?? '')?.[0]);
      await view().evaluate((element, by) => { element.scrollTop += by; }, shown < 200 ? 400 : -400);
      await frames();
    }
    await link.focus();
    await view().evaluate((element) => { element.scrollTop = 0; });
    await frames();
    assert.equal(await link.evaluate((element) => element === document.activeElement), true);
    await panel.send({ type: 'reveal', approvalId: approval.approvalId, focus: true });
    await until(() => panel.approval(approval.approvalId).evaluate((element) => element === document.activeElement), () => 'the card to have the focus');
  });

  it('keeps a selection while the reader scrolls on', async () => {
    panel = await stage.open(plain(1000).state());
    await panel.page.locator('.agent-message p').nth(2).selectText();
    const selected = (): Promise<string | undefined> => panel.page.evaluate(() => document.getSelection()?.toString().trim());
    const before = await selected();
    assert.match(before ?? '', /^answer \d+$/);
    await view().evaluate((element) => { element.scrollTop = 2000; });
    await frames();
    assert.equal(await selected(), before);
  });

  it('keeps open what its reader opened, also when it was not drawn in between', async () => {
    const script = new SessionScript();
    const first = script.start('look');
    script.done(first, { kind: 'tool_call', toolKind: 'read', title: 'Read a file', locations: [] }, lines(60));
    script.done(first, { kind: 'agent_message' }, `\`\`\`ts\n${lines(60)}\n\`\`\``);
    for (let n = 0; n < 100; n += 1) script.done(script.queue(`question ${n}`, { state: 'completed', startedAt: 1 }), { kind: 'agent_message' }, `answer ${n}`);
    script.take();
    panel = await stage.open(script.state());
    const top = async (): Promise<void> => { await view().evaluate((element) => { element.scrollTop = 0; }); };
    await top();
    await panel.page.getByRole('button', { name: 'Read a file' }).click();
    await panel.page.getByRole('button', { name: 'Show all output' }).click();
    await panel.page.getByRole('button', { name: 'Show all 60 lines' }).click();
    await panel.input.focus();
    await view().evaluate((element) => { element.scrollTop = element.scrollHeight; });
    await comesTo(0, () => panel.page.getByRole('button', { name: 'Read a file' }).count());
    await top();
    await panel.page.getByRole('button', { name: 'Show less' }).waitFor();
    await panel.page.getByRole('button', { name: 'Show fewer lines' }).waitFor();
  });

  it('tells a screen reader where it is', async () => {
    panel = await stage.open(plain(1000).state());
    const last = panel.page.getByRole('feed', { name: 'Messages' }).getByRole('article').last();
    await comesTo(['500', '500'], () => last.evaluate((element) => [element.ariaPosInSet, element.ariaSetSize]));
  });

  it('comes back to where its reader was, in the middle of what was not drawn', async () => {
    const script = plain(1000);
    panel = await stage.open(script.state());
    const item = script.view.items.find(({ text }) => text === 'answer 200');
    assert.ok(item);
    await panel.send({ type: 'state', state: plain(2).state({ generation: 2, conversation: 'other' }) });
    await panel.send({ type: 'state', state: script.state({ generation: 3, conversation: 'one', scroll: { itemId: item.itemId, offset: 40 } }) });
    await frames();
    const from = await view().evaluate((element, id) => (document.querySelector(`[data-item-id="${id}"]`)?.getBoundingClientRect().top ?? 0) - element.getBoundingClientRect().top, item.itemId);
    assert.ok(Math.abs(from - 40) <= 2, `${from} px`);
  });

  it('does not move what is read while unknown rows above are drawn for the first time', async () => {
    const script = new SessionScript();
    for (let n = 0; n < 300; n += 1) {
      const turn = script.queue(`question ${n}`, { state: 'completed', startedAt: 1 });
      script.done(turn, { kind: 'agent_message' }, lines(1 + ((n * 7) % 23)));
    }
    script.take();
    panel = await stage.open(script.state());
    for (let n = 0; n < 25; n += 1) {
      const moved = await view().evaluate(async (element) => {
        const frame = (): Promise<void> => new Promise((resolve) => { requestAnimationFrame(() => { resolve(); }); });
        const edge = element.getBoundingClientRect().top;
        const row = [...element.querySelectorAll('.turn')].find((one) => one.getBoundingClientRect().bottom > edge + 250);
        const before = row?.getBoundingClientRect().top ?? 0;
        element.scrollTop -= 250;
        for (let at = 0; at < 3; at += 1) await frame();
        return (row?.getBoundingClientRect().top ?? 0) - before - 250;
      });
      assert.ok(Math.abs(moved) <= 2, `step ${n} moved by ${moved} px`);
    }
  });
});
