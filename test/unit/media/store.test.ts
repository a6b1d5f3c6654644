import assert from 'node:assert/strict';
import { PanelStore, type StoreChange } from '../../../media/chat/store.ts';
import type { FromPanel, ToPanel } from '../../../src/protocol/panel.ts';
import { SessionScript } from '../../support/panelHarness/script.ts';
import { change, chrome } from '../../support/panelHarness/states.ts';

function opened(script = new SessionScript()) {
  const posted: FromPanel[] = [];
  const changes: StoreChange[] = [];
  const store = new PanelStore((message) => posted.push(message));
  store.onChange((entry) => changes.push(entry));
  script.take();
  store.receive({ type: 'state', state: script.state() });
  const play = (generation = 1): void => store.receive({ type: 'events', generation, events: script.take() });
  return { store, script, posted, changes, play };
}

describe('the store of the chat page', () => {
  it('becomes what the gateway has, event by event', () => {
    const { store, script, play } = opened();
    const turn = script.start('hello');
    const item = script.item(turn, { kind: 'agent_message' });
    script.delta(item, 'one ');
    script.delta(item, 'two');
    script.endTurn(turn);
    play();
    assert.deepEqual(store.state?.view, script.view);
  });

  it('drops what is there already, and events of a page that was replaced', () => {
    const { store, script, posted, play } = opened();
    script.start('hello');
    const events = script.take();
    const message: ToPanel = { type: 'events', generation: 1, events };
    store.receive(message);
    store.receive(message);
    script.start('another');
    play(7);
    assert.equal(store.state?.view?.turns.length, 1);
    assert.deepEqual(posted, []);
  });

  it('B4 asks for everything once when something is missing, and never goes on without it', () => {
    const { store, script, posted, play } = opened();
    const turn = script.start('hello');
    script.take();
    const item = script.item(turn, { kind: 'agent_message' });
    play();
    script.delta(item, 'text');
    play();
    assert.deepEqual(posted, [{ type: 'ready' }]);
    assert.equal(store.state?.view?.items.length, 0);
    store.receive({ type: 'state', state: script.state({ generation: 2 }) });
    assert.deepEqual(store.state?.view, script.view);
    script.delta(item, ' more');
    play(2);
    assert.deepEqual(store.state?.view, script.view);
  });

  it('puts earlier pages before what it has', () => {
    const late = new SessionScript({}, 50);
    late.start('late');
    late.view.earlier = 51;
    const { store } = opened(late);
    const early = new SessionScript();
    early.endTurn(early.start('early'));
    const { turns, items, approvals } = early.view;
    store.update({ loadingEarlier: true });
    store.receive({ type: 'history', generation: 1, page: { turns, items, approvals, earlier: null } });
    store.receive({ type: 'history', generation: 1, page: { turns, items, approvals, earlier: null } });
    assert.deepEqual(store.state?.view?.turns.map(({ text }) => text), ['early', 'late']);
    assert.equal(store.state.view.earlier, null);
    assert.equal(store.page.loadingEarlier, false);
  });

  it('takes a long turn in pieces, and keeps what of it still grows', () => {
    const script = new SessionScript();
    const turn = script.start('long');
    const open = script.item(turn, { kind: 'thought' });
    const [first, second] = [script.item(turn, { kind: 'agent_message' }), script.item(turn, { kind: 'agent_message' })];
    const all = [...script.view.items];
    const { store, play } = opened(script);
    store.receive({ type: 'state', state: script.state({ generation: 2, view: { ...structuredClone(script.view), items: [open, second], earlier: 1, earlierItem: second.idx } }) });
    script.delta(open, 'grown');
    play(2);
    const grown = script.view.items.find(({ itemId }) => itemId === open.itemId);
    assert.equal(grown?.text, 'grown');
    store.receive({ type: 'history', generation: 2, page: { turns: [turn], items: all.filter(({ idx }) => idx < second.idx), approvals: [], earlier: null } });
    const view = store.state?.view;
    assert.deepEqual(view?.items.map(({ itemId }) => itemId), all.map(({ itemId }) => itemId));
    assert.equal(view.items.find(({ itemId }) => itemId === open.itemId)?.text, grown?.text);
    assert.deepEqual([view.turns.length, view.items.some(({ itemId }) => itemId === first.itemId), view.earlier, 'earlierItem' in view], [1, true, null, false]);
  });

  it('lets the buttons rest until the answer is known or has failed', () => {
    const { store, script, play } = opened();
    const item = script.item(script.start('x'), { kind: 'edit', mode: 'hosted', change: change() });
    const approval = script.ask(item, { kind: 'edit', mode: 'hosted', changes: [change()] });
    play();
    const deciding = new Map([[approval.approvalId as string, 'once']]);
    store.update({ deciding });
    store.receive({ type: 'decideFailed', approvalId: approval.approvalId });
    assert.equal(store.page.deciding.size, 0);
    store.update({ deciding });
    script.settle(approval, 'approved');
    play();
    assert.equal(store.page.deciding.size, 0);
  });

  it('keeps its own marks when the same conversation comes again, and none when another does', () => {
    const { store, script } = opened();
    store.update({ toast: { message: 'late', next: '' } });
    store.receive({ type: 'state', state: script.state({ generation: 2 }) });
    assert.equal(store.page.toast?.message, 'late');
    store.receive({ type: 'state', state: script.state({ generation: 3, conversation: 'another' }) });
    assert.equal(store.page.toast, null);
  });

  it('takes the whole text of an item, but never an older one', () => {
    const { store, script, play } = opened();
    const item = script.done(script.start('x'), { kind: 'agent_message' }, 'head', { textLength: 8 });
    play();
    store.receive({ type: 'item', generation: 1, item: { ...item, text: 'headtail' } });
    assert.equal(store.state?.view?.items.at(-1)?.text, 'headtail');
    store.receive({ type: 'item', generation: 1, item: { ...item, rev: 0, text: 'old' } });
    assert.equal(store.state.view.items.at(-1)?.text, 'headtail');
  });

  it('takes new surroundings without touching the session', () => {
    const { store } = opened();
    const before = store.state?.view;
    store.receive({ type: 'chrome', chrome: chrome({ trusted: false }) });
    assert.equal(store.state?.chrome.trusted, false);
    assert.equal(store.state.view, before);
  });
});
