import assert from 'node:assert/strict';
import { dictionary, type PanelHarness, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { said, scenes } from '../support/panelHarness/scenes.ts';
import { fresh } from '../support/panelHarness/states.ts';

const stage = new PanelStage();

/** Written alike in every language; what a model counts in is called so in Chinese, too. */
const NAMES = new Set(['attaché', 'cli', 'ctrl', 'enter', 'tab', 'git', 'mib', 'kib', 'kb', 'mb', 'help', 'delete', 'token']);

/** Said by the agent or the extension of a scene, and by the page elsewhere. */
const OTHERS = new Set(['Offline Agent', 'shows everything it can do', 'New session', 'Files of this name often hold secrets. The agent gets it as it is.']);

interface Shown {
  readonly text: string;
  /** Where it stands, for the one who mends it. */
  readonly at: string;
}

/** All that a person sees or hears of the page. */
function shownTexts(panel: PanelHarness): Promise<Shown[]> {
  return panel.page.evaluate(() => {
    const place = (element: Element | null): string => `${element?.tagName.toLowerCase() ?? ''}.${element?.className ?? ''}`;
    const texts = [...document.body.querySelectorAll('*')].flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => ({ text: node.textContent ?? '', at: place(element) })),
      ...['title', 'aria-label', 'placeholder', 'alt'].flatMap((name) => (element.hasAttribute(name) ? [{ text: element.getAttribute(name) ?? '', at: `${place(element)} ${name}` }] : [])),
    ]);
    return texts.filter(({ text, at }) => text.trim() !== '' && !at.startsWith('script'));
  });
}

const wordsOf = (text: string): string[] => (text.match(/[a-zé]{2,}/gi) ?? []).map((word) => word.toLowerCase());

describe('the chat page in Simplified Chinese', () => {
  const bundle = dictionary('zh-cn');

  before(() => stage.start());
  after(() => stage.stop());

  it('says nothing in English but what others wrote, and names', async () => {
    const panel = await stage.open(fresh(), { language: 'zh-cn', height: 880 });
    const english = new Set<string>();
    for (const name of Object.keys(scenes).filter((scene) => scene !== 'loading')) {
      await panel.showScene(name);
      await panel.page.evaluate(() => { for (const fold of document.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')) fold.click(); });
      await panel.drawn();
      const content = new Set([...wordsOf(JSON.stringify([scenes[name]?.(), said[name]?.()]).replaceAll(/\\u[\da-f]{4}(?:\[\d*m)?|\\./g, ' ')), ...NAMES]);
      const isEnglish = (text: string): boolean => wordsOf(text).some((word) => !content.has(word)) || (text.includes(' ') && (bundle[text] ?? text) !== text && !OTHERS.has(text));
      for (const { text, at } of await shownTexts(panel)) if (isEnglish(text.trim())) english.add(`${name}: ${JSON.stringify(text)} in ${at}`);
    }
    assert.deepEqual([...english], []);
    await panel.assertClean();
    await panel.close();
  });

  it('shows a loading page, and one that failed, in the language', async () => {
    const panel = await stage.open(null, { language: 'zh-cn' });
    await panel.region('loading').getByText('正在加载会话…').waitFor();
    await panel.page.evaluate(() => { window.dispatchEvent(new ErrorEvent('error', { message: 'x', error: new Error('planted') })); });
    await panel.region('page-error').getByRole('button', { name: '重新加载面板' }).waitFor();
    await panel.close();
  });

  it('writes dates and counts as the language does', async () => {
    const panel = await stage.open(fresh(), { language: 'zh-cn' });
    await panel.showScene('retired-goal');
    await panel.page.getByText(/\d{4}年\d{1,2}月\d{1,2}日/).first().waitFor();
    await panel.close();
  });

  it('tells a refusal of the gateway, and what it says of a path, in the language', async () => {
    const panel = await stage.open(fresh(), { language: 'zh-cn' });
    await panel.send({ type: 'toast', message: 'src/a.ts may not be used: a link in it leads out of the session’s folder /w.', next: 'Use a path inside the session’s folder.' });
    await panel.region('toast').getByText('不能使用 src/a.ts：其中的链接指向会话文件夹 /w 之外。请使用会话文件夹内的路径。').waitFor();
    await panel.close();
  });
});
