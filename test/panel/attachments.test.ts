import assert from 'node:assert/strict';
import type { PanelState } from '../../src/protocol/panel.ts';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { ids } from '../support/panelHarness/ids.ts';
import { type PanelHarness, PanelStage, until } from '../support/panelHarness/panelHarness.ts';
import { attached, scenes } from '../support/panelHarness/scenes.ts';
import { SessionScript } from '../support/panelHarness/script.ts';
import { chrome, fresh } from '../support/panelHarness/states.ts';
import { pictureAddress, testPicture } from '../support/panelHarness/testPicture.ts';

const stage = new PanelStage();
let panel: PanelHarness;

const C1 = 'conversation-1';

async function open(state: PanelState = fresh()): Promise<void> {
  panel = await stage.open(state);
  await panel.input.click();
}

const chips = () => panel.region('attachments').locator('.attached[data-state] .attached-name').allTextContents();
const note = (kind: string) => panel.region('attachments').locator(`[data-note="${kind}"]`);
const attachments = (...given: Parameters<typeof attached>[0][]) => panel.send({ type: 'attachments', conversation: C1, attachments: given.map(attached) });

interface FileSpec {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly fill: number;
}

/** Pastes, or drops, files from outside, as the browser hands them over. */
async function give(how: 'paste' | 'drop', files: readonly FileSpec[], lists: Readonly<Record<string, string>> = {}): Promise<void> {
  await panel.input.evaluate((field, { how, files, lists }) => {
    const transfer = new DataTransfer();
    for (const { name, type, size, fill } of files) transfer.items.add(new File([new Uint8Array(size).fill(fill)], name, { type }));
    for (const [type, text] of Object.entries(lists)) transfer.setData(type, text);
    if (how === 'paste') field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }));
    else for (const type of ['dragenter', 'dragover', 'drop']) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, { how, files, lists });
}

const png = (fill: number, size = 1000, name = 'image.png'): FileSpec => ({ name, type: 'image/png', size, fill });

