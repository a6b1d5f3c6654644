import path from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';

/** An empty page that holds nothing but `markdownLab`. */
export async function openMarkdownLab(browser: Browser): Promise<Page> {
  const { outputFiles } = await build({ entryPoints: [path.join(import.meta.dirname, 'markdownLab.ts')], bundle: true, write: false, format: 'iife', platform: 'browser', target: 'chrome130' });
  const page = await browser.newPage();
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return page;
}
