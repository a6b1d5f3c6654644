import assert from 'node:assert/strict';
import { modeWords } from '../../../src/protocol/session/modeWords.ts';
import type { Readback } from '../../../src/protocol/session/state.ts';
import { OTHER_WINDOW, THIS_WINDOW, session } from '../../support/panelHarness/states.ts';

const READ: Readback = { sessionMode: 'attached_host', sessionModeSource: 'session_readback', sessionStatus: 'ready', available: true };
const NOTHING = { sessionMode: null, sessionStatus: null, available: null };
const connected = (windowId: string) => ({ state: 'connected', windowId, surface: 'vscode' }) as const;
const gone = { state: 'disconnected', windowId: null, surface: 'vscode' } as const;

describe('the words for who runs a session', () => {
  const cases = {
    here: modeWords(session({ readback: READ, executor: connected(THIS_WINDOW) }), THIS_WINDOW),
    elsewhere: modeWords(session({ readback: READ, executor: connected(OTHER_WINDOW) }), THIS_WINDOW),
    nowhere: modeWords(session({ readback: READ, executor: gone }), THIS_WINDOW),
    managed: modeWords(session({ readback: { ...READ, sessionMode: 'managed_runtime', available: null } }), THIS_WINDOW),
    unbound: modeWords(session({ readback: { ...NOTHING, sessionModeSource: 'unbound' } }), THIS_WINDOW),
    unrecognized: modeWords(session({ sessionMode: 'hybrid_handoff', readback: { ...NOTHING, sessionModeSource: 'unrecognized' } }), THIS_WINDOW),
  };

  it('A47 A48 each source and each case of it has a picture, a name and an explanation of its own', () => {
    const all = Object.values(cases);
    for (const field of ['icon', 'label', 'hint'] as const) assert.equal(new Set(all.map((words) => words[field])).size, all.length, field);
    assert.deepEqual(all.map(({ source }) => source), ['session_readback', 'session_readback', 'session_readback', 'session_readback', 'unbound', 'unrecognized']);
    assert.deepEqual([modeWords(null, THIS_WINDOW).label, modeWords(null, THIS_WINDOW).icon], [cases.unbound.label, cases.unbound.icon]);
  });

  it('quote what was read back, and nothing else of the session', () => {
    assert.match(cases.here.hint, /\nIn the gateway’s own words: session_readback · attached_host · ready$/);
    assert.match(cases.unrecognized.hint, /\nIn the gateway’s own words: unrecognized$/);
    assert.doesNotMatch(cases.unrecognized.hint, /hybrid/);
  });
});
