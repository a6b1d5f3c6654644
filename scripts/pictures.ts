// Takes pictures of every state of the chat page, in four themes at three widths, and puts them on sheets to look at.
//   node scripts/pictures.ts [folder] [scene...]
import fs from 'node:fs/promises';
import path from 'node:path';
import { acted, leaveActed, showActed } from '../test/support/panelHarness/acted.ts';
import { type HarnessTheme, type PanelHarness, PanelStage } from '../test/support/panelHarness/panelHarness.ts';
import { scenes } from '../test/support/panelHarness/scenes.ts';
import { sheetOf } from '../test/support/panelHarness/sheet.ts';
import { fresh } from '../test/support/panelHarness/states.ts';

const [folder = 'dist-test/shots/states', ...wanted] = process.argv.slice(2);
const all: readonly HarnessTheme[] = ['dark', 'light', 'hc', 'hc-light'];
const themes = all.filter((theme) => (process.env['ATTACHE_THEMES'] ?? all.join()).split(',').includes(theme));
/** How many pictures of a width stand beside each other on a sheet of at most so many. */
const widths = [{ width: 180, columns: 9, most: 27 }, { width: 320, columns: 6, most: 18 }, { width: 900, columns: 3, most: 9 }];
const height = 760;

const names = [...Object.keys(scenes), ...Object.keys(acted), 'not-loaded'].filter((name) => wanted.length === 0 || wanted.includes(name));

async function shoot(stage: PanelStage, theme: HarnessTheme, width: number): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  const take = async (panel: PanelHarness, name: string): Promise<void> => {
    pictures.push(await panel.page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`) }));
    await panel.assertClean();
  };
  if (names.includes('loading')) {
    const panel = await stage.open(null, { theme, width, height });
    await take(panel, 'loading');
    await panel.close();
  }
  const panel = await stage.open(fresh(), { theme, width, height });
  for (const name of names.filter((scene) => scene !== 'loading' && scene in scenes)) {
    await panel.showScene(name);
    await take(panel, name);
  }
  for (const name of names.filter((wanted) => wanted in acted)) {
    await showActed(panel, name);
    pictures.push(await panel.page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`) }));
    await leaveActed(panel);
  }
  if (names.includes('not-loaded')) {
    await panel.page.route('**/chat.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }));
    await panel.page.reload();
    await panel.page.locator('.not-loaded').evaluate((element) => { for (const animation of element.getAnimations()) animation.finish(); });
    pictures.push(await panel.page.screenshot({ path: path.join(folder, `not-loaded-${theme}-${width}.png`) }));
  }
  await panel.close();
  return pictures;
}

await fs.mkdir(folder, { recursive: true });
const stage = new PanelStage();
await stage.start();
try {
  for (const theme of themes) {
    for (const { width, columns, most } of widths) {
      const pictures = await shoot(stage, theme, width);
      for (let first = 0; first < pictures.length; first += most) {
        const shown = pictures.slice(first, first + most);
        const rows = Array.from({ length: Math.ceil(shown.length / columns) }, (_, row) => shown.slice(row * columns, (row + 1) * columns));
        await fs.writeFile(path.join(folder, `sheet-${theme}-${width}-${first / most + 1}.png`), await sheetOf(stage, rows));
      }
    }
  }
  console.log(`${folder}: ${names.length} states, ${themes.length} themes, ${widths.length} widths; look at the sheets first`);
} finally {
  await stage.stop();
}
