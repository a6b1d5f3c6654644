import assert from 'node:assert/strict';
import { age, groupSessions, neighbour } from '../../../src/extension/sessions/sessionGroups.ts';
import type { Session } from '../../../src/protocol/session/state.ts';

const session = (sessionId: string, change: Partial<Record<'pendingApprovals' | 'updatedAt' | 'createdAt', number>> & { readonly activeTurnId?: string; readonly lastErrorCode?: string } = {}): Session =>
  ({ sessionId, pendingApprovals: 0, updatedAt: 0, createdAt: 0, activeTurnId: null, status: 'ready', ...change }) as unknown as Session;

describe('the list of sessions', () => {
  it('puts what needs the person first, then what works, then the rest, newest first', () => {
    const groups = groupSessions([
      session('old', { updatedAt: 1 }),
      session('new', { updatedAt: 9 }),
      session('asks', { pendingApprovals: 1, activeTurnId: 't' }),
      session('works', { activeTurnId: 't' }),
      session('held', { lastErrorCode: 'session_quarantined' }),
    ]);
    assert.deepEqual(groups.map(({ group, sessions }) => [group, sessions.map(({ sessionId }) => sessionId)]), [
      ['needsYou', ['held', 'asks']],
      ['working', ['works']],
      ['recent', ['new', 'old']],
    ]);
  });

  it('goes round in the order of creation, also from nowhere', () => {
    const all = [session('b', { createdAt: 2 }), session('a', { createdAt: 1 }), session('c', { createdAt: 3 })];
    const idOf = (found: Session | undefined): string | undefined => found?.sessionId;
    assert.equal(idOf(neighbour(all, 'c', 1)), 'a');
    assert.equal(idOf(neighbour(all, 'a', -1)), 'c');
    assert.equal(idOf(neighbour(all, null, 1)), 'a');
    assert.equal(idOf(neighbour([], null, 1)), undefined);
  });

  it('says how long ago something was', () => {
    const minute = 60_000;
    assert.deepEqual([0, 59_000, minute, 59 * minute, 60 * minute, 25 * 60 * minute, 15 * 24 * 60 * minute].map((ms) => age(0, ms)), ['just now', 'just now', '1 min', '59 min', '1 h', '1 d', '2 w']);
    assert.equal(age(10, 0), 'just now');
  });
});
