import { isRecord } from '../base/isRecord.ts';
import type { ApprovalPolicy, PolicyAnswer } from '../host/hostOptions.ts';

const ANSWERS: ReadonlySet<unknown> = new Set<PolicyAnswer>(['ask', 'allow', 'deny']);
const NARROWING: ReadonlySet<unknown> = new Set<PolicyAnswer>(['ask', 'deny']);
const KINDS = ['edit', 'command', 'tool'] as const;

/** The person's own word for each kind; a word that nobody knows is none. `allowEdits` is how an earlier version wrote it. */
export function ownPolicy(given: unknown): ApprovalPolicy {
  if (given === 'allowEdits') return { edit: 'allow' };
  return isRecord(given) ? Object.fromEntries(KINDS.flatMap((kind) => (ANSWERS.has(given[kind]) ? [[kind, given[kind]]] : []))) : {};
}

/** The strictest of all; nothing but “ask” and “deny” counts, so that no file of a folder can widen anything. */
export function narrowed(own: ApprovalPolicy, restrictions: readonly Record<string, unknown>[]): ApprovalPolicy {
  const policy: { -readonly [K in keyof ApprovalPolicy]: ApprovalPolicy[K] } = { ...own };
  for (const kind of KINDS) {
    const words = restrictions.map((restriction) => restriction[kind]).filter((word) => NARROWING.has(word));
    if (words.includes('deny')) policy[kind] = 'deny';
    else if (words.length > 0 && policy[kind] === 'allow') policy[kind] = 'ask';
  }
  return policy;
}
