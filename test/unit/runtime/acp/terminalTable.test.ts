import assert from 'node:assert/strict';
import type { GuardedTerminal } from '../../../../src/execution/plane.ts';
import { AttacheError } from '../../../../src/protocol/errors.ts';
import { TerminalTable } from '../../../../src/runtime/acp/terminalTable.ts';

const terminal = (isRunning: boolean): GuardedTerminal => ({ isRunning }) as GuardedTerminal;
const missing = (error: unknown): boolean => error instanceof AttacheError && error.kind === 'not_found';

describe('TerminalTable', () => {
  it('of an agent that never lets go keeps what runs and the newest that ended', () => {
    const table = new TerminalTable();
    const running = terminal(true);
    const first = table.add(running);
    const ids = Array.from({ length: 200 }, () => table.add(terminal(false)));
    assert.equal(table.get(first), running);
    assert.throws(() => table.get(ids[0]), missing);
    assert.ok(table.get(ids[199]).isRunning === false && table.get(ids[160]).isRunning === false);
  });
});
