import { LIMITS } from '../protocol/limits.ts';

// What surrounds the parameters of a request in its frame.
const ENVELOPE_BYTES = 1024;
// The most that JSON in UTF-8 makes of one UTF-16 code unit: \u0000.
const BYTES_PER_UNIT = 6;

/**
 * False for parameters that no frame can carry. Sent anyway they would cost the link, and again with every repeat.
 * Cheap unless it is a close thing.
 */
export function fitsFrame(params: unknown): boolean {
  const room = LIMITS.frameBytes - ENVELOPE_BYTES;
  return unitsOf(params) * BYTES_PER_UNIT <= room || utf8Bytes(JSON.stringify(params) ?? '') <= room;
}

/** At least the length of its JSON before anything in it is escaped. */
function unitsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 24;
  let units = 2;
  for (const [name, part] of Object.entries(value)) units += name.length + 4 + unitsOf(part);
  return units;
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair counts two: JSON has no other halves.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
