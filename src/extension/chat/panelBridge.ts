import type { Disposable } from '../../base/disposable.ts';
import { t } from '../../base/l10n.ts';
import type { Logger } from '../../base/logger.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { FromPanel } from '../../protocol/panel.ts';
import { describeError } from '../log.ts';
import { inUsePart } from '../parts/load.ts';
import type { ChatPanel } from './chatPanel.ts';

type MessageOf<T extends FromPanel['type']> = Extract<FromPanel, { type: T }>;

/** What each message of the page does. `panel` is the chat it came from. */
export type PanelHandlers = { readonly [T in FromPanel['type']]: (message: MessageOf<T>, panel: ChatPanel) => Promise<void> | void };

export interface PanelBridgeOptions {
  readonly panel: ChatPanel;
  /** Asked for with the first message. */
  readonly handlers: () => PanelHandlers;
  readonly log: Logger;
}

/** Takes what a page says: checked field by field, then carried out; a failure is shown on that page. */
export class PanelBridge {
  readonly #options: PanelBridgeOptions;

  constructor(options: PanelBridgeOptions) {
    this.#options = options;
  }

  listen(subscribe: (listener: (message: unknown) => void) => Disposable): Disposable {
    return subscribe((message) => void this.receive(message));
  }

  async receive(message: unknown): Promise<void> {
    const { panel, log } = this.#options;
    const { asFromPanel, fromPanel } = inUsePart();
    const checked = fromPanel.safeParse(message);
    if (!checked.success) return log.warn(`the chat page said something that is not in the contract: ${checked.error.issues[0]?.path.join('.') ?? ''}`);
    const known = asFromPanel(checked.data);
    try {
      await this.#handle(known);
    } catch (error) {
      log.warn(`${known.type} from the chat page failed: ${describeError(error)}`);
      if (known.type === 'decide') panel.post({ type: 'decideFailed', approvalId: known.approvalId });
      const next = error instanceof AttacheError ? error.data.next : t('Look at the log for more (Attaché: Show Log).');
      panel.post({ type: 'toast', message: describeError(error), next });
    }
  }

  #handle<T extends FromPanel['type']>(message: MessageOf<T>): Promise<void> | void {
    const handler = this.#options.handlers()[message.type as T] as (message: MessageOf<T>, panel: ChatPanel) => Promise<void> | void;
    return handler(message, this.#options.panel);
  }
}
