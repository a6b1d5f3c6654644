import assert from 'node:assert/strict';
import fs from 'node:fs';
import { connectOnly, type GatewayConnection } from '../../src/connector/connect.ts';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { GATEWAY_EXIT } from '../../src/connector/exitCodes.ts';
import { spawnGateway, type StartedGateway } from '../../src/connector/spawnGateway.ts';
import { clientId } from '../../src/protocol/ids.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import { figuresLine, type SoakFigures, type SoakOptions } from '../support/soak.ts';

export const about = 'R11: two gateways start at once on what a killed one left (socket, lock, descriptor); one serves, and how soon';
export const defaultRuns = 200;

/** Kills the gateway of a data root, and lets two processes race for its place. */
export class TakeOverRounds {
  readonly #harness: GatewayHarness;
  readonly #main: string;
  readonly milliseconds: number[] = [];

  constructor(harness: GatewayHarness, main: string) {
    this.#harness = harness;
    this.#main = main;
  }

  async play(): Promise<void> {
    const before = this.#harness.descriptor;
    await this.#harness.kill9();
    const { lock, descriptor } = dataRootPaths(this.#harness.dataRoot);
    for (const left of [lock, descriptor, before.endpoint]) assert.ok(fs.existsSync(left), `${left} was left behind`);
    const started = performance.now();
    const rivals = [this.#launch(), this.#launch()];
    const connection = await eventually('one of them answers', () => this.#connect());
    this.milliseconds.push(performance.now() - started);
    const loser = await eventually('the other one has left', () => rivals.find((each) => each.exit() !== null));
    assert.equal(loser.exit()?.code, GATEWAY_EXIT.lostRace);
    assert.deepEqual(rivals.filter((each) => each.exit() === null), rivals.filter((each) => each !== loser), 'the other one goes on');
    assert.ok(isAlive(this.#harness.pid), 'the one that lives is the one that says so');
    assert.deepEqual([connection.hello.gatewayId, connection.hello.epoch > before.epoch], [before.gatewayId, true]);
    connection.dispose();
    this.#harness.adopt(this.#harness.pid);
  }

  /** As a window does. */
  #launch(): StartedGateway {
    return spawnGateway(dataRootPaths(this.#harness.dataRoot), { command: process.execPath, args: [this.#main] });
  }

  #connect(): Promise<GatewayConnection | null> {
    return connectOnly({ dataRoot: this.#harness.dataRoot, hello: { clientId: clientId.parse('next'), kind: 'cli', workspaces: [] } }).catch(() => null);
  }
}

export async function run({ runs, report }: SoakOptions): Promise<SoakFigures> {
  const main = await bundleGateway('src/gateway/main.ts');
  const harness = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
  const rounds = new TakeOverRounds(harness, main);
  const figures = (): SoakFigures => {
    const sorted = rounds.milliseconds.toSorted((a, b) => a - b);
    const at = (part: number): number => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
    return { 'rounds': sorted.length, 'ms from the start of both to the first answer (median)': at(0.5), 'ms (95 %)': at(0.95) };
  };
  try {
    while (rounds.milliseconds.length < runs) {
      await rounds.play();
      if (rounds.milliseconds.length % 50 === 0) report(figuresLine(figures()));
    }
    return figures();
  } finally {
    await harness.stop();
  }
}
