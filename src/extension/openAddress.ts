import * as vscode from 'vscode';
import { exactText, visibleLine } from '../client/visibleText.ts';
import { isGone } from '../protocol/errors.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { WindowCore } from './window/windowCore.ts';
import type { WindowUi } from './window/windowUi.ts';

const MAX_PROMPT = 20_000;
const SESSION = /^ses_[0-9a-z]{26}$/;
const SHOWN_CHARS = 60;

/** What an address asks for. */
export interface Asked {
  readonly session: string | null;
  /** Nothing in it is unseen: characters without a form are shown by their numbers. */
  readonly prompt: string;
}

/**
 * `vscode://attache.attache/open?session=…&prompt=…` opens a chat and fills its box. It never sends anything, and takes nothing away: anybody can
 * make such a link. A session that is not there is said so, and no other one gets the text.
 */
export async function openAddress(uri: vscode.Uri, core: WindowCore, ui: WindowUi): Promise<void> {
  const asked = askedBy(uri);
  if (asked === null) return void vscode.window.showWarningMessage(vscode.l10n.t('Attaché: this link is none that Attaché knows. Nothing was opened.'));
  const { session, prompt } = asked;
  if (session === null) await ui.sessions.newSession();
  else if (await isThere(session, core)) await ui.sessions.show(core.memory.conversationOf(session));
  else return notThere(session);
  const panel = ui.panels.current;
  if (prompt === '' || panel === undefined) return;
  const { draft } = core.memory.notes(panel.conversation);
  panel.postWhenReady({ type: 'prefill', text: draft.trim() === '' ? prompt : `${draft}\n\n${prompt}` });
  panel.postWhenReady({ type: 'toast', message: vscode.l10n.t('A link has filled in the message.'), next: vscode.l10n.t('Read it before you send it.') });
}

/** The editor has decoded the address once, so that an `&` may be part of the text: only the two known names divide it. Null: no address of ours. */
export function askedBy({ path, query }: Pick<vscode.Uri, 'path' | 'query'>): Asked | null {
  if (path !== '/open') return null;
  const given = new Map<string, string>();
  for (const part of query.split(/(?:^|&)(?=(?:session|prompt)=)/)) {
    const at = part.indexOf('=');
    // The first of each counts.
    if (at > 0 && !given.has(part.slice(0, at))) given.set(part.slice(0, at), part.slice(at + 1));
  }
  return { session: given.get('session') ?? null, prompt: exactText((given.get('prompt') ?? '').replaceAll('\r\n', '\n')).slice(0, MAX_PROMPT).toWellFormed() };
}

async function isThere(session: string, { calls }: WindowCore): Promise<boolean> {
  if (!SESSION.test(session)) return false;
  try {
    await calls.call('session/get', { sessionId: session as SessionId });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

async function notThere(session: string): Promise<void> {
  const pick = vscode.l10n.t('Switch Session…');
  const text = vscode.l10n.t('Attaché: there is no session “{0}” in the folders of this window. It may be of another folder, or deleted. Nothing was opened.', visibleLine(session).slice(0, SHOWN_CHARS));
  if ((await vscode.window.showWarningMessage(text, pick)) === pick) await vscode.commands.executeCommand('attache.switchSession');
}
