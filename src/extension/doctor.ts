import path from 'node:path';
import * as vscode from 'vscode';
import { told } from '../base/l10n.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import type { AgentCatalogue } from './agents/agentCatalogue.ts';
import type { GatewayConnection } from './gateway/gatewayConnection.ts';
import type { ResultOf } from '../protocol/methods.ts';
import { PRODUCT_VERSION } from '../protocol/version.ts';
import { describeToPeople } from './log.ts';

/** One finding. `action`: the command that helps, run when the row is chosen. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly action?: { readonly command: string; readonly title: string };
}

export interface DoctorOptions {
  readonly connection: GatewayConnection;
  readonly calls: GatewayCalls;
  readonly catalogue: AgentCatalogue;
  readonly agentId: () => string;
  readonly dataRoot: string;
}

/** Looks at everything a turn needs. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  return [folderFinding(), trustFinding(), await agentFinding(options), linkFinding(options), ...(await gatewayFindings(options))];
}

export async function showFindings(findings: readonly Finding[]): Promise<void> {
  const bad = findings.filter(({ ok }) => !ok).length;
  const rows = findings.map((finding) => ({
    label: `${finding.ok ? '$(pass)' : '$(error)'} ${finding.name}`,
    detail: finding.detail,
    description: finding.action?.title ?? '',
    finding,
  }));
  const title = bad === 0 ? vscode.l10n.t('Attaché Doctor: everything works') : vscode.l10n.t(bad === 1 ? 'Attaché Doctor: {0} thing needs attention' : 'Attaché Doctor: {0} things need attention', bad);
  const placeHolder = findings.some(({ action }) => action !== undefined) ? vscode.l10n.t('Choose a line to do what it says') : vscode.l10n.t('Nothing to do; Escape closes this list');
  const row = await vscode.window.showQuickPick(rows, { title, placeHolder, ignoreFocusOut: true });
  if (row?.finding.action !== undefined) await vscode.commands.executeCommand(row.finding.action.command);
}

function folderFinding(): Finding {
  const count = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').length;
  if (count > 0) return { name: vscode.l10n.t('Folder'), ok: true, detail: vscode.l10n.t('{0} open', count) };
  return { name: vscode.l10n.t('Folder'), ok: false, detail: vscode.l10n.t('No folder on a disk is open. Agents work in a folder.'), action: { command: 'vscode.openFolder', title: vscode.l10n.t('Open Folder') } };
}

function trustFinding(): Finding {
  if (vscode.workspace.isTrusted) return { name: vscode.l10n.t('Workspace Trust'), ok: true, detail: vscode.l10n.t('This folder is trusted.') };
  const detail = vscode.l10n.t('This folder is not trusted: no agent is started and nothing is executed or written.');
  return { name: vscode.l10n.t('Workspace Trust'), ok: false, detail, action: { command: 'workbench.trust.manage', title: vscode.l10n.t('Manage Workspace Trust') } };
}

async function agentFinding({ catalogue, agentId }: DoctorOptions): Promise<Finding> {
  const entry = await catalogue.find(agentId());
  const action = { command: 'attache.selectAgent', title: vscode.l10n.t('Select Agent…') };
  if (entry === undefined) return { name: vscode.l10n.t('Agent'), ok: false, detail: vscode.l10n.t('The agent “{0}” is not configured.', agentId()), action };
  if (!entry.installed) return { name: vscode.l10n.t('Agent'), ok: false, detail: `${vscode.l10n.t('{0} was not found.', entry.label)} ${entry.install}`, action };
  return { name: vscode.l10n.t('Agent'), ok: true, detail: `${entry.label}: ${entry.detail}` };
}

function linkFinding({ connection, dataRoot }: DoctorOptions): Finding {
  const { state } = connection;
  const action = { command: 'attache.restartGateway', title: vscode.l10n.t('Restart Gateway') };
  switch (state.state) {
    case 'connected':
      return { name: vscode.l10n.t('Gateway'), ok: true, detail: vscode.l10n.t('Connected; its data is in {0}', dataRoot) };
    case 'connecting':
      return { name: vscode.l10n.t('Gateway'), ok: false, detail: vscode.l10n.t('Connecting…'), action };
    case 'disconnected':
      return { name: vscode.l10n.t('Gateway'), ok: false, detail: told(state.message), action };
    case 'failed':
      return { name: vscode.l10n.t('Gateway'), ok: false, detail: `${told(state.message)} ${told(state.next)}`, action };
  }
}

async function gatewayFindings({ connection, calls, dataRoot }: DoctorOptions): Promise<Finding[]> {
  if (connection.state.state !== 'connected') return [];
  try {
    const { status, checks, readbacks, bindings } = await calls.call('gateway/diagnostics', {});
    const mib = (bytes: number, digits: number): string => (bytes / 1024 / 1024).toFixed(digits);
    const facts = vscode.l10n.t('Version {0}, Node {1}, process {2}, {3} connected, {4} MiB on disk, {5} MiB of memory', status.version, status.nodeVersion, status.pid, status.connections, mib(status.storeBytes, 1), mib(status.rssBytes, 0));
    // What is in order is in the facts already.
    const troubles = checks.filter(({ ok, name }) => !ok || !TOLD.has(name)).map(({ name, ok, detail }) => ({ name: vscode.l10n.t('Gateway {0}', told(name)), ok, detail: sentence(told(detail)) }));
    const kept = status.storeOutcome.kind === 'recovered' ? [{ name: vscode.l10n.t('Damaged files'), ok: false, detail: vscode.l10n.t('Are kept in {0}', path.join(dataRoot, status.storeOutcome.keptIn)) }] : [];
    return [{ name: vscode.l10n.t('Gateway process'), ok: true, detail: facts }, versionFinding(status.version), readbackFinding(readbacks), bindingFinding(bindings), ...troubles, ...kept];
  } catch (error) {
    return [{ name: vscode.l10n.t('Gateway process'), ok: false, detail: describeToPeople(error), action: { command: 'attache.restartGateway', title: vscode.l10n.t('Restart Gateway') } }];
  }
}

/** They understand each other, or there were no link; which of them is older is worth knowing all the same. */
function versionFinding(gateway: string): Finding {
  if (gateway === PRODUCT_VERSION) return { name: vscode.l10n.t('Versions'), ok: true, detail: vscode.l10n.t('This window and the gateway are {0}', PRODUCT_VERSION) };
  return { name: vscode.l10n.t('Versions'), ok: true, detail: vscode.l10n.t('This window is {0}, the gateway {1}; they understand each other. An older gateway is replaced when nothing runs in it.', PRODUCT_VERSION, gateway) };
}

