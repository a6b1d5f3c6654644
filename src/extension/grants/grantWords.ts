import path from 'node:path';
import { t } from '../../base/l10n.ts';
import { oneLine } from '../../base/oneLine.ts';
import type { Grant, GrantPattern } from '../../protocol/grant/state.ts';
import { commandRuleText } from '../../runtime/commandRule.ts';

export type GrantScope = 'session' | 'workspace';

/** The rule itself, exactly as it is matched; words may follow where it ends with “…”. */
export function patternText(pattern: GrantPattern, workspace: string): string {
  switch (pattern.kind) {
    case 'command':
      return oneLine(commandRuleText(pattern));
    case 'edit':
      return pattern.match === 'file' ? relativeName(pattern.path, workspace) : `${relativeName(pattern.path, workspace)}${path.sep}…`;
    case 'tool':
      return oneLine(pattern.title);
  }
}

/** What the rule lets happen, in a sentence without its full stop. */
export function patternMeaning(pattern: GrantPattern): string {
  switch (pattern.kind) {
    case 'command':
      return t(pattern.match === 'exact' ? 'Runs exactly these words, in {0}' : 'Runs these words and whatever words follow them, in {0}', pattern.cwd);
    case 'edit':
      return pattern.match === 'file' ? t('Edits this one file: {0}', pattern.path) : t('Edits every file below {0}', pattern.path);
    case 'tool':
      return t('Uses this tool ({0}) when it has exactly this title', pattern.toolKind);
  }
}

export interface ScopeNames {
  readonly agent: string;
  readonly session: string;
  readonly workspace: string;
}

/** Where the rule counts, to go behind its meaning. */
export const scopeText = (scope: GrantScope, { agent, session, workspace }: ScopeNames): string =>
  scope === 'session' ? t('only in the session “{0}”', session) : t('in every session of {0} in {1}', agent, workspace);

/** Who made the rule, from where, and what it has answered. */
export function historyText({ createdAt, createdBy, uses, lastUsedAt, revokedAt }: Grant, windowId: string): string {
  const used = uses === 0 || lastUsedAt === null ? [] : [t('last used {0}', timeText(lastUsedAt))];
  const revoked = revokedAt === null ? [] : [t('revoked {0}', timeText(revokedAt))];
  return [madeText(createdBy, timeText(createdAt), windowId), ...used, ...revoked].join('; ');
}

function madeText({ clientKind, windowId }: Grant['createdBy'], when: string, here: string): string {
  if (clientKind === 'cli') return t('Made {0} in the CLI', when);
  if (clientKind !== 'editor') return t('Made {0} in another client', when);
  return windowId === here ? t('Made {0} in this window', when) : t('Made {0} in another window', when);
}

export const usesText = (uses: number): string => (uses === 0 ? t('not used') : t(uses === 1 ? 'used once' : 'used {0} times', uses));

const timeText = (at: number): string => new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function relativeName(file: string, workspace: string): string {
  const name = path.relative(workspace, file);
  return name === '' || name.startsWith('..') ? file : name;
}
