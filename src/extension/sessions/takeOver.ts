import * as vscode from 'vscode';
import { AttacheError } from '../../protocol/errors.ts';
import type { ToPanel } from '../../protocol/panel.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { ChatPanels } from '../chat/chatPanels.ts';
import type { WindowMemory } from '../memory.ts';
import type { Conversations } from './conversations.ts';

export interface TakeOverOptions {
  readonly conversations: Conversations;
  readonly memory: WindowMemory;
  readonly panels: ChatPanels;
}

/** Makes this window run a session; a refusal is told in the chat that shows it, with when it may be tried again. */
export async function takeOver({ conversations, memory, panels }: TakeOverOptions, session: Session): Promise<void> {
  const { executor, sessionId } = session;
  if (executor.state === 'connected' && executor.windowId === memory.windowId) {
    vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: this window runs the session already.'), 4000);
    return;
  }
  try {
    await conversations.takeOver(session);
  } catch (error) {
    const panel = panels.showing(sessionId);
    if (!(error instanceof AttacheError) || panel?.isVisible !== true) throw error;
    panel.post(refusal(error, Date.now()));
  }
}

/** What the chat says about a refused take-over. */
export function refusal({ kind, message, data }: AttacheError, now: number): Extract<ToPanel, { type: 'toast' }> {
  if (kind === 'executor_alive') return { type: 'toast', message, next: vscode.l10n.t('Stop the turn, or wait until it ends.') };
  if (data.retryAfterMs === undefined) return { type: 'toast', message, next: data.next };
  const at = now + data.retryAfterMs;
  const time = new Intl.DateTimeFormat(vscode.env.language, { timeStyle: 'medium', hourCycle: 'h23' }).format(at);
  return { type: 'toast', message, next: vscode.l10n.t('It has until {0}.', time), again: { label: vscode.l10n.t('Take Over Here'), command: 'takeOver', at } };
}
