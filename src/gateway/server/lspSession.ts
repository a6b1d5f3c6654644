import { AttacheError } from '../../protocol/errors.ts';
import { isMethod } from '../../protocol/methods.ts';
import { invalidRequest, serverNotInitialized } from '../transport/rpcErrors.ts';
import type { ClientConnection, Serve } from './clientConnection.ts';

/** How far a connection is in the life that LSP gives it. */
interface LspLife {
  state: 'new' | 'initialized' | 'shutdown';
}

/** Holds plain LSP clients to the order of LSP: initialize once and first, nothing but `exit` after shutdown. Other clients have said all that with their hello. */
export class LspSessions {
  readonly #lives = new WeakMap<ClientConnection, LspLife>();

  initialized(connection: ClientConnection): void {
    const life = this.#life(connection);
    if (life.state !== 'new') throw invalidRequest('This client has sent “initialize” already.');
    life.state = 'initialized';
  }

  shutdown(connection: ClientConnection): void {
    this.#life(connection).state = 'shutdown';
  }

  guard(serve: Serve): Serve {
    return (connection, method, params, signal) => {
      if (connection.principal.kind === 'lsp') this.#check(connection, method);
      return serve(connection, method, params, signal);
    };
  }

  #check(connection: ClientConnection, method: string): void {
    const { state } = this.#life(connection);
    if (state === 'shutdown') throw invalidRequest('This client has sent “shutdown”; only “exit” may follow.');
    if (state === 'new' && method !== 'initialize') throw connection.restricted ? new AttacheError('unsupported_version') : serverNotInitialized();
    // Whoever asks in our words understands what we say by ourselves.
    if (isMethod(method)) connection.hearsNotifications = true;
  }

  #life(connection: ClientConnection): LspLife {
    const known = this.#lives.get(connection) ?? { state: 'new' };
    this.#lives.set(connection, known);
    return known;
  }
}
