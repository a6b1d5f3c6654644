import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { ChatPanel } from './chatPanel.ts';

/** All chats of this window. The one a person used last is the one that commands are about. */
export class ChatPanels {
  readonly #panels: ChatPanel[] = [];
  readonly #changed = new Emitter<void>();

  /** The request whose card has the keyboard; null: none has. */
  focusedRequest: string | null = null;

  /** A chat was opened, closed, brought to the front, or shows another conversation. */
  readonly onChanged = this.#changed.event;

  get all(): readonly ChatPanel[] {
    return this.#panels;
  }

  /** The chat used last. */
  get current(): ChatPanel | undefined {
    return this.#panels.find((panel) => panel.isVisible) ?? this.#panels[0];
  }

  showing(sessionId: string): ChatPanel | undefined {
    const candidates = this.#panels.filter((panel) => panel.sessionId === sessionId);
    return candidates.find((panel) => panel.isVisible) ?? candidates[0];
  }

  add(panel: ChatPanel): Disposable {
    this.#panels.unshift(panel);
    const following = panel.onConversationChanged(() => this.#changed.fire());
    this.#changed.fire();
    return toDisposable(() => {
      following.dispose();
      this.#panels.splice(this.#panels.indexOf(panel), 1);
      this.#changed.fire();
    });
  }

  touch(panel: ChatPanel): void {
    const at = this.#panels.indexOf(panel);
    if (at > 0) this.#panels.unshift(...this.#panels.splice(at, 1));
    this.#changed.fire();
  }

  /** One was hidden. */
  touchNone(): void {
    this.#changed.fire();
  }

  sendChrome(): void {
    for (const panel of this.#panels) panel.sendChrome();
  }
}
