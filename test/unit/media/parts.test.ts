import assert from 'node:assert/strict';
import { chosenPart, mayAnswer } from '../../../media/chat/format/parts.ts';
import type { Approval, ApprovalOption } from '../../../src/protocol/approval/state.ts';

const kinds: readonly ApprovalOption['kind'][] = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'];
const open = (chosen: { chosen: number } | null): string[] => kinds.filter((kind) => mayAnswer({ kind }, chosen));

const hunk = { fromStart: 0, fromEnd: 1, toStart: 0, toEnd: 1 };
const subject = { kind: 'edit', mode: 'hosted', changes: [{ hunks: [hunk, hunk] }, { hunks: [hunk] }] } as unknown as Approval['subject'];

describe('a request of which something is left out', () => {
  it('can be refused, and approved once for what is left; never for always, and never for nothing', () => {
    assert.deepEqual(open(null), kinds);
    assert.deepEqual(open({ chosen: 2 }), ['allow_once', 'reject_once', 'reject_always']);
    assert.deepEqual(open({ chosen: 0 }), ['reject_once', 'reject_always']);
  });

  it('is approved for the rest; with nothing left out it is answered whole', () => {
    assert.deepEqual(chosenPart({ subject }, ['0.1']), { part: [[0], [0]], chosen: 2, of: 3 });
    assert.deepEqual(chosenPart({ subject }, ['0.0', '0.1', '1.0']), { part: [[], []], chosen: 0, of: 3 });
    assert.equal(chosenPart({ subject }, []), null);
    assert.equal(chosenPart({ subject }, undefined), null);
    assert.equal(chosenPart({ subject: { ...subject, mode: 'agentApplied' } as Approval['subject'] }, ['0.1']), null);
  });
});
