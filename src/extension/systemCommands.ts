import * as vscode from 'vscode';
import { AttacheError } from '../protocol/errors.ts';
import type { GatewayCalls } from '../client/gatewayClient.ts';
import type { AgentCatalogue } from './agents/agentCatalogue.ts';
import { pickAgent } from './agents/agentPicker.ts';
import type { ChatPanels } from './chat/chatPanels.ts';
import type { CommandTable } from './commands.ts';
import { examine, showFindings } from './doctor.ts';
import { freeUpSpace } from './freeUpSpace.ts';
import type { GatewayConnection } from './gateway/gatewayConnection.ts';
import type { WindowHost } from './hosting/windowHost.ts';
import type { RedactingChannel } from './log.ts';
import type { WindowMemory } from './memory.ts';
import { newCommandId } from './randomId.ts';

export interface SystemCommandOptions {
  readonly connection: GatewayConnection;
  readonly calls: GatewayCalls;
  readonly catalogue: AgentCatalogue;
  readonly memory: WindowMemory;
  readonly panels: ChatPanels;
  readonly host: WindowHost;
  readonly log: RedactingChannel;
  readonly dataRoot: string;
  readonly agentId: () => string;
  /** Opens the command line in a terminal. */
  readonly openCli: () => Promise<void>;
}

type SystemCommand = 'selectAgent' | 'restartAgent' | 'restartGateway' | 'doctor' | 'freeUpSpace' | 'openCli' | 'showLog' | 'openSettings';

const ANSWER_MS = 3_000;
const SHOWN_MS = 6_000;
const BACK_MS = 15_000;

/** The palette's commands about agents, the gateway and Attaché itself. */
export function systemCommands(options: SystemCommandOptions): Pick<CommandTable, SystemCommand> {
  const { connection, calls, catalogue, memory, panels, host, log, dataRoot, agentId, openCli } = options;
  return {
    selectAgent: async () => {
      const entry = await pickAgent(await catalogue.list(), agentId());
      if (entry === undefined) return;
      await memory.setAgentId(entry.agentId);
      panels.sendChrome();
      const current = panels.current?.view?.session;
      if (current === undefined || current.agentId === entry.agentId) return;
      const begin = vscode.l10n.t('New Session');
      const text = vscode.l10n.t('Attaché: new sessions use {0}. The session you see goes on with {1}.', entry.label, catalogue.label(current.agentId));
      if ((await vscode.window.showInformationMessage(text, begin)) === begin) await vscode.commands.executeCommand('attache.newSession');
    },
    restartAgent: async (sessionId) => {
      const id = typeof sessionId === 'string' ? sessionId : (panels.current?.sessionId ?? null);
      if (id === null) return void vscode.window.setStatusBarMessage(vscode.l10n.t('Attaché: this session has no agent yet.'), 4000);
      await withProgress(vscode.l10n.t('Attaché: restarting the agent…'), () => host.restartAgent(id));
      vscode.window.setStatusBarMessage(vscode.l10n.t('$(check) Attaché: the agent was restarted.'), SHOWN_MS);
    },
    restartGateway: async () => {
      await withProgress(vscode.l10n.t('Attaché: restarting the gateway…'), async () => {
        const back = isBack(connection);
        if (connection.state.state === 'connected') await shutDown(calls, log);
        await Promise.all([connection.reconnect(), back]);
      });
      vscode.window.setStatusBarMessage(vscode.l10n.t('$(check) Attaché: the gateway was restarted.'), SHOWN_MS);
    },
    doctor: async () => showFindings(await examine({ connection, calls, catalogue, agentId, dataRoot })),
    freeUpSpace: () => freeUpSpace(calls),
    openCli,
    showLog: () => log.show(),
    openSettings: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:attache.attache');
    },
  };
}

const withProgress = async (title: string, work: () => Promise<void>): Promise<void> => vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);

/** The next link; refused when there is none for long, which the chat then shows as well. */
function isBack(connection: GatewayConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const opened = connection.onOpened(() => done(resolve));
    const late = setTimeout(() => done(() => reject(new AttacheError('gateway_unavailable'))), BACK_MS);
    const done = (end: () => void): void => {
      opened.dispose();
      clearTimeout(late);
      end();
    };
  });
}

/** Hosts keep their claims: a running turn goes on with the next gateway. */
async function shutDown(calls: GatewayCalls, log: RedactingChannel): Promise<void> {
  const giveUp = AbortSignal.timeout(ANSWER_MS);
  try {
    await calls.call('gateway/shutdown', { commandId: newCommandId(), ifIdle: false }, giveUp);
  } catch (error) {
    log.info(`the gateway did not answer its shutdown: ${String(error)}`);
  }
}
