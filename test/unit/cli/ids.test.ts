import assert from 'node:assert/strict';
import { CliFailure } from '../../../src/cli/failure.ts';
import { pick, shortId } from '../../../src/cli/ids.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';

const ids = ['ses_01jaaaaaaaaaaaaaaaaaxyzabc', 'ses_01jaaaaaaaaaaaaaaaaaxyzabd', 'ses_01jbbbbbbbbbbbbbbbb4k2m9xq'];
const all = ids.map((id, at) => ({ id, about: `session ${at}`, value: at }));

describe('a shortened id', () => {
  it('is found by its whole, its first or its last characters, with or without prefix', () => {
    for (const [at, id] of ids.entries()) {
      assert.equal(pick(id, all, 'session'), at);
      assert.equal(pick(id.slice(4), all, 'session'), at);
      assert.equal(pick(shortId(id, ids), all, 'session'), at);
    }
    assert.equal(pick('ses_01jb', all, 'session'), 2);
    assert.equal(pick('01jb', all, 'session'), 2);
    assert.equal(pick('M9XQ', all, 'session'), 2);
  });

  it('that may be several is refused with all of them; one that is none is not found', () => {
    assert.throws(() => pick('01ja', all, 'session'), (error) => error instanceof CliFailure && error.kind === 'ambiguous_id' && error.exit === 2
      && (error.entity as { id: string }[]).map(({ id }) => id).join() === ids.slice(0, 2).join() && /session 0.*session 1/.test(error.message));
    for (const typed of ['nothing', '', 'ses_', 'bb4']) {
      if (typed === 'ses_') assert.throws(() => pick(typed, all, 'session'), CliFailure);
      else assert.throws(() => pick(typed, all, 'session'), (error) => error instanceof AttacheError && error.kind === 'not_found');
    }
  });

  it('is as short as tells it apart', () => {
    assert.equal(shortId(ids[2] ?? '', ids), '2m9xq'.padStart(6, 'k'));
    assert.equal(shortId(ids[0] ?? '', ids), 'xyzabc');
    assert.equal(shortId('ses_01jaaaaaaaaaaaaaaaayxyzabc', ['ses_01jaaaaaaaaaaaaaaaayxyzabc', ...ids]), 'yxyzabc');
  });
});
