import type { Goal } from '../../../src/protocol/goal/state.ts';
import type { FileChange } from '../../../src/protocol/item/state.ts';
import type { PanelChrome, PanelState } from '../../../src/protocol/panel.ts';
import type { Session } from '../../../src/protocol/session/state.ts';
import { ids } from './ids.ts';

export const THIS_WINDOW = 'window-1';
export const OTHER_WINDOW = 'window-2';
/** 14:02 of a fixed day, in the time zone of the machine. */
export const NOON = new Date(2030, 4, 14, 14, 2, 0).getTime();

export function chrome(change: Partial<PanelChrome> = {}): PanelChrome {
  return {
    connection: { state: 'connected' },
    windowId: THIS_WINDOW,
    windowClientId: THIS_WINDOW,
    trusted: true,
    hasFolder: true,
    folderName: 'demo',
    agent: { agentId: 'codex', label: 'Codex', installed: true },
    agentProcess: { state: 'running' },
    sendWith: 'enter',
    outbox: [],
    version: '0.1.0',
    ...change,
  };
}

export function goal(): Goal {
  return { goalId: ids.goal('cart-rounding'), workspace: '/home/me/demo', lifetime: 2, title: 'Round prices half to even in the cart', objective: '', state: 'live', createdAt: NOON, updatedAt: NOON, retiredAt: null };
}

export function session(change: Partial<Session> = {}): Session {
  return {
    sessionId: ids.session(), workspace: '/home/me/demo', goalId: ids.goal('cart-rounding'), goalTitle: 'Round prices half to even in the cart', lifetime: 2,
    agentId: 'codex', sessionMode: 'attached_host', executorEndpointId: 'codex', hostSurface: 'vscode', attachedCapabilities: ['session_queue', 'claim_wait', 'reply_readback', 'interrupt'],
    channelId: ids.channel(), status: 'ready', activeTurnId: null, lastErrorCode: null, title: 'Round prices half to even in the cart', bindingMatch: 'current',
    executor: { state: 'connected', windowId: THIS_WINDOW, surface: 'vscode' },
    readback: { sessionMode: 'attached_host', sessionModeSource: 'session_readback', sessionStatus: 'ready', available: true },
    queue: { paused: false, pending: 0, oldestAt: null }, pendingApprovals: 0,
    agent: {
      name: 'Codex', version: '1.0.0', contextUsed: null, contextSize: null,
      options: [
        { id: 'mode', name: 'Mode', category: 'mode', value: 'ask', choices: [{ value: 'ask', name: 'Ask', description: 'Asks before every change' }, { value: 'auto', name: 'Auto' }] },
        { id: 'model', name: 'Model', category: 'model', value: 'fake-model', choices: [{ value: 'fake-model', name: 'fake-model' }] },
      ],
      commands: [],
    },
    wanted: [], permissionMode: 'ask', pinned: false, archivedAt: null,
    createdAt: NOON, updatedAt: NOON, closedAt: null,
    ...change,
  };
}

/** A new session that has no message yet. */
export function fresh(change: Partial<PanelState> = {}): PanelState {
  return { generation: 1, conversation: 'conversation-1', chrome: chrome(), view: null, draft: '', draftAt: 0, attachments: [], scroll: null, ...change };
}

export function change(label = 'src/cart.ts', more: Partial<FileChange> = {}): FileChange {
  return {
    path: `/home/me/demo/${label}`, label, before: ids.digest(1), after: ids.digest(2), added: 2, removed: 1,
    lines: [
      { t: ' ', text: 'export function roundPrice(value: number): number {' },
      { t: '-', text: '  return Math.round(value);' },
      { t: '+', text: '  const floor = Math.floor(value);' },
      { t: '+', text: '  return value - floor === 0.5 ? floor + (floor & 1) : Math.round(value);' },
      { t: ' ', text: '}' },
    ],
    linesCut: false,
    ...more,
  };
}
