import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { dataRootPaths } from '../../src/connector/dataRoot.ts';
import { isUnknownOutcome } from '../../src/client/gatewayClient.ts';
import type { Change } from '../../src/cli/follow/changes.ts';
import { CliRun } from '../support/cliRun.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import { isAlive } from '../support/processes.ts';
import { greeted } from '../support/rawClient.ts';
import { createGoal, delta, key, newCommand, startMessage, submit, TestHost } from '../support/testHost.ts';

type Line = Change | { readonly type: 'end'; readonly answer: string };

/** What the lines of a stream say, put together as a reader would. */
function told(lines: readonly Line[]): { texts: string[]; ended: string[] } {
  const texts = new Map<string, string>();
  const ended: string[] = [];
  for (const line of lines) {
    if (line.type === 'item') texts.set(line.item.itemId, texts.get(line.item.itemId) ?? '');
    if (line.type === 'text') {
      assert.equal(line.offset, line.replaces === true ? 0 : texts.get(line.itemId)?.length);
      texts.set(line.itemId, (line.replaces === true ? '' : (texts.get(line.itemId) ?? '')) + line.text);
    }
    if (line.type === 'turn.ended') ended.push(line.turn.turnId);
  }
  return { texts: [...texts.values()], ended };
}

describe('attache watch', () => {
  let gateway: GatewayHarness;
  let host: TestHost;
  const runs: CliRun[] = [];
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    const editor = await gateway.client();
    await createGoal(editor, gateway.folder());
    host = await TestHost.start(editor, { workspace: gateway.folder() });
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) {
      run.interrupt();
      await run.done;
    }
    await gateway.stop();
  });

  function start(args: readonly string[], dataRoot = gateway.dataRoot): CliRun {
    const run = new CliRun(args, { dataRoot, cwd: gateway.folder() });
    runs.push(run);
    return run;
  }

  /** Sends a report again, on a new link where the old one is gone, until it is answered. */
  async function persist(call: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        return void (await call());
      } catch (error) {
        if (!isUnknownOutcome(error)) throw error;
        await gateway.restart();
        await host.register(await gateway.client());
      }
    }
  }

  it('shows each character and each end once, while the gateway is killed, ended and restarted under it', async () => {
    const watch = start(['watch', host.sessionId]);
    const { turn } = await submit(host.client, host.sessionId, 'work');
    await host.claim();
    await host.report(startMessage('m'));
    let whole = '';
    for (let n = 0; n < 30; n++) {
      whole += `${n} `;
      await persist(() => host.report(delta('m', `${n} `)));
      if (n === 10) await gateway.kill9();
      if (n === 20) await host.client.call('gateway/shutdown', { commandId: newCommand(), ifIdle: false });
    }
    await persist(() => host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } }));
    await eventually('it shows the end', () => watch.lines<Line>().some(({ type }) => type === 'turn.ended'));
    const { texts, ended } = told(watch.lines<Line>());
    assert.deepEqual(texts, ['work', whole]);
    assert.deepEqual(ended, [turn.turnId]);
    assert.match(watch.stderr, /"lost".*\n.*"back"/);
    watch.interrupt();
    assert.equal(await watch.done, 130);
  });

  it('goes on when its own link is cut again and again, and reads what a snapshot leaves out', async () => {
    // A way to the gateway of its own, that a test cuts.
    const cutting = await CuttingDoor.open(gateway);
    const run = start(['watch', host.sessionId], cutting.dataRoot);
    await submit(host.client, host.sessionId, 'work');
    await host.claim();
    // Longer than a snapshot holds of one text, and more items than its page.
    const long = 'x'.repeat(70_000);
    await host.report(startMessage('m'), delta('m', long));
    await eventually('it follows', () => run.stdout.includes(long.slice(0, 1000)));
    for (let n = 0; n < 4; n++) {
      await eventually('it is connected', () => cutting.isUsed);
      cutting.cut();
      await host.report(delta('m', ` ${n}`), startMessage(`m${n}`, 'y'.repeat(60_000)), { op: 'item.end', itemKey: key(`m${n}`), state: 'completed' });
      for (let more = 0; more < 5; more++) await host.report(startMessage(`m${n}.${more}`, 'z'.repeat(60_000)), { op: 'item.end', itemKey: key(`m${n}.${more}`), state: 'completed' });
    }
    await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
    await eventually('it shows the end', () => run.lines<Line>().some(({ type }) => type === 'turn.ended'));
    const { texts } = told(run.lines<Line>());
    assert.deepEqual(texts.map((text) => text.length).sort((a, b) => a - b), ['work'.length, ...Array.from({ length: 24 }, () => 60_000), long.length + 8]);
    assert.ok(texts.includes(`${long} 0 1 2 3`));
    assert.equal(cutting.cuts, 4);
    cutting.close();
  });

  it('B16 goes on when the gateway is drained for a newer one', async () => {
    const watch = start(['watch', host.sessionId]);
    await submit(host.client, host.sessionId, 'before');
    await watch.shows(/"before"/);
    const { pid } = gateway;
    const newer = await greeted(gateway, { protocolVersions: [1, 2] });
    await newer.request(1, 'gateway/drain', { commandId: 'drain' });
    await gateway.advance(0).catch(() => undefined);
    await eventually('the old one has ended', () => !isAlive(pid));
    // There is no newer one here to take over: the same build does, once the mark is gone that keeps it from it.
    fs.rmSync(dataRootPaths(gateway.dataRoot).floor);
    await gateway.restart();
    await submit(await gateway.client(), host.sessionId, 'after');
    await watch.shows(/"after"/);
    assert.deepEqual(told(watch.lines<Line>()).texts, ['before', 'after']);
  });

  it('ends when the session is closed, and with its own code when it is deleted', async () => {
    const [closing, other] = [start(['watch', host.sessionId]), await TestHost.start(host.client, { workspace: gateway.folder() })];
    const deleting = start(['watch', other.sessionId]);
    await Promise.all([closing.shows(/"session"/), deleting.shows(/"session"/)]);
    await host.client.call('session/close', { commandId: newCommand(), sessionId: host.sessionId });
    assert.equal(await closing.done, 0);
    await host.client.call('session/delete', { commandId: newCommand(), sessionId: other.sessionId });
    assert.ok([0, 3].includes(await deleting.done));
  });
});

/** A data root whose endpoint leads to another's gateway, over links that are cut at will. */
class CuttingDoor {
  readonly dataRoot: string;
  cuts = 0;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  static async open(gateway: GatewayHarness): Promise<CuttingDoor> {
    const dataRoot = gateway.folder('door');
    const endpoint = path.join(dataRoot, 'door.sock');
    const door = new CuttingDoor(dataRoot, gateway.descriptor.endpoint);
    await new Promise<void>((resolve) => door.#server.listen(endpoint, resolve));
    fs.copyFileSync(dataRootPaths(gateway.dataRoot).token, dataRootPaths(dataRoot).token);
    fs.writeFileSync(dataRootPaths(dataRoot).descriptor, JSON.stringify({ ...gateway.descriptor, endpoint }));
    return door;
  }

  private constructor(dataRoot: string, to: string) {
    this.dataRoot = dataRoot;
    this.#server = net.createServer((inside) => {
      const outside = net.connect(to);
      for (const socket of [inside, outside]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => {
          inside.destroy();
          outside.destroy();
        });
      }
      inside.pipe(outside).pipe(inside);
    });
  }

  get isUsed(): boolean {
    return this.#sockets.size > 0;
  }

  cut(): void {
    this.cuts += 1;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

