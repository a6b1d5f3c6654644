import * as z from './schema.ts';
import { clientId, workspacePath } from './ids.ts';
import type { Limits } from './limits.ts';

/** The method of the connector's own first frame; it carries the secret, so that LSP `initialize` need not. */
export const HELLO_METHOD = 'attache/hello';

/** What kind of client speaks; `lsp` is the stdio pump. */
export const clientKind = z.enum(['editor', 'cli', 'lsp']);
export type ClientKind = z.infer<typeof clientKind>;

/** A folder that the client may see. Untrusted: read-only. */
export const grantedFolder = z.strictObject({ path: workspacePath, trusted: z.boolean() });
export type GrantedFolder = z.infer<typeof grantedFolder>;

/** First frame of a connection: who is there, and which folders it may see. Trust is stated per folder; an untrusted folder is read-only. */
export const helloParams = z.strictObject({
  token: z.string().max(200),
  clientId,
  /** Names one life of an editor window, so that two windows that share their memory are told apart. Absent: the client itself. */
  windowId: clientId.optional(),
  kind: clientKind,
  protocolVersions: z.array(z.number().int()).min(1).max(20),
  workspaces: z.array(grantedFolder).max(50),
});
export type HelloParams = z.infer<typeof helloParams>;

/** The answer to hello, or a refusal with the gateway's range of versions. */
export const helloResult = z.strictObject({
  protocolVersion: z.number().int(),
  gatewayId: z.string(),
  epoch: z.number().int(),
  /** By name, as listed under limits. */
  limits: z.record(z.string(), z.number()),
  features: z.array(z.string()),
  /** The granted folders by their canonical real paths, in the order they were named: the names that every later request uses. */
  workspaces: z.array(grantedFolder),
});
export type HelloResult = Readonly<Omit<z.infer<typeof helloResult>, 'limits' | 'features' | 'workspaces'>> & {
  readonly limits: Limits;
  readonly features: readonly string[];
  readonly workspaces: readonly GrantedFolder[];
};

/** Who acts, as the gateway knows it from the handshake. */
export const causedBy = z.strictObject({ clientId: z.string(), commandId: z.string().optional() });
export type CausedBy = z.infer<typeof causedBy>;
