import fs from 'node:fs';
import { scratchRoot } from '../support/scratchFolder.ts';
import path from 'node:path';
import { randomFrom, type SoakFigures, type SoakOptions } from '../support/soak.ts';
import { StoreImages, type Ending } from '../support/storeImages.ts';

export const about = 'R3: stores that were torn, cut, turned in single bits, emptied or lost in part open as what once was, say what is lost, or are refused';
export const defaultRuns = 10_000;

const BATCH = 500;

export async function run({ runs, seed, report }: SoakOptions): Promise<SoakFigures> {
  const folder = fs.mkdtempSync(path.join(scratchRoot(), 'attimg-'));
  const images = new StoreImages(folder, randomFrom(seed));
  await images.prepare();
  const figures: Record<Ending | 'images', number> = { images: 0, opened: 0, recovered: 0, store_unreadable: 0, gateway_outdated: 0 };
  while (figures.images < runs) {
    figures[await images.play()] += 1;
    figures.images += 1;
    if (figures.images % BATCH === 0) report(`${figures.images} images`);
  }
  fs.rmSync(folder, { recursive: true });
  return figures;
}
