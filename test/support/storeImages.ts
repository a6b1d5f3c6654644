import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import { createCore } from '../../src/gateway/createCore.ts';
import type { GatewayCore, Principal } from '../../src/gateway/core.ts';
import { Store } from '../../src/gateway/store/store.ts';
import { AttacheError } from '../../src/protocol/errors.ts';
import { methods, type MethodName } from '../../src/protocol/methods.ts';
import { sessionSnapshot } from '../../src/protocol/subscription/state.ts';
import { CoreHarness, WORKSPACE } from '../unit/gateway/support/coreHarness.ts';
import { fill } from '../unit/gateway/support/fillStore.ts';
import { FakeClock } from './fakeClock.ts';

const NAME = 'store.db';
const PARTS = ['', '-wal', '-sums', '-shm', '-marker'] as const;
type Part = (typeof PARTS)[number];
/** The files of a store, by the end of their names. */
export type Image = Readonly<Partial<Record<Part, Buffer>>>;

const KINDS = ['flip', 'cut', 'torn', 'zeroed', 'garbage', 'empty', 'missing'] as const;
export type DamageKind = (typeof KINDS)[number];

/** What may become of a damaged store, and nothing else. */
export type Ending = 'opened' | 'recovered' | 'store_unreadable' | 'gateway_outdated';

const hash = (rows: unknown): string => JSON.stringify(rows);

/** Real stores in the state after every commit, and what becomes of them when their files are damaged. */
export class StoreImages {
  readonly #folder: string;
  readonly #random: () => number;
  /** Every state that was ever committed, as all rows of it. */
  readonly #states = new Set<string>();
  readonly #images: Image[] = [];
  readonly endings = new Map<string, number>();

  constructor(folder: string, random: () => number) {
    this.#folder = folder;
    this.#random = random;
  }

