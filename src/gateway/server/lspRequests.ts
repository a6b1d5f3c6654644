import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { lspCodeActionParams, lspCodeLensParams } from '../../protocol/gateway/lsp.ts';
import { LIMITS } from '../../protocol/limits.ts';
import { PRODUCT_VERSION, PROTOCOL_VERSIONS } from '../../protocol/version.ts';
import type { GatewayCore } from '../core.ts';
import type { ClientConnection, Serve } from './clientConnection.ts';
import { executeCommand, LSP_COMMANDS } from './lspCommands.ts';
import { codeLenses, type LspCodeLens } from './lspLenses.ts';
import { LensRefresh, refreshesLenses } from './lensRefresh.ts';
import { LspSessions } from './lspSession.ts';
import { parseParams } from './parseParams.ts';
import type { ExtraHandlers } from './requestHandlers.ts';

/** Everything about clients of the language server protocol: the frame of LSP for all, and approvals as code lenses for plain ones. */
export interface LspSide extends Disposable {
  readonly requests: ExtraHandlers;
  /** Holds plain clients to LSP's order of requests. */
  guard(serve: Serve): Serve;
}

export function lspSide(core: GatewayCore): LspSide {
  const owned = new DisposableStore();
  const sessions = new LspSessions();
  const refresh = owned.add(new LensRefresh(core));
  return {
    requests: {
      initialize: (connection, params) => {
        sessions.initialized(connection);
        const result = { capabilities: capabilities(core, connection), serverInfo: { name: 'attache-gateway', version: PRODUCT_VERSION } };
        if (isPlain(connection) && refreshesLenses(params)) connection.channel.afterReply(result, () => refresh.add(connection));
        return result;
      },
      // Ends nothing but this client's use of the gateway; `exit` then closes the connection.
      shutdown: (connection) => {
        sessions.shutdown(connection);
        refresh.remove(connection);
        return null;
      },
      'textDocument/codeLens': (connection, params) => codeLenses(core, connection.principal, parseParams('textDocument/codeLens', lspCodeLensParams, params).textDocument.uri),
      'textDocument/codeAction': (connection, params) => codeActions(core, connection, params),
      'workspace/executeCommand': (connection, params) => executeCommand(core, connection, params).catch(inOneSentence),
    },
    guard: (serve) => sessions.guard(serve),
    dispose: () => owned.dispose(),
  };
}

/** An editor of ours draws requests by itself: it is offered nothing that would draw them twice. */
const isPlain = ({ principal }: ClientConnection): boolean => principal.kind === 'lsp';

/** Everything an answer needs travels with the lens, and documents are not followed: a lens stands where the proposal's base text has its lines. */
function capabilities(core: GatewayCore, connection: ClientConnection): object {
  const experimental = { attache: { protocolVersion: Math.max(...PROTOCOL_VERSIONS), gatewayId: core.gatewayId, epoch: core.epoch, limits: LIMITS } };
  if (!isPlain(connection)) return { experimental };
  return {
    positionEncoding: 'utf-16',
    textDocumentSync: { openClose: false, change: 0 },
    codeLensProvider: { resolveProvider: false },
    // For editors that have code actions and no code lenses.
    codeActionProvider: true,
    executeCommandProvider: { commands: LSP_COMMANDS },
    experimental,
  };
}

/** The same answers as commands, for the lines that the client names. They are of no kind, so a client that asks for kinds gets none. */
async function codeActions(core: GatewayCore, { principal }: ClientConnection, params: unknown): Promise<LspCodeLens['command'][]> {
  const { textDocument, range, context: asked } = parseParams('textDocument/codeAction', lspCodeActionParams, params);
  if (Array.isArray(asked?.only)) return [];
  const lenses = await codeLenses(core, principal, textDocument.uri);
  return lenses.filter(({ range: { start } }) => start.line >= range.start.line && start.line <= range.end.line).map(({ command }) => command);
}

/** Plain clients show the message alone: the next step must be part of it. */
function inOneSentence(error: unknown): never {
  if (!(error instanceof AttacheError)) throw error;
  const { kind, message, data: { next, retryAfterMs, entity } } = error;
  throw new AttacheError(kind, {
    message: `${message} ${next}`, next, ...(retryAfterMs === undefined ? {} : { retryAfterMs }), ...(entity === undefined ? {} : { entity }),
  });
}
