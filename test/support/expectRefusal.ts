import assert from 'node:assert/strict';
import { AttacheError, ERRORS, type ErrorKind } from '../../src/protocol/errors.ts';

/** The call must be refused with this very code. Gives the error back for a closer look. */
export async function expectRefusal(kind: ErrorKind, call: Promise<unknown>): Promise<AttacheError> {
  const outcome = await call.then((value) => ({ value }), (error: unknown) => ({ error }));
  assert.ok('error' in outcome, `expected ${kind}, got ${JSON.stringify(outcome)}`);
  assert.ok(outcome.error instanceof AttacheError, `expected ${kind}, got ${String(outcome.error)}`);
  assert.equal(outcome.error.kind, kind);
  assert.equal(outcome.error.code, ERRORS[kind].code);
  return outcome.error;
}
