import type { Page } from 'playwright-core';
import type { PanelStage } from './panelHarness.ts';

/** Pictures (PNG) side by side on one, row by row, each at `scale` times its size. Takes the page for itself. */
export async function drawSheet(page: Page, rows: readonly (readonly Buffer[])[], scale = 1): Promise<Buffer> {
  const images = rows.map((row) => row.map((picture) => `data:image/png;base64,${picture.toString('base64')}`));
  await page.goto('about:blank');
  await page.evaluate(async ({ all, scale }) => {
    document.body.style.cssText = 'margin:0;padding:8px;display:inline-grid;gap:8px;background:#808080';
    for (const row of all) {
      const line = document.createElement('div');
      line.style.cssText = 'display:flex;align-items:flex-start;gap:8px';
      document.body.append(line);
      for (const source of row) {
        const image = new Image();
        image.src = source;
        line.append(image);
        await image.decode();
        image.width = image.naturalWidth * scale;
      }
    }
  }, { all: images, scale });
  return page.locator('body').screenshot();
}

/** The same on a page of the stage. */
export async function sheetOf(stage: PanelStage, rows: readonly (readonly Buffer[])[]): Promise<Buffer> {
  const panel = await stage.open(null, { width: 2400, height: 2000 });
  const picture = await drawSheet(panel.page, rows);
  await panel.close();
  return picture;
}
