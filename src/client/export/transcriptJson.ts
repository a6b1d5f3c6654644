import { visibleJson } from '../visibleText.ts';
import type { Transcript } from './transcript.ts';

/** The transcript as one JSON document. */
export const transcriptJson = (transcript: Transcript): string => `${visibleJson(transcript, 2)}\n`;

/**
 * The transcript as lines, one JSON object each: the session, then per turn the turn, its items, and after each item the requests that
 * belong to it; then the rules. The last line counts them, so that a file that was cut is told apart.
 */
export function transcriptLines({ turns, grants, ...head }: Transcript): string {
  const lines: unknown[] = [{ type: 'transcript', ...head }];
  const counts = { turns: turns.length, items: 0, approvals: 0, grants: grants.length };
  for (const { items, ...turn } of turns) {
    lines.push({ type: 'turn', ...turn });
    for (const { approvals, ...item } of items) {
      lines.push({ type: 'item', turnId: turn.turnId, ...item }, ...approvals.map((approval) => ({ type: 'approval', ...approval })));
      counts.items += 1;
      counts.approvals += approvals.length;
    }
  }
  lines.push(...grants.map((grant) => ({ type: 'grant', ...grant })), { type: 'end', ...counts });
  return lines.map((line) => `${visibleJson(line)}\n`).join('');
}
