// Measures the built product against baselines of the same run and says which targets hold; ends non-zero when one does not.
//   node scripts/bench.ts [row]... [--json file] [--long] [--small]
// A row is a file of test/bench that exports `row` (see test/bench/support/benchRow.ts), and a place in the table here.
import { build } from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { row as p1 } from '../test/bench/p1.ts';
import { row as p2 } from '../test/bench/p2.ts';
import { row as p3 } from '../test/bench/p3.ts';
import { row as p4 } from '../test/bench/p4.ts';
import { row as p5 } from '../test/bench/p5.ts';
import { row as p6 } from '../test/bench/p6.ts';
import { row as p7 } from '../test/bench/p7.ts';
import { row as p8 } from '../test/bench/p8.ts';
import { row as p9 } from '../test/bench/p9.ts';
import { row as p10 } from '../test/bench/p10.ts';
import { row as p11 } from '../test/bench/p11.ts';
import { row as p12 } from '../test/bench/p12.ts';
import { row as p13 } from '../test/bench/p13.ts';
import type { BenchRow, Figure } from '../test/bench/support/benchRow.ts';

const root = path.resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' }, long: { type: 'boolean' }, small: { type: 'boolean' } } });

/** A file of test/bench each. */
const rows: readonly BenchRow[] = [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13];

function chosen(): readonly BenchRow[] {
  const unknown = positionals.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')} (there are: ${rows.map(({ id }) => id).join(', ')})`);
  return positionals.length === 0 ? rows : rows.filter(({ id }) => positionals.includes(id));
}

/** The gateway as it ships, apart from dist/ so that a build for work on it is left alone. */
async function buildProduct(): Promise<void> {
  await build({
    absWorkingDir: root, entryPoints: { gateway: 'src/gateway/main.ts' }, outdir: 'dist-test/bench', bundle: true, minify: true, logLevel: 'warning',
    platform: 'node', format: 'cjs', target: 'node22', outExtension: { '.js': '.cjs' }, external: ['node:sqlite'],
    define: { 'navigator': 'undefined', 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  });
}

const number = (value: number): string => (Number.isInteger(value) ? String(value) : value.toPrecision(3));

function line({ name, ours, baseline, unit, against, target, ok }: Figure): string {
  const ratio = baseline === null ? '' : `, ${number(ours / baseline)}x of ${number(baseline)} ${unit} (${against})`;
  return `  ${ok ? 'holds' : 'FAILS'}  ${name}: ${number(ours)} ${unit}${ratio}; target ${target}`;
}

await buildProduct();
const results: Record<string, readonly Figure[]> = {};
for (const { id, about, run } of chosen()) {
  console.log(`${id}  ${about}`);
  results[id] = await run();
  for (const figure of results[id]) console.log(line(figure));
}
if (values.json !== undefined) {
  const entries = Object.entries(results).map(([id, figures]) => ({ id, figures: figures.map((figure) => ({ ...figure, ratio: figure.baseline === null ? null : figure.ours / figure.baseline })) }));
  fs.writeFileSync(values.json, JSON.stringify({ at: new Date().toISOString(), node: process.versions.node, rows: entries }, null, 2));
}
process.exitCode = Object.values(results).flat().every(({ ok }) => ok) ? 0 : 1;
