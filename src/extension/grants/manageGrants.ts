import * as vscode from 'vscode';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { Grant } from '../../protocol/grant/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import { newCommandId } from '../randomId.ts';
import { historyText, patternMeaning, patternText, scopeText, usesText } from './grantWords.ts';

export interface GrantListFacts {
  readonly calls: GatewayCalls;
  readonly folders: readonly string[];
  readonly sessions: readonly Session[];
  readonly currentSession: string | null;
  readonly windowId: string;
  readonly agentLabel: (agentId: string) => string;
}

export interface GrantRow extends vscode.QuickPickItem {
  readonly grant?: Grant;
}

const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Revoke') };

/** Lists the rules in force by their scope; `wanted` is in front, also when it is revoked. Its Revoke button, or Enter and a question, ends a rule at once. */
export async function manageGrants(facts: GrantListFacts, failed: (error: unknown) => void, wanted: string | null = null): Promise<void> {
  const grants = await readGrants(facts, wanted);
  if (grants.length === 0) return void vscode.window.showInformationMessage(vscode.l10n.t('Attaché: no rule is stored for the folders of this window. “Always Allow…” on a request makes one.'));
  const pick = vscode.window.createQuickPick<GrantRow>();
  pick.title = vscode.l10n.t('Rules That Answer for You');
  pick.placeholder = vscode.l10n.t('What is allowed without asking. Choose a rule to revoke it.');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  show(pick, grantRows(grants, facts), wanted);
  const revoke = async (grant: Grant): Promise<void> => {
    await revokeGrant(facts.calls, grant);
    show(pick, grantRows((await readGrants(facts, null)), facts), null);
    if (pick.items.length === 0) pick.hide();
  };
  pick.onDidTriggerItemButton(({ item: { grant } }) => {
    if (grant !== undefined) revoke(grant).catch(failed);
  });
  pick.onDidAccept(() => {
    const grant = pick.activeItems[0]?.grant;
    pick.hide();
    if (grant?.revokedAt === null) askToRevoke(facts, grant).catch(failed);
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

async function readGrants({ calls, folders }: GrantListFacts, wanted: string | null): Promise<Grant[]> {
  const lists = await Promise.all(folders.map((workspace) => calls.call('grant/list', { workspace, includeRevoked: wanted !== null })));
  return lists.flatMap(({ grants }) => grants).filter(({ revokedAt, grantId }) => revokedAt === null || grantId === wanted);
}

function show(pick: vscode.QuickPick<GrantRow>, rows: readonly GrantRow[], wanted: string | null): void {
  pick.items = rows;
  const front = rows.find(({ grant }) => grant !== undefined && grant.grantId === wanted);
  if (front !== undefined) pick.activeItems = [front];
}

async function askToRevoke(facts: GrantListFacts, grant: Grant): Promise<void> {
  const revoke = vscode.l10n.t('Revoke');
  const text = vscode.l10n.t('Revoke the rule “{0}”?', patternText(grant.pattern, grant.workspace));
  const answer = await vscode.window.showWarningMessage(text, { modal: true, detail: vscode.l10n.t('{0}. {1}. From then on it is asked about again.', meaning(facts, grant), historyText(grant, facts.windowId)) }, revoke);
  if (answer === revoke) await revokeGrant(facts.calls, grant);
}

async function revokeGrant(calls: GatewayCalls, { grantId, pattern, workspace }: Grant): Promise<void> {
  await calls.call('grant/revoke', { commandId: newCommandId(), grantId });
  vscode.window.setStatusBarMessage(vscode.l10n.t('$(check) Attaché: the rule “{0}” is revoked.', patternText(pattern, workspace)), 5000);
}

/** The session in front, other sessions, then each folder; what is revoked comes last. */
export function grantRows(grants: readonly Grant[], facts: GrantListFacts): GrantRow[] {
  const groups = new Map<string, Grant[]>();
  const order = [...grants].sort((a, b) => rank(a, facts) - rank(b, facts));
  for (const grant of order) {
    const name = groupName(grant, facts);
    groups.set(name, [...(groups.get(name) ?? []), grant]);
  }
  return [...groups].flatMap(([name, members]) => [{ label: name, kind: vscode.QuickPickItemKind.Separator }, ...members.map((grant) => grantRow(grant, facts))]);
}

const rank = ({ sessionId, revokedAt }: Grant, { currentSession }: GrantListFacts): number => (revokedAt !== null ? 3 : sessionId === null ? 2 : sessionId === currentSession ? 0 : 1);

function groupName(grant: Grant, facts: GrantListFacts): string {
  if (grant.revokedAt !== null) return vscode.l10n.t('Revoked');
  return grant.sessionId === null ? vscode.l10n.t('Workspace {0}', grant.workspace) : vscode.l10n.t('Session “{0}”', sessionTitle(grant, facts));
}

function grantRow(grant: Grant, facts: GrantListFacts): GrantRow {
  return {
    label: patternText(grant.pattern, grant.workspace),
    description: `${facts.agentLabel(grant.agentId)} · ${usesText(grant.uses)}`,
    detail: `${historyText(grant, facts.windowId)} · ${patternMeaning(grant.pattern)}`,
    buttons: grant.revokedAt === null ? [REVOKE] : [],
    grant,
  };
}

const meaning = (facts: GrantListFacts, grant: Grant): string =>
  `${patternMeaning(grant.pattern)}; ${scopeText(grant.sessionId === null ? 'workspace' : 'session', { agent: facts.agentLabel(grant.agentId), session: sessionTitle(grant, facts), workspace: grant.workspace })}`;

const sessionTitle = ({ sessionId }: Grant, { sessions }: GrantListFacts): string => sessions.find((session) => session.sessionId === sessionId)?.title ?? vscode.l10n.t('a closed session');
