import { createRequire } from 'node:module';
import type * as agents from './agents.ts';
import type * as basis from './basis.ts';

// Scripts beside the first one, which share its modules (test/support/bundles.ts). All other extensions wait while one is activated, and
// the larger half of the code is not needed before a person does something.
const load = createRequire(import.meta.filename);

/** The part for a window that is used, inUse.ts. Loaded with the first call, as is the other. `More`: what it has besides the basis, for who may know of it. */
export const inUsePart = <More extends object = object>(): typeof basis & More => load('./inUse.cjs') as typeof basis & More;

/** The part for a window that starts agents. */
export const agentsPart = (): typeof agents => load('./agents.cjs') as typeof agents;

/** Makes it with the first call; the later ones get the same. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => (made ??= { it: make() }).it;
}
