import { drawPng } from '../../../src/runtime/offline/drawPng.ts';

/** A PNG of one colour with a darker frame; another number is another colour. */
export function testPicture(seed: number, width = 48, height = 32): Buffer {
  const tone = (factor: number): number => 60 + ((seed * factor) % 180);
  const [red, green, blue] = [tone(83), tone(47), tone(29)];
  return drawPng(width, height, (x, y) => (x < 3 || y < 3 || x >= width - 3 || y >= height - 3 ? [red >> 1, green >> 1, blue >> 1] : [red, green, blue]));
}

export const pictureAddress = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
