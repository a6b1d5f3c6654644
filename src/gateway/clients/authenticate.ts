import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { HELLO_METHOD, helloParams, type GrantedFolder, type HelloParams } from '../../protocol/envelope.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { Principal } from '../core.ts';
import { invalidParams } from '../transport/rpcErrors.ts';

/** A first frame that has proven to come from this user. */
export interface Authenticated {
  readonly principal: Principal;
  readonly protocolVersions: readonly number[];
}

/** Checks the token before it looks at anything else, then derives the client's rights. Throws the refusal. */
export function authenticate(message: unknown, token: string): Authenticated {
  const { method, params } = fields(message);
  if (method !== HELLO_METHOD) throw new AttacheError('not_initialized');
  const offered = fields(params)['token'];
  if (typeof offered !== 'string' || !sameSecret(offered, token)) throw new AttacheError('unauthenticated');
  const parsed = helloParams.safeParse(params);
  if (!parsed.success) throw invalidParams('The hello does not have the expected form.');
  return { principal: principalOf(parsed.data), protocolVersions: parsed.data.protocolVersions };
}

const fields = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

/** Constant in time whatever the lengths, as only digests are compared. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function principalOf({ clientId, windowId, kind, workspaces }: HelloParams): Principal {
  return { connectionId: randomUUID(), clientId, windowId: windowId ?? clientId, kind, workspaces: workspaces.map(canonical) };
}

function canonical(folder: GrantedFolder): GrantedFolder {
  if (!path.isAbsolute(folder.path)) throw invalidParams('A workspace folder must be an absolute path.');
  return { path: realPath(folder.path), trusted: folder.trusted };
}

/** A folder that is gone keeps its name, so that its sessions can still be read. */
function realPath(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch {
    return path.resolve(folder);
  }
}