  /** Runs the story once and keeps the files as a kill at some of its commits leaves them, and as a clean end does. */
  async prepare(): Promise<void> {
    const folder = path.join(this.#folder, 'source');
    fs.mkdirSync(folder);
    const gw = new CoreHarness(path.join(folder, NAME));
    this.#states.add(hash(gw.dump()));
    gw.observe = ({ kind }) => {
      if (kind !== 'committed') return;
      this.#states.add(hash(gw.dump()));
      if (gw.store.commits % 7 === 0) this.#images.push(read(folder));
      if (gw.store.commits % 17 === 0) gw.store.checkpoint('PASSIVE');
    };
    await fill(gw);
    this.#states.add(hash(gw.dump()));
    this.#images.push(read(folder));
    gw.close();
    this.#images.push(read(folder));
    assert.ok(this.#images.length > 8 && this.#images.some((image) => image['-wal'] !== undefined && image['-sums'] !== undefined));
  }

  /** Damages one image at random, opens it, and proves that nothing wrong is said to be right. */
  async play(): Promise<Ending> {
    const image = this.#images[this.#below(this.#images.length)]!;
    const kind = KINDS[this.#below(KINDS.length)]!;
    const parts = (['', '-wal', '-sums'] as const).filter((name) => (image[name]?.length ?? 0) > 0);
    const part = parts[this.#below(parts.length)]!;
    return this.look(this.#damage(image, part, kind), `${kind}${part}`);
  }

  /** Opens an image and proves what R3 asks for. */
  async look(image: Image, what: string): Promise<Ending> {
    const folder = fs.mkdtempSync(path.join(this.#folder, 'image-'));
    write(folder, image);
    let ending: Ending;
    try {
      ending = await this.#open(folder, image);
    } catch (error) {
      throw new Error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}; its files are in ${folder}`, { cause: error });
    }
    fs.rmSync(folder, { recursive: true });
    const key = `${what} ${ending}`;
    this.endings.set(key, (this.endings.get(key) ?? 0) + 1);
    return ending;
  }

  async #open(folder: string, image: Image): Promise<Ending> {
    let store: Store;
    try {
      store = new Store({ path: path.join(folder, NAME) });
    } catch (error) {
      assert.ok(error instanceof AttacheError, `a refusal has a name, not ${String(error)}`);
      assert.ok(error.kind === 'store_unreadable' || error.kind === 'gateway_outdated', error.kind);
      assert.deepEqual(withoutShm(read(folder)), withoutShm(image), 'what is refused is left as it was');
      assert.ok(!fs.readdirSync(folder).some((name) => name.startsWith('store-damaged')));
      return error.kind;
    }
    try {
      const { outcome } = store;
      if (outcome.kind === 'recovered') assertKept(path.join(folder, outcome.keptIn), image);
      else assert.ok(this.#states.has(hash(dump(store))), `said to be ${outcome.kind}, and is no state that ever was`);
      await readEverything(store);
      return outcome.kind === 'recovered' ? 'recovered' : 'opened';
    } finally {
      store.close();
    }
  }

  #damage(image: Image, part: Part, kind: DamageKind): Image {
    const bytes = Buffer.from(image[part]!);
    switch (kind) {
      case 'flip':
        for (let bits = 1 + this.#below(4); bits > 0; bits--) bytes[this.#below(bytes.length)]! ^= 1 << this.#below(8);
        return { ...image, [part]: bytes };
      case 'cut':
        return { ...image, [part]: bytes.subarray(0, this.#below(bytes.length)) };
      case 'torn':
        return { ...image, [part]: this.#torn(bytes, part) };
      case 'zeroed':
        return { ...image, [part]: this.#over(bytes, () => 0) };
      case 'garbage':
        return { ...image, [part]: this.#over(bytes, () => this.#below(256)) };
      case 'empty':
        return { ...image, [part]: Buffer.alloc(0) };
      case 'missing': {
        const { [part]: _, ...rest } = image;
        return rest;
      }
    }
  }

  /** Some blocks are still what they were at another time. */
  #torn(bytes: Buffer, part: Part): Buffer {
    const other = this.#images[this.#below(this.#images.length)]![part] ?? Buffer.alloc(0);
    const block = 512 * (1 + this.#below(16));
    for (let at = 0; at < bytes.length; at += block) if (at < other.length && this.#random() < 0.3) other.copy(bytes, at, at, Math.min(at + block, other.length));
    return bytes;
  }

  #over(bytes: Buffer, value: () => number): Buffer {
    const from = this.#below(bytes.length);
    const to = Math.min(bytes.length, from + 1 + this.#below(8192));
    for (let at = from; at < to; at++) bytes[at] = value();
    return bytes;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function read(folder: string): Image {
  return Object.fromEntries(PARTS.map((part) => [part, path.join(folder, `${NAME}${part}`)] as const).filter(([, file]) => fs.existsSync(file)).map(([part, file]) => [part, fs.readFileSync(file)]));
}

/** The shared memory is SQLite's own business, made anew at each start. */
function withoutShm(image: Image): Image {
  const { '-shm': _, ...rest } = image;
  return rest;
}

function write(folder: string, image: Image): void {
  for (const [part, bytes] of Object.entries(withoutShm(image))) fs.writeFileSync(path.join(folder, `${NAME}${part}`), bytes);
}

function assertKept(folder: string, image: Image): void {
  for (const part of ['', '-wal', '-sums'] as const) {
    const file = path.join(folder, `${NAME}${part}`);
    if (image[part] !== undefined) assert.ok(fs.readFileSync(file).equals(image[part]), `${part} is kept as it was`);
    else assert.ok(!fs.existsSync(file) || fs.statSync(file).size === 0, `there was no ${part} to keep`);
  }
}

function dump(store: Store): Record<string, string[]> {
  const tables = store.all<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`);
  return Object.fromEntries(tables.map(({ name }) => [name, store.all<object>(`SELECT * FROM ${name}`).map((row) => JSON.stringify(row)).sort()]));
}

/** A client that may see everything asks for everything: each answer fits its contract. */
async function readEverything(store: Store): Promise<void> {
  const core = createCore({ store, clock: new FakeClock(), logger: silentLogger });
  const reader: Principal = { connectionId: 'c', clientId: 'reader', windowId: 'reader', kind: 'cli', workspaces: [{ path: WORKSPACE, trusted: true }] };
  try {
    const { sessions } = (await ask(core, reader, 'session/list', { workspace: WORKSPACE, includeClosed: true })) as { sessions: { sessionId: string }[] };
    for (const { sessionId } of sessions) {
      const found = core.snapshot(reader, { session: sessionId as never });
      assert.ok('session' in found);
      sessionSnapshot.parse(found.session);
      const { turns } = (await ask(core, reader, 'turn/list', { sessionId })) as { turns: { turnId: string }[] };
      for (const { turnId } of turns) await ask(core, reader, 'turn/replay', { turnId }).catch(unlessEmpty(store));
    }
    await ask(core, reader, 'goal/list', { workspace: WORKSPACE });
    await ask(core, reader, 'approval/list', { workspace: WORKSPACE });
  } finally {
    core.dispose();
  }
}

/** A turn that lost every item has nothing to replay. */
function unlessEmpty({ outcome }: Store): (error: unknown) => void {
  return (error) => {
    if (outcome.kind !== 'recovered' || !(error instanceof AttacheError) || error.kind !== 'not_found') throw error;
  };
}

async function ask(core: GatewayCore, reader: Principal, method: MethodName, params: object): Promise<unknown> {
  const result: unknown = await core.handle(reader, method as 'session/list', params as never, new AbortController().signal);
  methods[method].result.parse(result);
  return result;
}
