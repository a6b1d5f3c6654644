import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import tls from 'node:tls';
import { realAgent, type RealAgent } from '../agents/support/realAgents.ts';
import { directSide, hostedSide, type AgentSide, type SeenTurn } from './support/agentSides.ts';
import { atMostTimes, percentile, type BenchRow, type Figure } from './support/benchRow.ts';
import { GatewayUnderTest } from './support/gatewayUnderTest.ts';

const DELTAS = 5000;
const DELTA_CHARS = 20;
/** New agents and sessions for each, so that no conversation grows long. */
const ROUNDS = 3;
/** Of each kind of turn, in each round. */
const LONG = 5;
const SHORT = 8;
const FIRST_MS = 5;

const prompt = (deltas: number): string => `FAKE:stream ${deltas} ${DELTA_CHARS}`;

/** Turn about, so that whatever else the machine does meets both alike. */
async function alternate(sides: readonly AgentSide[], deltas: number, times: number): Promise<SeenTurn[][]> {
  const seen: SeenTurn[][] = sides.map(() => []);
  for (let n = 0; n < times; n++) {
    for (const [at, side] of sides.entries()) {
      const turn = await side.turn(prompt(deltas));
      assert.equal(turn.chars, deltas * DELTA_CHARS, 'the whole answer has been seen');
      seen[at]?.push(turn);
    }
  }
  return seen;
}

interface Round {
  readonly long: readonly SeenTurn[][];
  readonly short: readonly SeenTurn[][];
}

async function round(agent: RealAgent, gateway: GatewayUnderTest, name: string): Promise<Round> {
  const sides = [await hostedSide(agent, gateway, name), await directSide(agent, gateway.folder)];
  try {
    await alternate(sides, 1, 1);
    return { short: await alternate(sides, 1, SHORT), long: await alternate(sides, DELTAS, LONG) };
  } finally {
    for (const side of sides) await side.end();
  }
}

/** The agent reads every certificate authority anew for each turn, which takes most of its time and has no use on loopback. */
async function withOneCertificate(agent: RealAgent): Promise<RealAgent> {
  const file = path.join(agent.home, 'authority.pem');
  await writeFile(file, `${tls.rootCertificates[0] ?? ''}\n`);
  return { ...agent, env: { ...agent.env, SSL_CERT_FILE: file } };
}

async function allRounds(gateway: GatewayUnderTest): Promise<Round[]> {
  const model = spawn(process.execPath, [path.join(import.meta.dirname, 'support/modelProcess.ts')], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [modelPort] = (await once(model, 'message')) as [number];
  const agent = await withOneCertificate(await realAgent('codex', { modelPort }));
  try {
    // What runs for the first time in this process is no part of it.
    await round(agent, gateway, 'warm-up');
    const rounds: Round[] = [];
    for (let n = 0; n < ROUNDS; n++) rounds.push(await round(agent, gateway, `round-${n}`));
    return rounds;
  } finally {
    model.disconnect();
    await agent.dispose();
  }
}

/** What a person waits longer because we are in between. */
export const row: BenchRow = {
  id: 'P8',
  about: `turns of ${DELTAS} deltas of a real agent (codex) with a scripted model, through host, gateway and client and directly in turn; medians of ${ROUNDS * LONG}`,
  run: async () => {
    const gateway = await GatewayUnderTest.start();
    try {
      const rounds = await allRounds(gateway);
      const median = (side: number, kinds: readonly (keyof Round)[], pick: (turn: SeenTurn) => number): number =>
        percentile(rounds.flatMap((round) => kinds.flatMap((kind) => round[kind][side] ?? [])).map(pick), 0.5);
      const [ours, direct] = [0, 1].map((side) => median(side, ['long'], ({ totalMs }) => totalMs)) as [number, number];
      const [first, directFirst] = [0, 1].map((side) => median(side, ['short', 'long'], ({ firstMs }) => firstMs)) as [number, number];
      const firstToken: Figure = {
        name: `first token, besides what the agent itself takes for it (${median(1, ['short', 'long'], ({ agentMs }) => agentMs).toFixed(0)} ms)`, ours: first, baseline: directFirst, unit: 'ms', against: 'the agent directly', target: `<= +${FIRST_MS} ms`, ok: first - directFirst <= FIRST_MS,
      };
      return [atMostTimes(1.1, { name: 'whole turn', ours, baseline: direct, unit: 'ms', against: 'the agent directly' }), firstToken];
    } finally {
      await gateway.stop();
    }
  },
};
