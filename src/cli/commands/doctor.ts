import { dataRootPaths } from '../../connector/dataRoot.ts';
import type { Command } from '../command.ts';
import { dataFindings } from '../doctor/dataFindings.ts';
import { fine, wrong, type Finding } from '../doctor/finding.ts';
import { gatewayFindings } from '../doctor/gatewayFindings.ts';
import { EXIT } from '../failure.ts';
import { bad, bold, dim, good, type Line } from '../output/spans.ts';
import { displayWidth, padded } from '../output/width.ts';

const OLDEST_NODE = 20;

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary: 'Look at everything the gateway needs, also when none runs, and say what to do',
  about: ['Starts nothing and writes nothing. Exit 1 when something needs attention.'],
  options: {},
  examples: ['attache doctor', 'attache doctor --json | jq ".findings[] | select(.ok | not)"'],
  access: 'read',
  run: async (context) => {
    const paths = dataRootPaths(context.dataRoot);
    const findings = [nodeFinding(), ...dataFindings(paths), ...(await gatewayFindings(context, paths))];
    const faults = findings.filter(({ ok }) => !ok).length;
    await context.output.answer({ ok: faults === 0, dataRoot: context.dataRoot, findings }, () => [
      ...findingLines(findings),
      [],
      faults === 0 ? [good('Everything is in order.')] : [bold(`${faults} ${faults === 1 ? 'thing needs' : 'things need'} attention.`)],
    ]);
    return faults === 0 ? EXIT.ok : EXIT.failed;
  },
};

function nodeFinding(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= OLDEST_NODE ? fine('Node', process.version) : wrong('Node', `${process.version} is too old`, `Use Node ${OLDEST_NODE} or newer.`);
}

function findingLines(findings: readonly Finding[]): Line[] {
  const width = Math.max(...findings.map(({ name }) => displayWidth(name))) + 2;
  return findings.flatMap(({ name, ok, detail, next }): Line[] => [
    [ok ? good('✓ ') : bad('✗ '), padded(name, width), ok ? dim(detail) : detail],
    ...(next === undefined ? [] : [[' '.repeat(width + 2), bold(next)] satisfies Line]),
  ]);
}
