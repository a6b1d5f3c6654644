import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dataRootPaths } from '../../../src/connector/dataRoot.ts';
import { OpenCloseRounds } from '../../soak/openClose.ts';
import { HostStory } from '../support/hostStory.ts';
import { isAlive } from '../../support/processes.ts';

const ROUNDS = 10;

describe('agents that come and go', () => {
  let story: HostStory;
  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  it(`B8 ${String(ROUNDS)} sessions opened and closed: no child process is left, and other processes live`, async () => {
    const rounds = new OpenCloseRounds(story);
    while (rounds.tally.rounds < ROUNDS) await rounds.play();
    assert.deepEqual(rounds.tally, { rounds: ROUNDS, processes: 3 * ROUNDS });
  }).timeout(120_000);

  it('B8 a foreign process with the number that a dead gateway has left in its descriptor is not signalled', async () => {
    const { gateway } = story;
    const foreign = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
    try {
      await once(foreign, 'spawn');
      const left = gateway.descriptor;
      await gateway.kill9();
      fs.writeFileSync(dataRootPaths(gateway.dataRoot).descriptor, JSON.stringify({ ...left, pid: foreign.pid }));
      await gateway.restart();
      assert.notEqual(gateway.pid, foreign.pid);
      assert.deepEqual([isAlive(foreign.pid!), foreign.signalCode], [true, null]);
    } finally {
      foreign.kill('SIGKILL');
    }
  });
});
