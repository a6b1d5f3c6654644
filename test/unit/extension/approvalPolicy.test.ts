import assert from 'node:assert/strict';
import fc from 'fast-check';
import { narrowed, ownPolicy } from '../../../src/extension/approvalPolicy.ts';

const KINDS = ['edit', 'command', 'tool'] as const;
const words = fc.oneof(fc.constantFrom('ask', 'allow', 'deny', 'Allow', 'allowEdits', ''), fc.anything());
const anyLayer = fc.dictionary(fc.constantFrom(...KINDS, 'other', '__proto__'), words);

/** How strict an answer is; what nobody has set is asked about. */
const strictness = (word: unknown): number => ['allow', 'ask', 'deny'].indexOf(typeof word === 'string' ? word : 'ask');

describe('what the files of a folder say about requests', () => {
  it('C34 can only narrow what the person allows, whatever stands in them', () => {
    fc.assert(fc.property(words, anyLayer, fc.array(anyLayer, { maxLength: 4 }), (whole, own, layers) => {
      for (const given of [whole, own]) {
        const before = ownPolicy(given);
        const policy = narrowed(before, layers);
        for (const kind of KINDS) {
          const said = layers.map((layer) => layer[kind]).filter((word) => word === 'ask' || word === 'deny');
          assert.equal(strictness(policy[kind]), Math.max(strictness(before[kind]), ...said.map(strictness)));
        }
        assert.deepEqual(Object.keys(policy).filter((key) => !KINDS.some((kind) => kind === key)), []);
      }
    }));
  });

  it('takes only words that are known from the person, and asks for the rest', () => {
    assert.deepEqual(ownPolicy({ edit: 'allow', command: 'yes', tool: 'deny', other: 'allow' }), { edit: 'allow', tool: 'deny' });
    for (const given of ['allow', ['allow'], null, 7]) assert.deepEqual(ownPolicy(given), {});
    assert.deepEqual(narrowed({ edit: 'allow', command: 'deny' }, [{ edit: 'allow', command: 'allow', tool: 'allow' }, { edit: 'ask', command: 'ask' }]), { edit: 'ask', command: 'deny' });
  });
});
