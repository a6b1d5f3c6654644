import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChatPanel } from '../../../src/extension/chat/chatPanel.ts';
import type { AttacheApi } from '../../../src/extension/main.ts';
import type { AttacheWindow } from '../../../src/extension/window/attacheWindow.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { FromPanel, ToPanel } from '../../../src/protocol/panel.ts';
import type { SessionSnapshot } from '../../../src/protocol/subscription/state.ts';
import { hasEnded } from '../../../src/protocol/turn/phase.ts';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { until } from './until.ts';

export const extension = (): vscode.Extension<AttacheApi> => {
  const found = vscode.extensions.getExtension<AttacheApi>('attache.attache');
  if (found === undefined) throw new Error('the extension is not there');
  return found;
};

export async function attache(): Promise<AttacheWindow> {
  return (await extension().activate()).window;
}

/** The chat in the side bar, with its real page; messages are put in where those of the page arrive. */
export class Chat {
  readonly window: AttacheWindow;
  readonly panel: ChatPanel;

  constructor(window: AttacheWindow, panel: ChatPanel) {
    this.window = window;
    this.panel = panel;
  }

  /** Opens the view on a new session. */
  static async fresh(): Promise<Chat> {
    const window = await attache();
    await vscode.commands.executeCommand('attache.newSession');
    const panel = await until('the chat opens', () => window.ui.panels.current);
    return new Chat(window, panel);
  }

  async send(message: FromPanel): Promise<void> {
    await this.window.ui.surfaces.receive(this.panel, message);
  }

  /** Sends a message and gives its key. */
  async say(text: string): Promise<string> {
    const clientTurnId = randomUUID();
    await this.send({ type: 'submit', conversation: this.panel.conversation, clientTurnId, text });
    return clientTurnId;
  }

  get view(): SessionSnapshot {
    if (this.panel.view === null) throw new Error('the chat shows no session');
    return this.panel.view;
  }

  turn(clientTurnId: string): Turn | undefined {
    return this.panel.view?.turns.find((turn) => turn.clientTurnId === clientTurnId);
  }

  async turnEnd(clientTurnId: string): Promise<Turn> {
    return until(`the turn ${clientTurnId} ends`, () => {
      const turn = this.turn(clientTurnId);
      return turn !== undefined && hasEnded(turn.state) ? turn : undefined;
    });
  }

  /** The one request that waits in this session. */
  async request(kind: Approval['subject']['kind']): Promise<Approval> {
    return until(`a request of kind ${kind}`, () => this.panel.view?.approvals.find((approval) => approval.status === 'pending' && approval.subject.kind === kind));
  }

  approval(approvalId: string): Approval | undefined {
    return this.panel.view?.approvals.find((approval) => approval.approvalId === approvalId);
  }

  async decide(approval: Approval, kind: 'allow_once' | 'reject_once'): Promise<void> {
    const option = approval.options.find((entry) => entry.kind === kind);
    if (option === undefined) throw new Error(`the agent offers no ${kind}`);
    await this.send({ type: 'decide', approvalId: approval.approvalId, optionId: option.optionId, actionDigest: approval.actionDigest });
  }

  /** What the agent answered in a turn. */
  answer(turn: Turn): string {
    return this.view.items.filter((item) => item.turnId === turn.turnId && item.data.kind === 'agent_message').map((item) => item.text).join('\n');
  }
}

/**
 * Everything that the page of a chat is told from now on, as it goes out; with `postWhenReady` only what waits for the page to show the conversation,
 * at the moment it is handed over.
 */
export function listenTo({ panel }: Chat, way: 'post' | 'postWhenReady' = 'post'): ToPanel[] {
  const told: ToPanel[] = [];
  const post = panel[way].bind(panel);
  panel[way] = (message) => {
    told.push(message);
    post(message);
  };
  return told;
}

/** The demo folder of this run. */
export function demoFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder === undefined) throw new Error('no folder is open');
  return folder;
}
