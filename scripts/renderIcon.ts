// Draws scripts/icon.svg as the PNG that VS Code wants for an extension.
//   node scripts/renderIcon.ts
import fs from 'node:fs/promises';
import path from 'node:path';
import { launchBrowser } from '../test/support/vscodeHost/browser.ts';

const icons = path.resolve(import.meta.dirname, '../media/icons');
const svg = await fs.readFile(path.join(import.meta.dirname, 'icon.svg'), 'utf8');
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
  await page.setContent(`<body style="margin:0">${svg}</body>`);
  await page.locator('svg').screenshot({ path: path.join(icons, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
