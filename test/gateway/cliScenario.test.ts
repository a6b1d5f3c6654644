import assert from 'node:assert/strict';
import { CliRun } from '../support/cliRun.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { plainScenarioClient, playScenario, type ScenarioClient, type ScenarioRecord } from '../support/scenario.ts';

/** The command line as a person's script would use it. */
function cliClient(dataRoot: string, cwd: string): ScenarioClient {
  const run = async (...args: string[]): Promise<unknown> => {
    const cli = new CliRun(args, { dataRoot, cwd });
    if ((await cli.done) === 0) return JSON.parse(cli.stdout) as unknown;
    const { error } = JSON.parse(cli.stderr) as { error: { kind: string } };
    // It says in its own words that there is nothing to stop.
    return { refused: error.kind === 'nothing_running' ? 'turn_not_active' : error.kind };
  };
  const comment = (text: string | null): string[] => (text === null ? [] : ['--comment', text]);
  return {
    createGoal: (workspace, goal, title) => run('goal', 'new', title, '--goal', goal, '-C', workspace),
    send: (sessionId, text, clientTurnId) => run('send', sessionId, text, '--key', clientTurnId),
    decide: ({ approvalId }, answer, text) => run(answer === 'yes' ? 'approve' : 'reject', approvalId, '--yes', ...comment(text)),
    stop: (sessionId) => run('stop', sessionId),
    rename: (sessionId, title) => run('rename', sessionId, title),
    close: (sessionId) => run('close', sessionId),
    retireGoal: (_workspace, goal) => run('goal', 'retire', goal, '--yes'),
  };
}

describe('B17 one scenario over several kinds of client', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());

  async function play(name: string, client: (workspace: string) => Promise<ScenarioClient>): Promise<ScenarioRecord> {
    const workspace = gateway.folder(name);
    const [editor, witness] = [await gateway.client({ folders: [workspace] }), await gateway.client({ folders: [workspace] })];
    return playScenario({ client: await client(workspace), editor, witness, workspace });
  }
  const plain = (kind: 'editor' | 'cli' | 'lsp'): Promise<ScenarioRecord> =>
    play(`plain-${kind}`, async (workspace) => plainScenarioClient(await gateway.client({ kind, folders: [workspace] })));

  it('is the same for the editor and for the command line: results and events', async () => {
    const measure = await plain('editor');
    assert.ok(measure.events.length > 20);
    assert.deepEqual(await play('cli', (workspace) => Promise.resolve(cliClient(gateway.dataRoot, workspace))), measure);
  });

  it('is the same for each kind that speaks the protocol itself', async () => {
    assert.deepEqual(await plain('cli'), await plain('lsp'));
  });
});
