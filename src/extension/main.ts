import * as vscode from 'vscode';
import { speak } from '../base/l10n.ts';
import { RedactingChannel } from './log.ts';
import { AttacheWindow } from './window/attacheWindow.ts';

let opened: AttacheWindow | null = null;

/** What tests inside the extension host may look at. */
export interface AttacheApi {
  readonly window: AttacheWindow;
}

/** Registers everything and starts nothing: the gateway and agents come when a person opens the chat or runs a command. */
export function activate(context: vscode.ExtensionContext): AttacheApi | undefined {
  const begun = performance.now();
  speak(vscode.l10n.bundle ?? {});
  const log = new RedactingChannel(vscode.window.createOutputChannel('Attaché', { log: true }));
  const window = new AttacheWindow(context, log);
  opened = window;
  context.subscriptions.push(log, vscode.window.registerUriHandler({ handleUri: (uri) => window.openAddress(uri) }));
  log.info(`activated in ${(performance.now() - begun).toFixed(1)} ms`);
  return context.extensionMode === vscode.ExtensionMode.Test ? { window } : undefined;
}

/** Ends this window's agents with everything they started. Sessions and their state stay with the gateway. */
export async function deactivate(): Promise<void> {
  await opened?.dispose();
  opened = null;
}
