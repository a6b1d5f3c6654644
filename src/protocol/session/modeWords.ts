import type { Readback, Session } from './state.ts';
import { t } from '../../base/l10n.ts';

/** Who runs a session, in the words of the chat, the lists and the status bar. Free of zod, so that the chat page can use it. */
export interface ModeWords {
  /** A codicon; each source, and each case of it, has one of its own. */
  readonly icon: string;
  readonly label: string;
  /** What it means and, where there is a session, the gateway's own words. */
  readonly hint: string;
  readonly source: Readback['sessionModeSource'];
}

/** Quotes the readback and the executor of a session, null for one that does not exist yet; nothing is derived from the rest of it. */
export function modeWords(session: Pick<Session, 'readback' | 'executor'> | null, windowId: string): ModeWords {
  if (session === null) return { icon: 'circle-slash', label: t('Unbound'), hint: t('Not bound to a session yet: your first message makes one that this window runs.'), source: 'unbound' };
  const { readback } = session;
  const [icon, label, hint] = ofSource(session, windowId);
  const quoted = [readback.sessionModeSource, readback.sessionMode, readback.sessionStatus].filter((word) => word !== null);
  return { icon, label, hint: `${hint}\n${t('In the gateway’s own words: {0}', quoted.join(' · '))}`, source: readback.sessionModeSource };
}

type Words = readonly [icon: string, label: string, hint: string];

function ofSource({ readback, executor }: Pick<Session, 'readback' | 'executor'>, windowId: string): Words {
  if (readback.sessionModeSource === 'unbound') return ['circle-slash', t('Unbound'), t('No session that could run is bound to this conversation: it is closed, or could not be resumed.')];
  if (readback.sessionModeSource === 'unrecognized' || readback.sessionMode === null) {
    return ['question', t('Unrecognized'), t('The gateway holds a mode that this version does not know. It can be read and closed, nothing else.')];
  }
  if (readback.sessionMode === 'managed_runtime') return ['server-process', t('Managed'), t('The gateway itself runs this session’s agent.')];
  if (executor.state !== 'connected') return ['debug-disconnect', t('Attached · no window'), t('The session belongs to an editor window that is not connected now.')];
  if (executor.windowId === windowId) return ['plug', t('Attached · this window'), t('This editor window runs the agent of this session.')];
  return ['multiple-windows', t('Attached · another window'), t('Another editor window runs the agent of this session. You can read, send, stop and answer from here.')];
}
