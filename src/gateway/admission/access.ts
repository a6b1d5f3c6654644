import path from 'node:path';
import type { GrantedFolder } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Principal } from '../core.ts';
import type { Decision } from './decideAdmission.ts';
import type { Access } from './facts.ts';

const segments = (folder: string): string[] => folder.split(path.sep).filter((part) => part !== '');

/** True when `inner` is `folder` or lies below it, compared name by name. */
function isWithin(inner: readonly string[], folder: readonly string[]): boolean {
  return folder.every((part, at) => part === inner[at]);
}

/** What was found by a list of grants: it is asked with every request and every batch of events, and no such list ever changes. */
const known = new WeakMap<readonly GrantedFolder[], Map<string, Access>>();
const KNOWN_FOLDERS = 100;

/** What the principal may do in a folder. */
export function accessTo(principal: Principal, workspace: string): Access {
  const folders = known.get(principal.workspaces) ?? new Map<string, Access>();
  const found = folders.get(workspace);
  if (found !== undefined) return found;
  const access = lookUp(principal, workspace);
  // Anybody may ask about any number of folders.
  if (folders.size >= KNOWN_FOLDERS) folders.clear();
  known.set(principal.workspaces, folders.set(workspace, access));
  return access;
}

/** Of several grants the nearest counts, and of equal ones the strictest. A folder has one name: no other way to write it, such as one with `..`, is ever granted. */
function lookUp(principal: Principal, workspace: string): Access {
  if (path.resolve(workspace) !== workspace || workspace.includes('\0')) return 'none';
  const inner = segments(workspace);
  const grants = principal.workspaces.map((grant) => ({ folder: segments(grant.path), trusted: grant.trusted })).filter(({ folder }) => isWithin(inner, folder));
  const nearest = Math.max(...grants.map(({ folder }) => folder.length));
  const counting = grants.filter(({ folder }) => folder.length === nearest);
  if (counting.length === 0) return 'none';
  return counting.every(({ trusted }) => trusted) ? 'full' : 'read_only';
}

/** Refuses a query about a folder that was not granted. */
export function requireGranted(principal: Principal, workspace: string): void {
  if (accessTo(principal, workspace) === 'none') throw new AttacheError('workspace_not_granted');
}

/** Gives what is behind an id, unless there is nothing or it lies in a foreign folder: both look the same. */
export function requireVisible<T extends { readonly workspace: string }>(principal: Principal, found: T | undefined): T {
  if (found === undefined || accessTo(principal, found.workspace) === 'none') throw new AttacheError('not_found');
  return found;
}

/** Passes on what was allowed; a refusal is thrown, which leaves the transaction without a trace. */
export function admitted(decision: Decision): Extract<Decision, { allow: string }>['allow'] {
  if ('reject' in decision) throw new AttacheError(decision.reject);
  return decision.allow;
}
