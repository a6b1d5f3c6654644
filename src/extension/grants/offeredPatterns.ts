import path from 'node:path';
import { t } from '../../base/l10n.ts';
import { isWithin } from '../../execution/containment.ts';
import { isProtectedBelow } from '../../execution/protectedPath.ts';
import type { Approval, ApprovalSubject } from '../../protocol/approval/state.ts';
import { isOpaqueTool } from '../../protocol/grant/opaqueTools.ts';
import type { GrantPattern } from '../../protocol/grant/state.ts';
import type { PermissionMode } from '../../protocol/session/state.ts';
import { offeredCommandRules, parseSimpleCommand, type ShellKind } from '../../runtime/commandRule.ts';

/** What bears on the rules that may be made of one answer. */
export interface OfferFacts {
  readonly workspace: string;
  readonly permissionMode: PermissionMode;
  readonly trusted: boolean;
  readonly shell: ShellKind;
}

/** The rules that state what is asked, the narrowest first, or why there is none. */
export type Offers = { readonly patterns: readonly [GrantPattern, ...GrantPattern[]] } | { readonly why: string };

const no = (why: string): Offers => ({ why });

/** The gateway checks each rule again; here is said beforehand what it would take, and what not. */
export function offeredPatterns({ subject, options, title }: Pick<Approval, 'subject' | 'options' | 'title'>, facts: OfferFacts): Offers {
  if (!facts.trusted) return no(t('This folder is not trusted: no rule is stored for it.'));
  if (facts.permissionMode === 'askAlways') return no(t('This session always asks, whatever rules say. Change its permission mode first.'));
  if (!options.some(({ kind }) => kind === 'allow_once')) return no(t('The agent offers no answer for just this once, so a rule could not give it.'));
  switch (subject.kind) {
    case 'command':
      return commandOffers(subject, facts.shell);
    case 'edit':
      return editOffers(subject, facts.workspace);
    case 'tool':
      return isOpaqueTool(subject.toolKind) ? no(t('The request does not say exactly what it would run or change.')) : { patterns: [{ kind: 'tool', toolKind: subject.toolKind, title }] };
    case 'plan':
    case 'question':
      return no(t('It asks what you want, which no rule can know.'));
  }
}

function commandOffers(subject: Extract<ApprovalSubject, { kind: 'command' }>, shell: ShellKind): Offers {
  const [first, ...more] = offeredCommandRules(subject, shell).map(({ match, argv }) => ({ kind: 'command' as const, match, argv: [...argv], cwd: subject.cwd }));
  if (first !== undefined) return { patterns: [first, ...more] };
  if (shell === 'windows') return no(t('How a shell of Windows reads a command is not known, so each one is asked about.'));
  if (subject.envNames.length > 0) return no(t('It changes variables ({0}), which a rule does not state.', subject.envNames.join(', ')));
  if (parseSimpleCommand(subject.command, shell) === null) return no(t('Only a single plain command can become a rule. This one chains, substitutes, redirects or expands something, so its words do not say what will run.'));
  return no(t('The command seems to hold a secret, and rules are shown in lists.'));
}

function editOffers({ changes }: Extract<ApprovalSubject, { kind: 'edit' }>, workspace: string): Offers {
  const files = changes.map((change) => change.path);
  if (changes.some(({ conflict }) => conflict?.overlaps === true)) return no(t('The change replaces somebody else’s work, so a person decides each time.'));
  if (files.some((file) => !isWithin(workspace, file))) return no(t('A file lies outside of the folder, so a person decides each time.'));
  if (files.some((file) => isProtectedBelow(workspace, file))) return no(t('Files of this kind can widen rights or hold secrets, so a person decides each time.'));
  const [only, ...more] = files;
  const folder = commonFolder(files);
  const wide: GrantPattern[] = folder === workspace || !isWithin(workspace, folder) ? [] : [{ kind: 'edit', match: 'folder', path: folder }];
  if (only !== undefined && more.length === 0) return { patterns: [{ kind: 'edit', match: 'file', path: only }, ...wide] };
  const [first] = wide;
  return first === undefined ? no(t('No folder but the whole workspace holds all of these files. The permission mode “Accept edits” allows that.')) : { patterns: [first] };
}

function commonFolder([first = '', ...more]: readonly string[]): string {
  let folder = path.dirname(first);
  while (!more.every((file) => isWithin(folder, file))) folder = path.dirname(folder);
  return folder;
}
