import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { type HarnessTheme, PanelStage } from '../support/panelHarness/panelHarness.ts';
import { sheetOf } from '../support/panelHarness/sheet.ts';
import { fresh } from '../support/panelHarness/states.ts';
import { repository } from '../support/repository.ts';

const stage = new PanelStage();
const themes: readonly HarnessTheme[] = ['light', 'dark', 'hc-light', 'hc'];
const shots = path.join(repository, 'dist-test/shots/panel');

interface Sheet {
  readonly scenes: readonly string[];
  readonly height: number;
  /** Only this part of the page. */
  readonly part?: string;
}

/** Each becomes docs/<name>.png: its scenes from left to right, a row for each theme. */
const sheets: Readonly<Record<string, Sheet>> = {
  'modes': { scenes: ['answered', 'other-window', 'no-executor', 'empty-agent', 'unrecognized'], height: 600, part: '.head' },
  'goal-lifetimes': { scenes: ['stale-goal', 'stale-draft', 'retired-goal', 'no-lifetime'], height: 420 },
  'take-over': { scenes: ['other-window', 'take-over-refused', 'take-over-later', 'taken-over', 'taken-over-empty'], height: 540 },
};

async function shoot(theme: HarnessTheme, { scenes, height, part = 'body' }: Sheet): Promise<Buffer[]> {
  const panel = await stage.open(fresh(), { theme, width: 420, height });
  const pictures: Buffer[] = [];
  for (const name of scenes) {
    await panel.showScene(name);
    pictures.push(await panel.page.locator(part).screenshot({ path: path.join(shots, `${name}-${theme}.png`) }));
  }
  await panel.assertClean();
  await panel.close();
  return pictures;
}

describe('pictures of goal lifetimes, modes and take-over', () => {
  before(async () => {
    await stage.start();
    await fs.mkdir(shots, { recursive: true });
  });
  after(() => stage.stop());

  for (const [name, plan] of Object.entries(sheets)) {
    it(`are taken in each theme: ${name}`, async () => {
      const rows: Buffer[][] = [];
      for (const theme of themes) rows.push(await shoot(theme, plan));
      const picture = await sheetOf(stage, rows);
      await fs.writeFile(path.join(shots, `sheet-${name}.png`), picture);
      if (process.env['ATTACHE_UPDATE_PICTURES'] === '1') await fs.writeFile(path.join(repository, `docs/${name}.png`), picture);
      assert.equal(rows.flat().length, themes.length * plan.scenes.length);
    });
  }
});
