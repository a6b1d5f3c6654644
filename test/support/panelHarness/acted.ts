import type { MentionEntry } from '../../../src/protocol/panelAttachment.ts';
import { type PanelHarness, until } from './panelHarness.ts';
import { SessionScript } from './script.ts';

/** A state that a person brings about: the scene it begins with, and what is done there. */
interface Acted {
  readonly scene: string;
  readonly act: (panel: PanelHarness) => Promise<void>;
}

const MENTIONS: readonly MentionEntry[] = [
  { ref: { kind: 'selection' }, label: 'Selection', detail: 'src/cart.ts:3-9', icon: 'list-selection', token: '@src/cart.ts:3-9' },
  { ref: { kind: 'openEditors' }, label: 'Open editors', detail: '4 files', icon: 'files', token: null },
  { ref: { kind: 'problems' }, label: 'Problems', detail: '2 errors', icon: 'warning', token: '@problems' },
  { ref: { kind: 'file', path: '/home/me/demo/src/cart.ts' }, label: 'cart.ts', detail: 'src', icon: 'file', token: '@src/cart.ts' },
  { ref: { kind: 'file', path: '/home/me/demo/x.ts' }, label: 'a-file-with-a-very-long-name.test.ts', detail: 'packages/api/src/deep/down/in/the/tree', icon: 'file', token: '@x.ts' },
  { ref: { kind: 'folder', path: '/home/me/demo/notes' }, label: 'notes/', detail: '', icon: 'folder', token: '@notes/' },
];

/** Shows a session of so many answered messages, of which there is more in the gateway. */
async function showLong(panel: PanelHarness): Promise<void> {
  const script = new SessionScript({ title: 'A long session' }, 400);
  for (let n = 0; n < 60; n += 1) {
    const turn = script.start(`question ${n}`);
    script.done(turn, { kind: 'agent_message' }, `answer ${n}, in a few words`);
    script.endTurn(turn);
  }
  const state = script.state({ conversation: 'long' });
  await panel.send({ type: 'state', state: { ...state, generation: panel.nextGeneration(), view: state.view === null ? null : { ...state.view, earlier: 401 } } });
  await panel.page.getByRole('heading', { level: 1, name: 'A long session' }).waitFor();
  await panel.drawn();
}

const scrollTo = (panel: PanelHarness, part: number): Promise<void> => panel.region('transcript').evaluate((element, part) => { element.scrollTop = element.scrollHeight * part; }, part);

/** By name. None of them is left by itself: show a scene to go on. */
export const acted: Readonly<Record<string, Acted>> = {
  'find-bar': {
    scene: 'answered',
    act: async (panel) => {
      await panel.page.keyboard.press('Control+f');
      await panel.page.getByRole('textbox', { name: 'Find in Chat' }).fill('half');
      await panel.region('find').getByText(/of/).waitFor();
    },
  },
  'find-nothing': {
    scene: 'answered',
    act: async (panel) => {
      await panel.page.keyboard.press('Control+f');
      await panel.page.getByRole('textbox', { name: 'Find in Chat' }).fill('not in here');
      await panel.drawn();
    },
  },
  'jump-to-latest': {
    scene: 'answered',
    act: async (panel) => {
      await showLong(panel);
      await scrollTo(panel, 0.5);
      await panel.region('jump').waitFor();
    },
  },
  'loading-older': {
    scene: 'answered',
    act: async (panel) => {
      await showLong(panel);
      await scrollTo(panel, 0);
      await until(async () => await panel.region('earlier').getByText('Loading earlier messages…').count() > 0, () => 'older messages to be asked for');
      await scrollTo(panel, 0);
      await panel.drawn();
    },
  },
  'mention-list': {
    scene: 'answered',
    act: async (panel) => {
      await panel.input.click();
      const before = panel.posted('mention').length;
      await panel.page.keyboard.type('@');
      const asked = (await panel.waitPosted('mention', before + 1)).at(-1);
      await panel.send({ type: 'mentions', request: asked?.request ?? 0, entries: MENTIONS, done: true });
      await panel.page.getByRole('listbox', { name: 'Context' }).waitFor();
    },
  },
  'queue-editor': {
    scene: 'queued',
    act: async (panel) => {
      await panel.region('queue').getByRole('button', { name: 'Edit this message' }).last().click();
      await panel.region('queue').getByRole('textbox').waitFor();
    },
  },
  'comment': {
    scene: 'requests',
    act: async (panel) => {
      await panel.page.getByRole('button', { name: 'Add a comment to the refusal' }).last().click();
      await panel.page.getByRole('textbox', { name: 'Comment for the agent' }).fill('Use the other helper.');
    },
  },
  'dropping': {
    scene: 'answered',
    act: async (panel) => {
      await panel.page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'x.txt'));
        document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer, bubbles: true, cancelable: true }));
      });
      await panel.drawn();
    },
  },
  'page-error': {
    scene: 'answered',
    act: async (panel) => {
      await panel.page.evaluate(() => { window.dispatchEvent(new ErrorEvent('error', { message: 'x', error: new Error('Cannot read properties of undefined (reading “text”)') })); });
      await panel.region('page-error').waitFor();
    },
  },
};

/** Shows one of them. */
export async function showActed(panel: PanelHarness, name: string): Promise<void> {
  const wanted = acted[name];
  if (wanted === undefined) { throw new Error(`there is no ${name} to be acted`); }
  await panel.showScene(wanted.scene);
  await wanted.act(panel);
}

/** Takes back what a scene shown next would not. */
export async function leaveActed(panel: PanelHarness): Promise<void> {
  await panel.page.reload();
  await panel.page.locator('.panel').waitFor();
}
