import type { Disposable } from '../../base/disposable.ts';
import { lspInitializeParams } from '../../protocol/gateway/lsp.ts';
import type { ApprovalId } from '../../protocol/ids.ts';
import type { Committed, GatewayCore } from '../core.ts';
import type { ClientConnection } from './clientConnection.ts';

const NEVER = new AbortController().signal;

/**
 * Tells clients that can take it to fetch their lenses again when an edit request of a folder of theirs opens or ends. It is the
 * only request the gateway ever sends, it decides nothing, and no second one is sent before the first was answered.
 */
export class LensRefresh implements Disposable {
  readonly #core: GatewayCore;
  readonly #clients = new Map<ClientConnection, 'idle' | 'asking' | 'again'>();
  readonly #committed: Disposable;

  constructor(core: GatewayCore) {
    this.#core = core;
    this.#committed = core.onCommitted((committed) => this.#look(committed));
  }

  add(connection: ClientConnection): void {
    this.#clients.set(connection, 'idle');
  }

  remove(connection: ClientConnection): void {
    this.#clients.delete(connection);
  }

  dispose(): void {
    this.#committed.dispose();
    this.#clients.clear();
  }

  #look({ events }: Committed): void {
    if (this.#clients.size === 0) return;
    for (const event of events) {
      if (event.type !== 'approval.requested' && event.type !== 'approval.updated') continue;
      if (event.approval.subject.kind === 'edit') this.#tell(event.approval.approvalId);
    }
  }

  #tell(approvalId: ApprovalId): void {
    for (const connection of [...this.#clients.keys()]) {
      if (connection.isClosed) this.remove(connection);
      else this.#core.handle(connection.principal, 'approval/get', { approvalId }, NEVER).then(() => this.#ask(connection), () => undefined);
    }
  }

  #ask(connection: ClientConnection): void {
    const state = this.#clients.get(connection);
    if (state === undefined) return;
    this.#clients.set(connection, state === 'idle' ? 'asking' : 'again');
    if (state !== 'idle') return;
    const answered = (): void => {
      const now = this.#clients.get(connection);
      if (now === undefined) return;
      this.#clients.set(connection, 'idle');
      if (now === 'again') this.#ask(connection);
    };
    connection.request('workspace/codeLens/refresh').then(answered, answered);
  }
}

/** Whether the client may be asked to fetch its code lenses again. */
export const refreshesLenses = (params: unknown): boolean => lspInitializeParams.safeParse(params).data?.capabilities.workspace.codeLens.refreshSupport === true;
