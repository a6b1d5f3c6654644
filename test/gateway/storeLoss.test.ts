import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Store } from '../../src/gateway/store/store.ts';
import { CliRun } from '../support/cliRun.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { createGoal } from '../support/testHost.ts';

describe('a damaged store, on the command line', () => {
  let gateway: GatewayHarness;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());

  it('status and doctor say what was lost and where the damaged files are, and doctor says that much without a gateway', async () => {
    const folder = gateway.folder();
    const cli = (...args: string[]): CliRun => new CliRun(args, { dataRoot: gateway.dataRoot, cwd: folder, terminal: true, columns: 400 });
    const before = cli('status');
    assert.equal(await before.done, 0);
    assert.doesNotMatch(before.stdout, /damaged/);
    await createGoal(await gateway.client(), folder);
    await gateway.kill9();
    const file = path.join(gateway.dataRoot, 'store.db');
    // Moves its log into the file.
    const store = new Store({ path: file });
    const page = store.get<{ pageno: number }>(`SELECT pageno FROM dbstat WHERE name = 'receipts' AND pagetype = 'leaf' LIMIT 1`)?.pageno ?? 0;
    store.close();
    const bytes = fs.readFileSync(file);
    bytes[page * 4096 - 100]! ^= 1;
    fs.writeFileSync(file, bytes);
    await gateway.restart();
    const [name = ''] = fs.readdirSync(gateway.dataRoot).filter((entry) => entry.startsWith('store-damaged-'));
    const kept = path.join(gateway.dataRoot, name);
    const status = cli('status');
    assert.equal(await status.done, 0, 'work goes on');
    assert.match(status.stdout, /The store was damaged and was repaired on \d{4}-\d\d-\d\d \(1 of the \d+ pages of its file are not what was written\)\. What could not be read is lost/);
    assert.ok(status.stdout.includes(`The damaged files are kept in ${kept}.`));
    const doctor = cli('doctor');
    assert.equal(await doctor.done, 1);
    assert.match(doctor.stdout, /✗ Gateway store content +The store was damaged/);
    assert.ok(doctor.stdout.includes(`remove ${kept} and restart the gateway`));
    await gateway.kill9();
    const alone = cli('doctor');
    assert.equal(await alone.done, 1);
    assert.ok(alone.stdout.includes(`is kept in ${kept}`));
    fs.rmSync(kept, { recursive: true });
    await gateway.restart();
    assert.equal(await cli('doctor').done, 0);
  });
});