describe('what goes with a message', () => {
  before(() => stage.start());
  after(() => stage.stop());
  afterEach(async () => {
    await panel.assertClean();
    await panel.close();
  });

  describe('pasted and dropped', () => {
    it('C36 two different pictures of the same name are both sent, with the message and no sooner', async () => {
      await open();
      await panel.page.keyboard.type('compare');
      await give('paste', [png(1)]);
      await give('paste', [png(2)]);
      const [one, two] = await panel.waitPosted('attachBytes', 2);
      assert.ok(one !== undefined && two !== undefined);
      assert.deepEqual([one.name, two.name, one.id === two.id, one.base64 === two.base64], ['image.png', 'image.png', false, false]);
      await comesTo(['image.png', 'image.png'], () => chips());
      // Both are on their way: Enter waits for them.
      await panel.page.keyboard.press('Enter');
      await panel.drawn();
      assert.deepEqual(panel.posted('submit'), []);
      await attachments({ id: one.id, kind: 'picture', name: 'image.png', digest: ids.digest(1) }, { id: two.id, kind: 'picture', name: 'image.png', digest: ids.digest(2) });
      const [message] = await panel.waitPosted('submit');
      assert.deepEqual([message?.text, message?.attachments], ['compare', [one.id, two.id]]);
      await panel.region('attachments').waitFor({ state: 'detached' });
      await comesTo(['image.png', 'image.png'], () => panel.region('outbox').getByRole('list', { name: 'Attached' }).getByRole('listitem').allTextContents());
    });

    it('C36 what is too large is refused with its size before it is sent anywhere, and the next message goes', async () => {
      await open();
      await panel.page.keyboard.type('look');
      await give('paste', [png(1, 4 * 1024 * 1024, 'huge.png')]);
      await comesTo('“huge.png” was not attached: it has 4 MB, and 3.75 MB are the most.', () => note('refused').textContent());
      await give('drop', [{ name: 'huge.bin', type: '', size: 5 * 1024 * 1024 + 1, fill: 1 }, png(2)]);
      await comesToMatch(/huge\.bin.*5\.00 MB, and 5 MB/, () => note('refused').textContent());
      const [small, ...more] = await panel.waitPosted('attachBytes');
      assert.deepEqual([small?.name, more], ['image.png', []], 'the one beside it is taken');
      await attachments({ id: small?.id ?? '', kind: 'picture', name: 'image.png', digest: ids.digest(1) });
      await panel.page.keyboard.press('Enter');
      assert.equal((await panel.waitPosted('submit'))[0]?.attachments?.length, 1);
      await panel.region('attachments').waitFor({ state: 'detached' });
    });

    it('nine are the most', async () => {
      await open(fresh({ attachments: Array.from({ length: 8 }, (_, n) => attached({ id: `a${n}` })) }));
      await give('paste', [png(1), png(2)]);
      assert.equal((await panel.waitPosted('attachBytes')).length, 1);
      await comesToMatch(/at most 9/, () => note('refused').textContent());
      await panel.page.getByRole('button', { name: 'Dismiss' }).click();
      await comesTo(0, () => note('refused').count());
    });

    it('says what the editor could not take, and then sends no message without it', async () => {
      await open();
      await panel.page.keyboard.type('look');
      await give('paste', [png(1)]);
      const [one] = await panel.waitPosted('attachBytes');
      await panel.page.keyboard.press('Enter');
      await panel.send({ type: 'attachFailed', conversation: C1, id: one?.id ?? '', message: 'The disk is full.' });
      await comesTo('The disk is full.', () => note('refused').textContent());
      await comesTo('look', () => panel.input.inputValue());
      assert.deepEqual(panel.posted('submit'), []);
    });

    it('files of the editor are named and not read; text is left alone', async () => {
      await open();
      await give('drop', [], { 'application/vnd.code.uri-list': 'file:///w/a%20b.ts\r\nfile:///w/src', 'text/uri-list': 'https://example.org' });
      await give('drop', [], { resourceurls: '["file:///w/c.ts"]' });
      await give('drop', [png(1, 10, 'page.png')], { 'text/uri-list': 'https://example.org/page.png' });
      assert.deepEqual((await panel.waitPosted('attachUris', 2)).map(({ uris }) => uris), [['file:///w/a%20b.ts', 'file:///w/src'], ['file:///w/c.ts']]);
      assert.equal((await panel.waitPosted('attachBytes'))[0]?.name, 'page.png');
      await give('paste', [png(1)], { 'text/plain': 'a table', 'text/html': '<table>' });
      await panel.drawn();
      assert.equal(panel.posted('attachBytes').length, 1, 'the picture of a text is not meant');
      await comesTo(false, () => panel.page.locator('#root').evaluate((root) => root.classList.contains('dropping')));
    });

    it('nothing is taken where nothing can be sent', async () => {
      panel = await stage.open(scenes['closed']?.() ?? null);
      await give('drop', [png(1)]);
      await give('paste', [png(1)]);
      await panel.drawn();
      assert.deepEqual(panel.posted('attachBytes'), []);
    });
  });

  describe('before it is sent', () => {
    it('can be looked at, and removed with keys alone', async () => {
      await open(fresh({ draft: 'hello', attachments: [attached({ id: 'a', name: 'a.ts' }), attached({ id: 'b', name: 'b.ts' })] }));
      await panel.page.keyboard.press('Home');
      await panel.page.keyboard.press('Backspace');
      await panel.page.keyboard.press('Enter');
      assert.equal((await panel.waitPosted('openAttachment'))[0]?.id, 'b');
      await panel.page.keyboard.press('Delete');
      await comesTo(['a.ts'], () => chips());
      await panel.page.keyboard.press('Backspace');
      await comesTo(0, () => panel.region('attachments').count());
      await comesTo(true, () => panel.input.evaluate((field) => field === document.activeElement));
      assert.deepEqual((await panel.waitPosted('detach', 2)).map(({ id }) => id), ['b', 'a']);
      await comesTo('hello', () => panel.input.inputValue());
    });

    it('what is to be known is said, and what the agent cannot take keeps the message here', async () => {
      await open(fresh({ draft: 'hello', attachments: [attached({ id: 'a', name: '.env', warning: 'It may hold secrets.' }), attached({ id: 'b', name: 'shot.png', problem: 'Codex takes no pictures.' })] }));
      await comesTo('.env It may hold secrets.', () => note('warning').textContent());
      await comesTo('shot.png Codex takes no pictures.', () => note('problem').textContent());
      const send = panel.page.getByRole('button', { name: 'Send' });
      await comesTo([true, 'Codex takes no pictures.'], async () => [await send.isDisabled(), await send.getAttribute('title')]);
      await panel.page.keyboard.press('Enter');
      await panel.drawn();
      assert.deepEqual(panel.posted('submit'), []);
      await panel.page.getByRole('button', { name: 'Remove shot.png' }).click();
      await panel.input.press('Enter');
      assert.deepEqual((await panel.waitPosted('submit'))[0]?.attachments, ['a']);
    });

    it('C16 belongs to its conversation, and comes back with it', async () => {
      await open(fresh({ draft: 'a\nb\nc', attachments: [attached({ id: 'a', name: 'a.ts' })] }));
      await panel.send({ type: 'state', state: fresh({ generation: 2, conversation: 'other' }) });
      await comesTo(0, () => panel.region('attachments').count());
      await panel.send({ type: 'attachments', conversation: C1, attachments: [attached({ id: 'x', name: 'late.ts' })] });
      await panel.drawn();
      await comesTo(0, () => panel.region('attachments').count(), 'of another conversation');
      await panel.send({ type: 'state', state: fresh({ generation: 3, draft: 'a\nb\nc', attachments: [attached({ id: 'a', name: 'a.ts' })] }) });
      await comesTo(['a.ts'], () => chips());
    });

    it('C16 what was typed just before the page went away is there again, and told', async () => {
      await open();
      panel.answer = fresh({ generation: 2, draft: 'ty', draftAt: 1 });
      await panel.page.keyboard.type('typed');
      await panel.page.reload();
      await comesTo('typed', () => panel.input.inputValue());
      await until(() => panel.posted('draft').at(-1)?.text === 'typed', () => 'the draft to be told');
      panel.answer = fresh({ generation: 3, draft: 'typed in another window', draftAt: Date.now() + 60_000 });
      await panel.page.reload();
      await comesTo('typed in another window', () => panel.input.inputValue());
    });

    for (const [sendWith, hint] of [['enter', 'Enter to send'], ['ctrlEnter', 'Ctrl+Enter to send']] as const) {
      it(`says which key sends: ${hint}`, async () => {
        await open(fresh({ chrome: chrome({ sendWith }) }));
        await comesTo(hint, () => panel.page.locator('[data-hint="send"]').innerText());
        await comesTo(`Send (${hint.replace(' to send', '')})`, () => panel.page.getByRole('button', { name: 'Send' }).getAttribute('title'));
      });
    }
  });

  describe('after it was sent', () => {
    it('stands with the message, pictures as pictures, also after a reload; a press shows it', async () => {
      await open(scenes['attachments']?.() ?? fresh());
      for (const [round, time] of ['at first', 'after a reload'].entries()) {
        const sent = panel.page.locator('[data-kind="user_message"]').getByRole('list', { name: 'Attached' }).first();
        await comesTo(['screenshot.png', 'a second one with a long name.png', 'src/cart.ts:3-9', 'notes/'], () => sent.locator('.attached-name').allTextContents(), time);
        await comesTo(['screenshot.png', 'a second one with a long name.png'], () => sent.locator('img').evaluateAll((all) => all.map((picture) => (picture as HTMLImageElement).alt)));
        await sent.getByRole('button', { name: 'Show src/cart.ts:3-9' }).click();
        assert.deepEqual((await panel.waitPosted('openSent', round + 1)).map(({ index }) => index), Array(round + 1).fill(2));
        if (round === 0) await panel.page.reload();
      }
      await comesTo('2', () => panel.region('queue').locator('.queue-attached').innerText().then((text) => text.trim().charAt(0)));
    });

    it('a picture that is not kept any more leaves its name', async () => {
      panel = await stage.open(null);
      panel.picture = () => null;
      await panel.send({ type: 'state', state: scenes['attachments']?.() ?? fresh() });
      await panel.page.locator('.sent .gone').first().waitFor();
      await comesTo(0, () => panel.page.locator('img').count());
    });

    it('pictures that the agent sent stand in its message and its tool call, large enough to be looked at, and a press shows them', async () => {
      await open(scenes['pictures']?.() ?? fresh());
      const shown = (kind: string) => panel.page.locator(`[data-kind="${kind}"] > .work > .sent`);
      await comesTo([['hills.png'], ['page.png', 'page-2.png']], async () => Promise.all([shown('agent_message').first(), shown('tool_call')].map((list) => list.locator('img').evaluateAll((all) => all.map((picture) => (picture as HTMLImageElement).alt)))));
      assert.equal(await shown('tool_call').getAttribute('aria-label'), 'Pictures');
      await shown('tool_call').getByRole('button', { name: 'Show page-2.png' }).click();
      const [opened] = await panel.waitPosted('openSent');
      assert.deepEqual([opened?.itemId, opened?.index], [scenes['pictures']?.()?.view?.items.find(({ data }) => data.kind === 'tool_call')?.itemId, 1]);
      panel.picture = (digest) => (digest === ids.digest(21) ? pictureAddress(testPicture(21, 900, 300)) : null);
      const script = new SessionScript();
      const turn = script.start('more');
      const message = script.item(turn, { kind: 'agent_message' }, 'wide:');
      await panel.show(script, { conversation: 'wide', generation: 2 });
      const sent = (digest: number) => ({ name: `${digest}.png`, mimeType: 'image/png', digest: ids.digest(digest), size: 1 });
      script.endItem(message, 'completed', { data: { kind: 'agent_message', pictures: [sent(21), sent(22)] } });
      await panel.play(script, 2);
      await comesTo(true, () => shown('agent_message').locator('img').evaluate((picture) => picture.clientWidth > 300 && picture.clientWidth <= 420), 'as wide as the panel lets it be');
      await comesTo(1, () => shown('agent_message').locator('.gone').count(), 'the other one was freed');
    });

    it('what was not delivered can be taken back to be changed', async () => {
      await open(fresh({ chrome: chrome({ outbox: [{ clientTurnId: 'lost-1', text: 'hello', attachments: ['gone.ts'], state: 'failed', message: 'gone.ts could not be read.' }] }) }));
      await panel.region('outbox').getByText('gone.ts', { exact: true }).waitFor();
      await panel.region('outbox').getByRole('button', { name: 'Edit' }).click();
      assert.equal((await panel.waitPosted('takeBack'))[0]?.clientTurnId, 'lost-1');
    });
  });
});
