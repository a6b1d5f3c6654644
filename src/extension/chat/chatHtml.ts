import * as vscode from 'vscode';
import { randomHex } from '../randomId.ts';
import { chatBody, type NotLoadedWords, RELOAD_COMMAND } from './chatBody.ts';

/** The document around the chat page: nothing but our own script and styles may load, and nothing may connect anywhere. */
export function chatHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomHex();
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
  ].join('; ');
  return [
    '<!DOCTYPE html>',
    `<html lang="${vscode.env.language}">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<link rel="stylesheet" href="${file('codicon.css')}">`,
    `<link rel="stylesheet" href="${file('chat.css')}">`,
    '<title>Attaché</title>',
    '</head>',
    `<body>${chatBody({ dictionary: vscode.l10n.bundle, words: notLoaded(), script: `nonce="${nonce}" src="${file('chat.js')}"` })}</body>`,
    '</html>',
  ].join('\n');
}

const notLoaded = (): NotLoadedWords => ({
  what: vscode.l10n.t('This panel could not be loaded. The work goes on in the background; nothing is lost.'),
  reload: vscode.l10n.t('Reload Panel'),
  next: vscode.l10n.t('If that does not help, run “Developer: Reload Window”.'),
});

/** What a webview that shows the chat may do. */
export const chatWebviewOptions = (extensionUri: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableForms: false,
  enableCommandUris: [RELOAD_COMMAND],
  localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist')],
});
