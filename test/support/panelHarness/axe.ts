import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** One thing that a person who does not see, hear or point as others do would stumble over. */
export interface Finding {
  readonly rule: string;
  readonly what: string;
  /** The places, as far as they fit into a message. */
  readonly at: readonly string[];
}

const GRAVE: ReadonlySet<string> = new Set(['serious', 'critical']);
const NEVER: ReadonlySet<string> = new Set([
  // The page is a part of a window, whose own landmarks are around it.
  'region', 'landmark-one-main', 'page-has-heading-one',
]);

/** What axe-core calls serious or critical on the page as it is now, and where headings do not follow one another. `rules`: only these. */
export async function findings(page: Page, rules?: readonly string[]): Promise<Finding[]> {
  if (!await page.evaluate(() => 'axe' in globalThis)) { await page.evaluate(axe.source); }
  const violations = await page.evaluate(async (only) => {
    const engine = (globalThis as unknown as { axe: typeof axe }).axe;
    const options: axe.RunOptions = { resultTypes: ['violations'], ...(only === undefined ? {} : { runOnly: { type: 'rule', values: [...only] } }) };
    return (await engine.run(document.body, options)).violations.map(({ id, impact, help, nodes }) =>
      ({ id, impact: impact ?? '', help, at: nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary?.split('\n').at(1)?.trim().slice(0, 160) ?? ''}`) }));
  }, rules);
  return violations
    .filter(({ id, impact }) => (GRAVE.has(impact) || id === 'heading-order') && !NEVER.has(id))
    // Which levels an agent leaves out is its own affair; they stand below the turn's.
    .map((violation) => ({ ...violation, at: violation.at.filter((place) => violation.id !== 'heading-order' || !place.includes('aria-level')) }))
    .filter(({ at }) => at.length > 0)
    .map(({ id, help, at }) => ({ rule: id, what: help, at: at.slice(0, 5) }));
}
