import type { Approval } from '../../protocol/approval/state.ts';

type Decision = Pick<Approval, 'decidedBy' | 'part'>;

/** Who decided, and of what, from its column. Throws where it is no JSON of an object. */
export function decisionOf(stored: string | null): Decision {
  if (stored === null) return { decidedBy: null };
  const { part, ...decidedBy } = JSON.parse(stored) as NonNullable<Approval['decidedBy']> & Pick<Approval, 'part'>;
  return { decidedBy, ...(part === undefined ? {} : { part }) };
}

export const decisionColumn = ({ decidedBy, part }: Decision): string | null => (decidedBy === null ? null : JSON.stringify({ ...decidedBy, ...(part === undefined ? {} : { part }) }));
