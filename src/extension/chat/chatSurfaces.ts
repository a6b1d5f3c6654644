import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { settings } from '../settings.ts';
import { ChatPanel, type ChatPanelOptions, type ChatSurface, type PanelLook } from './chatPanel.ts';
import type { ChatPanels } from './chatPanels.ts';
import { chatHtml, chatWebviewOptions } from './chatHtml.ts';
import { PanelBridge, type PanelHandlers } from './panelBridge.ts';

export const CHAT_TAB = 'attache.chat';
const VIEW_PLACE = 'view';

export interface ChatSurfacesOptions extends Omit<ChatPanelOptions, 'surface'> {
  readonly extensionUri: vscode.Uri;
  readonly panels: ChatPanels;
  readonly handlers: () => PanelHandlers;
  readonly log: Logger;
  /** Called when a chat is about to be seen: what it needs is to be started. */
  readonly wake: () => void;
}

/** Puts chats on the screen: one in the side bar, any number as editor tabs, all of one kind. */
export class ChatSurfaces implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, Disposable {
  readonly #options: ChatSurfacesOptions;
  readonly #disposables = new DisposableStore();
  readonly #bridges = new Map<ChatPanel, PanelBridge>();
  #view: { readonly panel: ChatPanel; readonly webviewView: vscode.WebviewView } | null = null;

  constructor(options: ChatSurfacesOptions) {
    this.#options = options;
    const view = { webviewOptions: { retainContextWhenHidden: false } };
    for (const id of ['attache.chat', 'attache.chatSide']) this.#disposables.add(vscode.window.registerWebviewViewProvider(id, this, view));
    this.#disposables.add(vscode.window.registerWebviewPanelSerializer(CHAT_TAB, this));
  }

  /** What the side bar shows or will show. */
  get viewConversation(): string {
    return this.#view?.panel.conversation ?? this.#options.memory.shown(VIEW_PLACE) ?? '';
  }

  resolveWebviewView(webviewView: vscode.WebviewView): void {
    this.#options.wake();
    const remembered = this.#options.memory.shown(VIEW_PLACE);
    const conversation = remembered ?? this.#options.fresh();
    if (remembered === undefined) void this.#options.memory.setShown(VIEW_PLACE, conversation);
    const surface: ChatSurface = {
      webview: webviewView.webview,
      isVisible: () => webviewView.visible,
      reveal: (preserveFocus) => webviewView.show(preserveFocus),
      setTitle: () => undefined,
      setLook: () => undefined,
      close: () => undefined,
    };
    const { panel, store } = this.#open(surface, conversation);
    this.#view = { panel, webviewView };
    store.add(panel.onConversationChanged((shown) => void this.#options.memory.setShown(VIEW_PLACE, shown)));
    store.add(webviewView.onDidChangeVisibility(() => this.#visibilityChanged(panel)));
    webviewView.onDidDispose(() => {
      this.#view = null;
      store.dispose();
    });
    webviewView.webview.options = chatWebviewOptions(this.#options.extensionUri);
    webviewView.webview.html = chatHtml(webviewView.webview, this.#options.extensionUri);
  }

  async deserializeWebviewPanel(tab: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.#adoptTab(tab, conversationIn(state) ?? this.#options.fresh());
  }

  /** Shows a conversation as an editor tab. */
  openTab(conversation: string): ChatPanel {
    const place = { viewColumn: vscode.ViewColumn.Active, preserveFocus: false };
    return this.#adoptTab(vscode.window.createWebviewPanel(CHAT_TAB, 'Attaché', place, { retainContextWhenHidden: false }), conversation);
  }

  /** Shows a conversation in the side bar, opening it when it is not there yet. */
  async showInView(conversation: string, preserveFocus: boolean): Promise<void> {
    if (this.#view === null) await this.#options.memory.setShown(VIEW_PLACE, conversation);
    else this.#view.panel.show(conversation);
    await this.revealView(preserveFocus);
  }

  async revealView(preserveFocus: boolean): Promise<void> {
    if (this.#view !== null) this.#view.webviewView.show(preserveFocus);
    else await vscode.commands.executeCommand(`${settings.chatView()}.focus`, { preserveFocus });
  }

  /** Takes a message as if the page of this chat had sent it. */
  async receive(panel: ChatPanel, message: unknown): Promise<void> {
    await this.#bridges.get(panel)?.receive(message);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #adoptTab(tab: vscode.WebviewPanel, conversation: string): ChatPanel {
    this.#options.wake();
    let shownLook: PanelLook | null = null;
    const surface: ChatSurface = {
      webview: tab.webview,
      isVisible: () => tab.visible,
      reveal: (preserveFocus) => tab.reveal(undefined, preserveFocus),
      setTitle: (title) => {
        if (tab.title !== title) tab.title = title;
      },
      setLook: (look) => {
        if (look !== shownLook) tab.iconPath = icons(this.#options.extensionUri, look);
        shownLook = look;
      },
      close: () => tab.dispose(),
    };
    const { panel, store } = this.#open(surface, conversation);
    store.add(tab.onDidChangeViewState(() => this.#visibilityChanged(panel)));
    tab.onDidDispose(() => store.dispose());
    tab.webview.options = chatWebviewOptions(this.#options.extensionUri);
    tab.webview.html = chatHtml(tab.webview, this.#options.extensionUri);
    return panel;
  }

  #open(surface: ChatSurface, conversation: string): { panel: ChatPanel; store: DisposableStore } {
    const { panels, handlers, log } = this.#options;
    const store = new DisposableStore();
    const panel = store.add(new ChatPanel({ ...this.#options, surface }, conversation));
    store.add(panels.add(panel));
    const bridge = new PanelBridge({ panel, handlers, log });
    this.#bridges.set(panel, bridge);
    store.add(toDisposable(() => this.#bridges.delete(panel)));
    store.add(bridge.listen((listener) => surface.webview.onDidReceiveMessage(listener)));
    return { panel, store };
  }

  #visibilityChanged(panel: ChatPanel): void {
    if (panel.isVisible) this.#options.panels.touch(panel);
    else {
      panel.pageGone();
      this.#options.panels.touchNone();
    }
  }
}

const ICONS: Readonly<Record<PanelLook, string>> = { idle: 'attache', working: 'attache-working', needsYou: 'attache-waiting' };

function icons(extensionUri: vscode.Uri, look: PanelLook): { readonly light: vscode.Uri; readonly dark: vscode.Uri } {
  const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, `media/icons/${ICONS[look]}-${theme}.svg`);
  return { light: icon('light'), dark: icon('dark') };
}

/** What the page kept for its own restoration. */
function conversationIn(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('conversation' in state)) return null;
  return typeof state.conversation === 'string' && state.conversation.length <= 200 ? state.conversation : null;
}