type Diagnostics = ResultOf<'gateway/diagnostics'>;

const quoted = (counts: Readonly<Record<string, number>>): string => {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? vscode.l10n.t('None yet') : some.map(([name, count]) => `${count} ${name}`).join(', ');
};

/** As each channel reads back, in the gateway's own words. */
function readbackFinding(readbacks: Diagnostics['readbacks']): Finding {
  const detail = quoted(readbacks);
  if ((readbacks.unrecognized ?? 0) === 0) return { name: vscode.l10n.t('Conversations'), ok: true, detail };
  return { name: vscode.l10n.t('Conversations'), ok: false, detail: vscode.l10n.t('{0}. What is unrecognized was made by another version: update Attaché.', detail) };
}

/** How the open sessions stand to their goals. */
function bindingFinding(bindings: Diagnostics['bindings']): Finding {
  const detail = quoted(bindings);
  if ((bindings.invalid ?? 0) === 0) return { name: vscode.l10n.t('Open sessions'), ok: true, detail };
  const action = { command: 'attache.recreateGoal', title: vscode.l10n.t('Recreate Goal…') };
  return { name: vscode.l10n.t('Open sessions'), ok: false, detail: vscode.l10n.t('{0}. The stored identity of a goal is damaged: recreate it.', detail), action };
}

const TOLD: ReadonlySet<string> = new Set(['store', 'store content', 'memory']);

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
