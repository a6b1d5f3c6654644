import { type FrameLocator, type Locator } from 'playwright-core';
import { until } from './until.ts';

/** The chat as a person reads and uses it. */
export class ChatPage {
  readonly frame: FrameLocator;

  constructor(frame: FrameLocator) {
    this.frame = frame;
  }

  get composer(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message', exact: true });
  }

  async say(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** Turns of messages that begin like this. */
  turn(text: string): Locator {
    return this.frame.locator('[data-turn-id]', { has: this.frame.locator('h2', { hasText: `: ${text}` }) });
  }

  async turnState(text: string, state: string): Promise<Locator> {
    const turn = this.frame.locator(`[data-turn-id][data-state="${state}"]`, { has: this.frame.locator('h2', { hasText: `: ${text}` }) }).last();
    await turn.waitFor({ timeout: 45_000 });
    return turn;
  }

  /** Waits until the session of this title is shown and the chat has the keyboard, as it has after a switch. */
  async shows(title: string): Promise<void> {
    await this.frame.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await until('the chat has the focus', async () => this.frame.locator('body').evaluate(() => document.hasFocus()));
  }

  answers(): Locator {
    return this.frame.locator('[data-kind="agent_message"]');
  }

  /** The requests that wait. */
  requests(): Locator {
    return this.frame.locator('[data-approval-id][data-status="pending"]');
  }

  async answer(request: Locator, kind: 'allow_once' | 'reject_once'): Promise<void> {
    await request.locator(`button[data-option-kind="${kind}"]`).click();
  }

  chip(id: 'goal' | 'folder' | 'mode' | 'agent' | 'state'): Locator {
    return this.frame.locator(`[data-chip="${id}"]`);
  }

  banner(id: string): Locator {
    return this.frame.locator(`[data-banner="${id}"]`);
  }

  /** Everything the transcript says. */
  async text(): Promise<string> {
    return this.frame.locator('[data-region="transcript"]').innerText();
  }
}
