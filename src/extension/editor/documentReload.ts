import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';

export type Reloaded = 'reloaded' | 'edited' | 'late';

const reloadMs = 2_000;

/**
 * Waits until a document that had nothing unsaved shows what was written to its file. edited: somebody typed before it did.
 * late: the editor does not watch this file, or has not noticed.
 */
export async function documentReload(document: vscode.TextDocument, text: string, clock: Clock): Promise<Reloaded> {
  const wanted = evened(text);
  const look = (): Reloaded | null => {
    if (document.isClosed || evened(document.getText()) === wanted) return 'reloaded';
    return document.isDirty ? 'edited' : null;
  };
  const now = look();
  if (now !== null) return now;
  const listening = new DisposableStore();
  try {
    return await new Promise<Reloaded>((resolve) => {
      const check = (changed: vscode.TextDocument): void => {
        const found = changed === document ? look() : null;
        if (found !== null) resolve(found);
      };
      listening.add(vscode.workspace.onDidChangeTextDocument(({ document: changed }) => check(changed)));
      listening.add(vscode.workspace.onDidCloseTextDocument(check));
      listening.add(clock.setTimeout(() => resolve(look() ?? 'late'), reloadMs));
    });
  } finally {
    listening.dispose();
  }
}

/** For a file that the editor does not watch: opening it in another encoding and back makes it read the disk, without a focus or a tab. */
export async function readAgain(document: vscode.TextDocument): Promise<void> {
  const { uri, encoding } = document;
  try {
    await vscode.workspace.openTextDocument(uri, { encoding: encoding === 'utf8' ? 'iso88591' : 'utf8' });
  } finally {
    await vscode.workspace.openTextDocument(uri, { encoding });
  }
}

/** Documents have one line end throughout. */
const evened = (text: string): string => text.replaceAll(/\r\n|\r/g, '\n');
