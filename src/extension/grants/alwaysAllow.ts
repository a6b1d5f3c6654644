import path from 'node:path';
import * as vscode from 'vscode';
import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';
import type { GrantPattern } from '../../protocol/grant/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { RememberedRule } from '../approvals/approvalCentre.ts';
import { patternMeaning, patternText, scopeText, type GrantScope } from './grantWords.ts';
import { offeredPatterns } from './offeredPatterns.ts';

export interface AlwaysChoice {
  readonly option: ApprovalOption;
  /** Absent: the agent keeps the rule by itself. */
  readonly remember?: RememberedRule;
}

interface Row extends vscode.QuickPickItem {
  readonly choice?: AlwaysChoice;
}

/**
 * Asks which rule is to be stored with the answer. Each row is a rule, word for word, with all it lets happen and where; nothing is
 * stored before one is chosen. Where none can be, it says why. The agent's own “always” is told apart.
 */
export async function chooseAlways(approval: Approval, session: Session, agent: string): Promise<AlwaysChoice | undefined> {
  const once = approval.options.find(({ kind }) => kind === 'allow_once');
  const offers = offeredPatterns(approval, {
    workspace: session.workspace, permissionMode: session.permissionMode, trusted: vscode.workspace.isTrusted, shell: process.platform === 'win32' ? 'windows' : 'posix',
  });
  const own = vscode.workspace.isTrusted ? agentRows(approval, agent) : [];
  if ('why' in offers && own.length === 0) {
    void vscode.window.showInformationMessage(`${vscode.l10n.t('Attaché: no rule can be made of this request.')} ${offers.why}`);
    return undefined;
  }
  const names = { agent, session: session.title, workspace: session.workspace };
  const ruleRows = (scope: GrantScope, patterns: readonly GrantPattern[]): Row[] => patterns.map((pattern) => ({
    label: patternText(pattern, session.workspace),
    description: briefly(pattern, session.workspace),
    detail: scope === 'session' ? vscode.l10n.t('In this session only') : vscode.l10n.t('In every session of {0} in {1}', agent, path.basename(session.workspace)),
    ...(once === undefined ? {} : { choice: { option: once, remember: { scope, pattern } } }),
  }));
  const rows: Row[] = 'why' in offers
    ? [{ label: `$(info) ${offers.why}` }]
    : [separator(vscode.l10n.t('Rules for this session')), ...ruleRows('session', offers.patterns), separator(vscode.l10n.t('Rules for this workspace')), ...ruleRows('workspace', offers.patterns)];
  const row = await vscode.window.showQuickPick<Row>([...rows, ...own], {
    title: vscode.l10n.t('Always Allow: {0}', approval.title), placeHolder: vscode.l10n.t('Choose the rule; it is shown in full before it is stored'), matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true,
  });
  const choice = row?.choice;
  if (choice?.remember === undefined) return choice;
  const { pattern, scope } = choice.remember;
  // A list cuts what is long; here all of it is read before it is stored.
  const store = vscode.l10n.t('Store Rule and Allow');
  const detail = vscode.l10n.t('{0}; {1}; until you revoke it with “Manage Grants…”', patternMeaning(pattern), scopeText(scope, names));
  return (await vscode.window.showInformationMessage(vscode.l10n.t('Always allow “{0}”?', patternText(pattern, session.workspace)), { modal: true, detail }, store)) === store ? choice : undefined;
}

function briefly(pattern: GrantPattern, workspace: string): string {
  switch (pattern.kind) {
    case 'command':
      return `${pattern.match === 'exact' ? vscode.l10n.t('exactly these words') : vscode.l10n.t('and any words behind them')}${pattern.cwd === workspace ? '' : vscode.l10n.t(', in {0}', path.relative(workspace, pattern.cwd))}`;
    case 'edit':
      return pattern.match === 'file' ? vscode.l10n.t('this one file') : vscode.l10n.t('every file below');
    case 'tool':
      return vscode.l10n.t('{0} tool of exactly this title', pattern.toolKind);
  }
}

/** In the agent's own words. */
function agentRows({ options }: Approval, agent: string): Row[] {
  const own = options.filter(({ kind }) => kind === 'allow_always');
  if (own.length === 0) return [];
  return [separator(vscode.l10n.t('{0}’s own rules', agent)), ...own.map((option) => ({ label: option.name, detail: vscode.l10n.t('{0} keeps this rule itself. Attaché stores nothing, and cannot list or revoke it.', agent), choice: { option } }))];
}

const separator = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
