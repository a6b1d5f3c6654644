import * as vscode from 'vscode';

/** A list or question that the extension has shown, as a person would read it. */
export interface Asked {
  readonly title: string;
  /** Of a list: `label | description | detail`, separators as `-- label`; of a question its buttons. */
  readonly rows: readonly string[];
  /** What a modal question says below its text. */
  readonly detail: string;
}

/** Which row or button is pressed: by a part of its text. Null: Escape. */
export type Reply = (asked: Asked) => string | null;

type Item = vscode.QuickPickItem;
type Rows = readonly Item[] | Thenable<readonly Item[]>;

const isSeparator = (item: Item): boolean => item.kind === vscode.QuickPickItemKind.Separator;
const rowText = (item: Item): string => (isSeparator(item) ? `-- ${item.label}` : [item.label, item.description, item.detail].filter((part) => part !== undefined && part !== '').join(' | '));

/** Answers every list and question that `act` brings up, and gives what was shown. A person’s answer cannot be made from inside the editor otherwise. */
export async function answering(reply: Reply, act: () => PromiseLike<unknown>): Promise<Asked[]> {
  const window = vscode.window as unknown as Record<string, unknown>;
  const names = ['showQuickPick', 'showInformationMessage', 'showWarningMessage'] as const;
  const before = names.map((name) => window[name]);
  const shown: Asked[] = [];
  const answer = (asked: Asked): string | null => {
    shown.push(asked);
    return reply(asked);
  };
  window['showQuickPick'] = async (given: Rows, options: vscode.QuickPickOptions = {}): Promise<Item | Item[] | undefined> => {
    const items = await given;
    const wanted = answer({ title: options.title ?? '', rows: items.map(rowText), detail: options.placeHolder ?? '' });
    const chosen = items.filter((item) => wanted !== null && !isSeparator(item) && (rowText(item).includes(wanted) || (wanted === 'picked' && item.picked === true)));
    if (options.canPickMany === true) return wanted === null ? undefined : chosen;
    return chosen[0];
  };
  const message = async (text: string, ...rest: readonly (string | vscode.MessageOptions)[]): Promise<string | undefined> => {
    const buttons = rest.filter((entry) => typeof entry === 'string');
    const [options] = rest.filter((entry) => typeof entry === 'object');
    const wanted = answer({ title: text, rows: buttons, detail: options?.detail ?? '' });
    return buttons.find((button) => button === wanted);
  };
  window['showInformationMessage'] = message;
  window['showWarningMessage'] = message;
  try {
    await act();
  } finally {
    names.forEach((name, index) => (window[name] = before[index]));
  }
  return shown;
}

/** What the editor's command of this name is given while `act` runs, call by call. Each of them does what it always does. */
export async function watching(name: string, act: () => PromiseLike<unknown>): Promise<readonly (readonly unknown[])[]> {
  const commands = vscode.commands as unknown as { executeCommand: typeof vscode.commands.executeCommand };
  const before = commands.executeCommand;
  const calls: unknown[][] = [];
  commands.executeCommand = <T>(command: string, ...given: unknown[]): Thenable<T> => {
    if (command === name) calls.push(given);
    return before(command, ...given);
  };
  try {
    await act();
  } finally {
    commands.executeCommand = before;
  }
  return calls;
}
