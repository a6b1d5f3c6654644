import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CaretMemory } from '../../../media/chat/caretMemory.ts';
import { LastWords } from '../../../media/chat/composer/lastWords.ts';
import { Draft, type KeptDraft } from '../../../media/chat/draft.ts';
import type { Submission } from '../../../media/chat/host.ts';
import { Outbox } from '../../../media/chat/outbox.ts';
import type { FromPanel } from '../../../src/protocol/panel.ts';
import type { ClientTurnId } from '../../../src/protocol/ids.ts';

const submission = (clientTurnId: string, conversation = 'c1'): Submission => ({ conversation, clientTurnId, text: `text of ${clientTurnId}` });
const turn = (clientTurnId: string) => ({ clientTurnId: clientTurnId as ClientTurnId });

function shelf(first: readonly Submission[] = []) {
  const kept = { now: first };
  return { kept, outbox: new Outbox({ load: () => kept.now, save: (submissions) => { kept.now = submissions; } }) };
}

describe('messages that left the composer', () => {
  it('C14 are kept until their turn is seen', () => {
    const { outbox, kept } = shelf();
    outbox.add(submission('a'));
    outbox.add(submission('b'));
    outbox.acknowledge([turn('x')]);
    assert.equal(kept.now.length, 2);
    outbox.acknowledge([turn('a')]);
    assert.deepEqual(kept.now.map(({ clientTurnId }) => clientTurnId), ['b']);
  });

  it('C14 are handed over once more after a reload, under the same id, and only where nobody holds them', () => {
    const { outbox } = shelf([submission('a'), submission('held'), submission('other', 'c2')]);
    const held = [{ clientTurnId: 'held', text: '', state: 'sending' as const, message: null }];
    assert.deepEqual(outbox.takeUnsure('c1', held).map(({ clientTurnId }) => clientTurnId), ['a']);
    assert.deepEqual(outbox.takeUnsure('c1', held), []);
    assert.deepEqual(outbox.takeUnsure('c2', []).map(({ clientTurnId }) => clientTurnId), ['other']);
    outbox.add(submission('new'));
    assert.deepEqual(outbox.takeUnsure('c1', []), []);
  });

  it('are shown once, and not beside their turn', () => {
    const { outbox } = shelf();
    outbox.add(submission('a'));
    outbox.add(submission('b'));
    outbox.add(submission('elsewhere', 'c2'));
    const failed = { clientTurnId: 'a', text: 'A', state: 'failed' as const, message: 'no link' };
    assert.deepEqual(outbox.entries('c1', [failed], []).map(({ clientTurnId, state }) => `${clientTurnId} ${state}`), ['a failed', 'b sending']);
    assert.deepEqual(outbox.entries('c1', [failed], [turn('a')]).map(({ clientTurnId }) => clientTurnId), ['b']);
  });
});

