import { DisposableStore, type Disposable } from '../../../src/base/disposable.ts';
import { Emitter } from '../../../src/base/event.ts';
import type { GatewayCalls } from '../../../src/client/gatewayClient.ts';
import type { HostLink } from '../../../src/host/hostOptions.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { TestClient } from '../../support/testClient.ts';

type Listener = (calls: GatewayCalls) => Disposable;

/** An editor's way to the gateway that a test can cut and mend. */
export class StoryLink implements HostLink {
  readonly clientId: string;
  readonly #connect: () => Promise<TestClient>;
  readonly #opened = new Emitter<void>();
  readonly #listeners = new Set<Listener>();
  #client: TestClient | null = null;
  #registrations = new DisposableStore();

  readonly onOpened = this.#opened.event;

  readonly calls: GatewayCalls = {
    call: async (method, params, signal) => {
      const client = this.#client;
      if (client === null) throw new AttacheError('connection_closed');
      return client.call(method, params, signal as AbortSignal | undefined);
    },
    notify: (name, params) => this.#client?.notify(name, params),
    on: (name, listener) => {
      const own: Listener = (calls) => calls.on(name, listener);
      this.#listeners.add(own);
      if (this.#client !== null) this.#registrations.add(own(this.#client));
      return { dispose: () => this.#listeners.delete(own) };
    },
  };

  constructor(dataRoot: string, folder: string, clientId: string) {
    this.clientId = clientId;
    this.#connect = () => TestClient.connect(dataRoot, { kind: 'editor', clientId, folders: [folder] });
  }

  async open(): Promise<void> {
    const client = await this.#connect();
    this.#client = client;
    this.#registrations = new DisposableStore();
    for (const listener of this.#listeners) this.#registrations.add(listener(client));
    void client.peer.closed.then(() => {
      if (this.#client === client) this.#client = null;
    });
    this.#opened.fire();
  }

  /** Without a word, as a broken connection does it. */
  cut(): void {
    const client = this.#client;
    this.#client = null;
    this.#registrations.dispose();
    client?.close();
  }
}
