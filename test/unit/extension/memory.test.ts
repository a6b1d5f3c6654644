import assert from 'node:assert/strict';
import { WindowMemory } from '../../../src/extension/memory.ts';

/** As VS Code keeps it: each window writes everything it knows, and hears later what another one wrote. */
class Shared {
  readonly windows: Copy[] = [];

  open(): Copy {
    const copy = new Copy(this);
    this.windows.push(copy);
    return copy;
  }
}

class Copy {
  values: Record<string, unknown> = {};
  readonly #shared: Shared;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  keys(): readonly string[] {
    return Object.keys(this.values);
  }

  get<T>(key: string): T | undefined;
  get<T>(key: string, fallback: T): T;
  get<T>(key: string, fallback?: T): T | undefined {
    return (this.values[key] as T | undefined) ?? fallback;
  }

  async update(key: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [key]: value };
  }

  /** What this window knows goes over what the others know. */
  publish(): void {
    for (const other of this.#shared.windows) if (other !== this) other.values = { ...this.values };
  }
}

const NO_LISTS = { read: () => null, write: () => undefined };

const hosted = (id: string) => ({ conversation: `new_${id}`, sessionId: `ses_${id}`, hostSessionId: id, agentId: 'offline', workspace: '/w' });

describe('what a window remembers, beside another one of the same workspace', () => {
  it('a draft that is being typed is not lost to what the other window writes', async () => {
    const shared = new Shared();
    const [one, two] = [shared.open(), shared.open()];
    const [first, second] = [new WindowMemory(one, NO_LISTS), new WindowMemory(two, NO_LISTS)];
    await second.setNotes('b', { draft: 'typed in the second' });
    await first.setNotes('a', { draft: 'typed in the first' });
    one.publish();
    assert.equal(second.notes('b').draft, 'typed in the second');
    await second.setNotes('c', { draft: 'more' });
    two.publish();
    assert.deepEqual(['a', 'b', 'c'].map((name) => new WindowMemory(two, NO_LISTS).notes(name).draft), ['typed in the first', 'typed in the second', 'more']);
    await first.setNotes('a', { draft: '' });
    assert.equal(first.notes('a').draft, '');
  });

  it('what is hosted, shown and unsent stays, and what was taken out does not come back', async () => {
    const shared = new Shared();
    const [one, two] = [shared.open(), shared.open()];
    const [first, second] = [new WindowMemory(one, NO_LISTS), new WindowMemory(two, NO_LISTS)];
    await second.addHosted(hosted('2'));
    await second.setShown('view', 'ses_2');
    await second.putOutbox({ conversation: 'c', clientTurnId: 't', text: 'hello', failure: null });
    await first.addHosted(hosted('1'));
    await first.setShown('view', 'ses_1');
    one.publish();
    assert.deepEqual(second.hosted.map(({ sessionId }) => sessionId), ['ses_1', 'ses_2']);
    assert.equal(second.shown('view'), 'ses_2');
    assert.deepEqual(second.outbox.map(({ text }) => text), ['hello']);
    await second.putOutbox({ conversation: 'c', clientTurnId: 't', text: 'hello', failure: 'no' });
    assert.deepEqual(second.outbox.map(({ failure }) => failure), ['no']);
    two.publish();
    await second.removeOutbox('t');
    await second.forgetHosted('ses_2');
    one.publish();
    assert.deepEqual(second.outbox, []);
    assert.deepEqual(second.hosted.map(({ sessionId }) => sessionId), ['ses_1']);
  });

  it('C27 keeps every root it ever had, the folder that was chosen for a conversation, and how lists are shown', async () => {
    const memory = new WindowMemory(new Shared().open() as never, NO_LISTS);
    assert.deepEqual([memory.roots, memory.place('new_1'), memory.flag('oneFolder')], [[], undefined, false]);
    for (const root of ['/w/demo', '/w/other', '/w/demo']) await memory.addRoot(root);
    await memory.setPlace('new_1', '/w/other');
    await memory.setFlag('oneFolder', true);
    assert.deepEqual([memory.roots, memory.place('new_1'), memory.place('new_2'), memory.flag('oneFolder'), memory.flag('putAway')], [['/w/demo', '/w/other'], '/w/other', undefined, true, false]);
    await memory.setFlag('oneFolder', false);
    assert.equal(memory.flag('oneFolder'), false);
  });
});