describe('the draft', () => {
  const record = (kept: KeptDraft | null = null) => {
    const posted: FromPanel[] = [];
    const shelf: KeptDraft[] = [];
    const stored: string[] = [];
    const find = (conversation: string): KeptDraft | null => (kept?.conversation === conversation ? kept : null);
    return { posted, shelf, stored, draft: new Draft((message) => posted.push(message), { find, keep: (draft) => shelf.push(draft), stored: (conversation) => stored.push(conversation) }) };
  };
  const texts = (posted: readonly FromPanel[]): string[] => posted.map((message) => (message.type === 'draft' ? `${message.conversation}: ${message.text}` : message.type));

  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 5000 }));
  afterEach(() => mock.timers.reset());

  it('C16 is told with the first key, then at most every 100 ms, the last one in any case', () => {
    const { posted, draft } = record();
    draft.show('c1', '', 0);
    draft.set('h');
    assert.deepEqual(posted, [{ type: 'draft', conversation: 'c1', text: 'h', at: 5000 }]);
    draft.set('he');
    draft.set('hey');
    assert.deepEqual(texts(posted), ['c1: h']);
    mock.timers.tick(100);
    assert.deepEqual(texts(posted), ['c1: h', 'c1: hey']);
    draft.flush();
    mock.timers.tick(1000);
    assert.equal(posted.length, 2);
  });

  it('C16 is kept by the page with every key, and taken from there when it was typed after what the extension has', () => {
    const first = record();
    first.draft.show('c1', '', 0);
    first.draft.set('h');
    first.draft.set('hi');
    const kept = first.shelf.at(-1);
    assert.deepEqual(kept, { conversation: 'c1', text: 'hi', at: 5000 });
    assert.ok(kept !== undefined);
    const again = record(kept);
    again.draft.show('c1', 'h', 4990);
    assert.equal(again.draft.text, 'hi');
    assert.deepEqual(texts(again.posted), ['c1: hi'], 'the extension hears of it');
    const newer = record(kept);
    newer.draft.show('c1', 'typed elsewhere', 5001);
    assert.equal(newer.draft.text, 'typed elsewhere');
    const other = record(kept);
    other.draft.show('c2', '', 0);
    assert.equal(other.draft.text, '');
    other.draft.show('c1', 'later', 1);
    assert.equal(other.draft.text, 'later', 'only what the page begins with can be older than it');
  });

  it('C16 what the extension has stored need not be kept any longer, what it has not is', () => {
    const { stored, draft } = record();
    draft.show('c1', '', 0);
    draft.set('h');
    mock.timers.tick(9000);
    draft.set('hi');
    mock.timers.tick(9000);
    assert.deepEqual(stored, []);
    mock.timers.tick(2000);
    assert.deepEqual(stored, ['c1']);
  });

  it('C16 the last words of each conversation are found again, and old ones swept out', () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value), removeItem: (key: string) => void kept.delete(key), key: (at: number) => [...kept.keys()][at] ?? null, get length() { return kept.size; } };
    const words = new LastWords(storage);
    kept.set('of somebody else', 'x');
    words.keep({ conversation: 'c1', text: 'one', at: 5000 });
    words.keep({ conversation: 'c2', text: 'two', at: 6000 });
    assert.deepEqual([new LastWords(storage).find('c1'), words.find('c3')], [{ conversation: 'c1', text: 'one', at: 5000 }, null]);
    words.forget('c2');
    kept.set('attache.draft.c4', '{broken');
    mock.timers.setTime(5000 + 25 * 3_600_000);
    assert.equal(new LastWords(storage).find('c1'), null);
    assert.deepEqual([...kept.keys()], ['of somebody else']);
    assert.equal(new LastWords(null).find('c1'), null);
  });

  it('C16 of one conversation never lands in the next', () => {
    const { posted, draft } = record();
    draft.show('c1', '', 0);
    draft.set('for the');
    draft.set('for the first');
    draft.show('c2', 'of the second', 0);
    assert.deepEqual(texts(posted), ['c1: for the', 'c1: for the first']);
    assert.equal(draft.text, 'of the second');
    mock.timers.tick(1000);
    assert.equal(posted.length, 2);
  });

  it('is not overwritten by an older copy of the same conversation', () => {
    const { draft } = record();
    draft.show('c1', 'old', 0);
    draft.set('being typed');
    draft.show('c1', 'old', 0);
    assert.equal(draft.text, 'being typed');
  });
});

describe('the caret', () => {
  it('C16 comes back to where it was in each conversation', () => {
    const saved: unknown[] = [];
    const memory = new CaretMemory({}, (carets) => saved.push(carets));
    memory.keep('c1', { selectionStart: 3, selectionEnd: 5 });
    const moved: unknown[] = [];
    memory.restore('c1', { setSelectionRange: (...range: unknown[]) => moved.push(range) });
    memory.restore('unknown', { setSelectionRange: (...range: unknown[]) => moved.push(range) });
    assert.deepEqual(moved, [[3, 5]]);
    assert.deepEqual(saved, [{ c1: [3, 5] }]);
  });
});
