import type { FileChange } from '../protocol/item/state.ts';

const maxChars = 64 * 1024;
/** What a line takes besides its text. */
const lineChars = 24;

/** Changes that are shown together: the first ones with the lines of their diffs, the others by their blobs alone, so that all of them fit into one item. */
export function withFirstLines(changes: readonly FileChange[]): FileChange[] {
  let room = maxChars;
  return changes.map((change) => {
    room -= change.lines.reduce((sum, { text }) => sum + text.length + lineChars, 0);
    return room >= 0 || change.lines.length === 0 ? change : { ...change, lines: [], linesCut: true };
  });
}
