import * as vscode from 'vscode';
import { randomHex } from '../randomId.ts';

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
    `<body>${dictionary()}<script nonce="${nonce}" src="${file('chat.js')}"></script></body>`,
    '</html>',
  ].join('\n');
}

/** A data block is no script: the policy has nothing to allow. `<` would be able to end it. */
function dictionary(): string {
  const words = vscode.l10n.bundle;
  return words === undefined ? '' : `<script type="application/json" id="l10n">${JSON.stringify(words).replaceAll('<', String.raw`\u003c`)}</script>`;
}

/** What a webview that shows the chat may do. */
export const chatWebviewOptions = (extensionUri: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableForms: false,
  enableCommandUris: false,
  localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist')],
});
