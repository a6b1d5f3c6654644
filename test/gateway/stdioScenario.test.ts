import assert from 'node:assert/strict';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { Pump } from '../support/lspClient.ts';
import { plainScenarioClient, playScenario, type ScenarioRecord } from '../support/scenario.ts';
import { TestClient } from '../support/testClient.ts';

type Over = 'socket' | 'pump';

describe('B17 one scenario over two transports', () => {
  let gateway: GatewayHarness;
  const pumped: TestClient[] = [];
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  afterEach(() => pumped.splice(0).forEach((client) => client.close()));
  after(() => gateway.stop());

  async function client(over: Over, workspace: string): Promise<TestClient> {
    if (over === 'socket') return gateway.client({ folders: [workspace] });
    const made = await TestClient.overPump(new Pump(gateway.dataRoot, ['--workspace', workspace, '--trust']));
    pumped.push(made);
    return made;
  }

  async function played(person: Over, witness: Over): Promise<ScenarioRecord> {
    const workspace = gateway.folder(`${person}-${witness}`);
    const [acting, editor, watching] = [await client(person, workspace), await client('socket', workspace), await client(witness, workspace)];
    return playScenario({ client: plainScenarioClient(acting), editor, witness: watching, workspace });
  }

  it('gives the same results and the same sequence of events, whoever is behind the pump: the person, the witness, or both', async () => {
    const measure = await played('socket', 'socket');
    assert.ok(measure.events.length > 20);
    assert.ok(measure.results.length > 10);
    assert.deepEqual(await played('pump', 'socket'), measure);
    assert.deepEqual(await played('socket', 'pump'), measure);
    assert.deepEqual(await played('pump', 'pump'), measure);
  });
});
