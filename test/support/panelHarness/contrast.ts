import type { Page } from 'playwright-core';

export interface WeakText {
  readonly text: string;
  readonly ratio: number;
}

/** Every visible text on the page whose contrast with what is behind it is below the limit (WCAG 2). Disabled controls are left out. */
export async function weakTexts(page: Page, selector: string, limit: number): Promise<WeakText[]> {
  return page.evaluate(({ selector, limit }) => {
    type Color = readonly [number, number, number, number];
    const parse = (text: string): Color => {
      const numbers = (text.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []).map(Number);
      const scale = text.startsWith('color(') ? 255 : 1;
      return [(numbers[0] ?? 0) * scale, (numbers[1] ?? 0) * scale, (numbers[2] ?? 0) * scale, numbers[3] ?? 1];
    };
    const over = ([r, g, b, a]: Color, [x, y, z]: Color): Color => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
    const light = ([r, g, b]: Color): number => {
      const [x = 0, y = 0, z = 0] = [r, g, b].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element: Element): Color => {
      const layers: Color[] = [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
      return layers.reduceRight<Color>((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const faded = (element: Element): boolean => element.closest(':disabled, [aria-disabled="true"], .not-run, .outbox') !== null;
    return [...document.querySelectorAll(selector)]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '') && element.checkVisibility() && !faded(element) && element.closest('.spoken') === null)
      .map((element) => {
        const background = behind(element);
        const [a, b] = [light(over(parse(getComputedStyle(element).color), background)), light(background)];
        return { text: (element.textContent ?? '').slice(0, 40), ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
      })
      .filter(({ ratio }) => ratio < limit);
  }, { selector, limit });
}
