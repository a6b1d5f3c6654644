import assert from 'node:assert/strict';
import { gatewayCalls } from '../../src/client/gatewayClient.ts';
import { sessionMirror } from '../../src/client/sessionMirror.ts';
import type { SessionEvent } from '../../src/protocol/subscription/events.ts';
import { bundleGateway } from '../support/gatewayBundle.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { randomFrom } from '../support/soak.ts';
import { Consent } from '../support/story/consent.ts';
import { submit, TestHost } from '../support/testHost.ts';
import { DecideRounds } from '../soak/decide.ts';
import { ReloadRounds } from '../soak/reload.ts';
import { RetireRounds } from '../soak/retire.ts';

describe('what several clients do at once', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start({ main: await bundleGateway('test/support/gatewayMain.ts') });
  });
  after(() => gateway.stop());

  it('B1 a window that reloads at random instants between a request and its answer shows the prompt each time, once', async () => {
    const rounds = new ReloadRounds(gateway, randomFrom(1));
    const consent = await Consent.start(gateway);
    for (let round = 0; round < 25; round++) await rounds.play(consent);
    consent.end();
    assert.ok(rounds.tally.lives > 75 && rounds.tally.sightings > 25, JSON.stringify(rounds.tally));
  }).timeout(60_000);

  it('B2 B3 R9 two answers at once, over cut links, killed gateways and cancels: one counts, all see by whom, nothing begins without it', async () => {
    const rounds = new DecideRounds(gateway, randomFrom(1));
    const consent = await Consent.start(gateway);
    for (let round = 0; round < 30; round++) await rounds.play(consent, round);
    consent.end();
    const { allowed, ...kinds } = rounds.tally;
    assert.ok(allowed > 0 && Object.values(kinds).every((count) => count > 1), JSON.stringify(rounds.tally));
  }).timeout(90_000);

  it('B13 retiring a goal against submit, claim and resume: no turn is admitted after the retirement', async () => {
    const rounds = new RetireRounds(gateway, randomFrom(1));
    for (let round = 0; round < 40; round++) await rounds.play();
    assert.ok(Object.values(rounds.tally).every((count) => count > 0), JSON.stringify(rounds.tally));
  }).timeout(60_000);

  it('B11 two windows submit at once, 100 times: one linear history on both', async () => {
    const folder = gateway.folder('two windows');
    const [host, ...windows] = await Promise.all([gateway.client({ folders: [folder] }), gateway.client({ folders: [folder] }), gateway.client({ folders: [folder] })]);
    const executor = await TestHost.start(host, { workspace: folder });
    const histories = await Promise.all(windows.map(async (window) => {
      const mirror = sessionMirror(gatewayCalls(window.peer), executor.sessionId);
      const history: SessionEvent[] = [];
      mirror.onEvents((events) => history.push(...structuredClone([...events])));
      await mirror.connect();
      return { mirror, history };
    }));
    for (let round = 0; round < 100; round++) {
      await Promise.all(windows.map((window, at) => submit(window, executor.sessionId, `${round} of window ${at}`)));
      for (let turns = 0; turns < windows.length; turns++) {
        await executor.claim();
        await executor.complete(`answer to ${executor.turn?.text}`);
      }
    }
    const { snapshot } = await host.call('session/get', { sessionId: executor.sessionId });
    for (const { mirror } of histories) await eventually('it has seen all', () => mirror.view?.head === snapshot.head);
    const [one, other] = histories;
    assert.deepEqual(one?.history, other?.history);
    const turns = one?.history.flatMap((event) => (event.type === 'turn.ended' ? [event.turn] : [])) ?? [];
    assert.deepEqual(turns.map(({ turnIdx }) => turnIdx), Array.from({ length: 200 }, (_, at) => at + 1));
    for (let round = 0; round < 100; round++) assert.deepEqual(turns.slice(2 * round, 2 * round + 2).map(({ text }) => text).sort(), [`${round} of window 0`, `${round} of window 1`]);
    for (const { mirror } of histories) mirror.dispose();
  }).timeout(60_000);
});
