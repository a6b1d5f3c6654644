import fs from 'node:fs';
import path from 'node:path';
import { gatewayCalls } from '../../client/gatewayClient.ts';
import { connectSocket } from '../../connector/connectSocket.ts';
import type { DataRootPaths } from '../../connector/dataRoot.ts';
import { readDescriptor } from '../../connector/descriptor.ts';
import type { StoreOutcome } from '../../protocol/gateway/commands.ts';
import { PRODUCT_VERSION } from '../../protocol/version.ts';
import type { Context } from '../context.ts';
import { CliFailure, tell } from '../failure.ts';
import { gatewayCommand } from '../gateway/gatewayCommand.ts';
import { openLink } from '../gateway/attached.ts';
import { bytes } from '../output/times.ts';
import { fine, wrong, type Finding } from './finding.ts';

/** How the gateway names the folders that it keeps damaged files in. */
const KEPT = 'store-damaged-';

type Parts = Pick<Context, 'dataRoot' | 'env'>;

/** Who answers, and what the gateway says about itself. Where nobody does: whether one could be started. */
export async function gatewayFindings(parts: Parts, paths: DataRootPaths): Promise<Finding[]> {
  const descriptor = readDescriptor(paths);
  const socket = descriptor === null ? null : await connectSocket(descriptor.endpoint);
  if (socket === null) return [fine('Gateway', descriptor === null ? 'does not run' : 'does not run; it ended without a word'), ...keptFindings(parts.dataRoot), ...lastStart(paths), starterFinding(parts)];
  socket.destroy();
  try {
    return [...(await runningFindings(parts)), starterFinding(parts)];
  } catch (error) {
    const { message, next } = tell(error);
    return [wrong('Gateway', `listens at ${descriptor?.endpoint ?? ''}, but: ${message}`, next)];
  }
}

async function runningFindings({ dataRoot }: Parts): Promise<Finding[]> {
  const { link, hello } = await openLink(dataRoot);
  try {
    const { status, checks } = await gatewayCalls(link).call('gateway/diagnostics', {});
    const same = status.version === PRODUCT_VERSION;
    return [
      fine('Gateway', `answers: version ${status.version}, protocol ${hello.protocolVersion}, process ${status.pid}, Node ${status.nodeVersion}, ${status.connections} connected, ${bytes(status.rssBytes)} of memory`),
      same ? fine('Versions', `this command line and the gateway are ${PRODUCT_VERSION}`) : fine('Versions', `this command line is ${PRODUCT_VERSION}, the gateway ${status.version}; they understand each other`),
      ...checks.map(({ name, ok, detail }) => (ok ? fine(`Gateway ${name}`, detail) : wrong(`Gateway ${name}`, detail, nextOf(name, status.storeOutcome, dataRoot)))),
    ];
  } finally {
    link.close();
  }
}

function nextOf(name: string, outcome: StoreOutcome, dataRoot: string): string {
  if (name === 'held sessions') return 'attache sessions says which; then, to try the message again that failed last: attache retry ID';
  if (name !== 'store content' || outcome.kind !== 'recovered') return 'The line says what helps; the gateway’s log has more.';
  return `When nothing of it is needed any more, remove ${path.join(dataRoot, outcome.keptIn)} and restart the gateway.`;
}

/** Where no gateway runs, the copies themselves say that something was lost. */
function keptFindings(dataRoot: string): Finding[] {
  const kept = fs.existsSync(dataRoot) ? fs.readdirSync(dataRoot).filter((name) => name.startsWith(KEPT)).sort() : [];
  return kept.map((name) => wrong('Damaged store', `was found, and is kept in ${path.join(dataRoot, name)}`, 'Start the gateway and ask again: it says what was lost. Remove the folder when nothing of it is needed any more.'));
}

/** What the last start wrote before it ended: only one that failed writes anything. */
function lastStart({ startLog }: DataRootPaths): Finding[] {
  const said = readText(startLog).trim();
  return said === '' ? [] : [wrong('Last start', said.slice(-500), 'Mend what it names, then start it again: open the Attaché chat in a window.')];
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** That this command line cannot start one is no fault: a window can. */
function starterFinding({ dataRoot, env }: Parts): Finding {
  try {
    return fine('Start', `would be started with ${gatewayCommand(dataRoot, env).command}`);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    return fine('Start', `not from here: this Node (${process.version}) has no node:sqlite. A window starts it, or a Node of 22.13 or newer named in ATTACHE_NODE`);
  }
}
