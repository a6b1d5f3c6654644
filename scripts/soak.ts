// Long runs that look for rare faults. Without a name it lists them; ends non-zero when one finds something.
//   node scripts/soak.ts [<name>|all] [count] [seed]
import * as commands from '../test/soak/commands.ts';
import * as cursors from '../test/soak/cursors.ts';
import * as decide from '../test/soak/decide.ts';
import * as hostile from '../test/soak/hostile.ts';
import * as kill from '../test/soak/kill.ts';
import * as model from '../test/soak/model.ts';
import * as openClose from '../test/soak/openClose.ts';
import * as reload from '../test/soak/reload.ts';
import * as retire from '../test/soak/retire.ts';
import * as slow from '../test/soak/slow.ts';
import * as space from '../test/soak/space.ts';
import * as store from '../test/soak/store.ts';
import * as takeOver from '../test/soak/takeOver.ts';
import { figuresLine, type Soak } from '../test/support/soak.ts';

/** A file of test/soak each, by its name. */
const soaks: Readonly<Record<string, Soak>> = {
  commands,
  cursors,
  decide,
  hostile,
  kill,
  model,
  openClose,
  reload,
  retire,
  slow,
  space,
  store,
  takeOver,
};

const [name, count, seedText] = process.argv.slice(2);

async function soak(each: string, { run, defaultRuns }: Soak): Promise<boolean> {
  const runs = Number(count ?? defaultRuns);
  const seed = Number(seedText ?? Date.now() % 2 ** 31);
  if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) throw new Error('count and seed are whole numbers');
  const started = performance.now();
  const say = (line: string): void => console.log(`${each}: ${line} (${Math.round((performance.now() - started) / 1000)} s)`);
  say(`${runs}, seed ${seed}`);
  try {
    say(`nothing found: ${figuresLine(await run({ runs, seed, report: say }))}`);
    return true;
  } catch (error) {
    console.error(error);
    say(`a violation; npm run soak -- ${each} ${runs} ${seed} plays it again`);
    return false;
  }
}

function list(): void {
  const width = Math.max(...Object.keys(soaks).map(({ length }) => length));
  for (const [each, { about, defaultRuns }] of Object.entries(soaks)) console.log(`  ${each.padEnd(width)}  ${about} (${defaultRuns})`);
  console.log('npm run soak -- <name>|all [count] [seed]');
}

const chosen = name === 'all' ? Object.entries(soaks) : Object.entries(soaks).filter(([each]) => each === name);
if (chosen.length === 0) list();
process.exitCode = name !== undefined && chosen.length === 0 ? 2 : 0;
for (const [each, its] of chosen) if (!(await soak(each, its))) process.exitCode = 1;
// Clients of a run that found something would wait for their gateway for ever.
process.exit();
