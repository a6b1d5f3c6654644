import { AttacheError } from '../protocol/errors.ts';
import { LIMITS } from '../protocol/limits.ts';

/** The JSON of one thing that is told whole in every event and snapshot. Refuses what would make those outgrow a frame. */
export function requireBounded(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length > LIMITS.entityChars) throw new AttacheError('too_large');
  return json;
}
