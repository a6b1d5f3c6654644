import { t } from '../../base/l10n.ts';
import type { PermissionMode } from './state.ts';

/** A permission mode in words, the same wherever it is shown. */
export interface PermissionWords {
  /** The short name. */
  readonly label: string;
  /** What it means, in a sentence. */
  readonly hint: string;
}

export function permissionWords(mode: PermissionMode): PermissionWords {
  switch (mode) {
    case 'ask':
      return { label: t('Ask'), hint: t('You are asked, except where your settings or a rule of yours (Manage Grants…) already say it.') };
    case 'askAlways':
      return { label: t('Ask always'), hint: t('You are asked about everything, whatever your settings and rules allow.') };
    case 'acceptEdits':
      return { label: t('Accept edits'), hint: t('Edits inside the folder are made without asking, protected files excepted. Commands are asked about.') };
    case 'readOnly':
      return { label: t('Read only'), hint: t('Edits, commands and tools that may change something are refused.') };
  }
}
