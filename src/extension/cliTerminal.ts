import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';

export interface CliTerminalOptions {
  /** The bundled command line. */
  readonly script: string;
  /** A folder of ours for the program that a shell finds. */
  readonly binFolder: string;
  readonly dataRoot: string;
  /** Where the terminal begins; undefined where no folder is open. */
  readonly folder: string | undefined;
}

// What differs from machine to machine stands in the environment: no path is ever part of a shell's text.
const UNIX = '#!/bin/sh\nELECTRON_RUN_AS_NODE=1 exec "$ATTACHE_NODE" "$ATTACHE_CLI" "$@"\n';
const WINDOWS = '@echo off\r\nsetlocal\r\nset ELECTRON_RUN_AS_NODE=1\r\n"%ATTACHE_NODE%" "%ATTACHE_CLI%" %*\r\n';

/** Opens a terminal in which `attache` is the bundled command line, run by the editor's own Node, on this window's data and folder. */
export function openCliTerminal(options: CliTerminalOptions): vscode.Terminal {
  const { binFolder, folder } = options;
  fs.mkdirSync(binFolder, { recursive: true });
  fs.writeFileSync(path.join(binFolder, 'attache'), UNIX, { mode: 0o755 });
  if (process.platform === 'win32') fs.writeFileSync(path.join(binFolder, 'attache.cmd'), WINDOWS);
  const terminal = vscode.window.createTerminal({
    name: 'Attaché',
    iconPath: new vscode.ThemeIcon('terminal'),
    message: vscode.l10n.t('Attaché on the command line: try “attache status” or “attache --help”.'),
    env: cliEnvironment(options),
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  terminal.show();
  return terminal;
}

function cliEnvironment({ script, binFolder, dataRoot, folder }: CliTerminalOptions): Record<string, string | null> {
  // Windows knows it as Path.
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    [name]: `${binFolder}${path.delimiter}${process.env[name] ?? ''}`,
    ATTACHE_NODE: process.execPath,
    ATTACHE_CLI: script,
    ATTACHE_DATA_ROOT: dataRoot,
    ATTACHE_WORKSPACE: folder ?? null,
    // As in the window: in a folder that is not trusted nothing may be changed.
    ATTACHE_READ_ONLY: vscode.workspace.isTrusted ? null : '1',
  };
}
