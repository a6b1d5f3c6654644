import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { AttacheError } from '../../protocol/errors.ts';

// Documents a person writes in; output, diffs' left sides and the like are none.
const WRITABLE: ReadonlySet<string> = new Set(['file', 'untitled', 'vscode-remote', 'vscode-vfs', 'vscode-notebook-cell']);

/** Remembers the text editor used last, also while a chat in a tab has the focus. */
export class LastEditor implements Disposable {
  readonly #disposables = new DisposableStore();
  #editor: vscode.TextEditor | undefined = vscode.window.activeTextEditor;

  constructor() {
    this.#disposables.add(vscode.window.onDidChangeActiveTextEditor((editor) => { this.#editor = editor ?? this.#editor; }));
  }

  /** Only while it is on the screen: nothing is written into a document that nobody looks at. */
  get last(): vscode.TextEditor | undefined {
    const editor = this.#editor;
    return editor !== undefined && vscode.window.visibleTextEditors.includes(editor) && WRITABLE.has(editor.document.uri.scheme) ? editor : undefined;
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** Puts code at each cursor of an editor, in place of what is selected, as one step that can be undone. */
export async function insertCode(editor: vscode.TextEditor | undefined, text: string): Promise<void> {
  if (editor === undefined) throw new AttacheError('not_found', { message: 'No text editor is open to insert into.', next: 'Open the file and put the cursor where the code belongs, or press Open as New File.' });
  const code = text.replace(/\n$/, '');
  const done = await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, code);
  });
  if (!done) throw new AttacheError('permission_denied', { message: `The code could not be inserted into ${vscode.workspace.asRelativePath(editor.document.uri)}.`, next: 'Look whether that file is read-only, or press Open as New File.' });
  await vscode.window.showTextDocument(editor.document, { ...(editor.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn }) });
}

/** Opens code as a document that is no file yet. */
export async function openAsNewFile(text: string, language: string): Promise<void> {
  const known = await vscode.languages.getLanguages();
  const named = languageId(language);
  const document = await vscode.workspace.openTextDocument({ content: text, ...(known.includes(named) ? { language: named } : {}) });
  await vscode.window.showTextDocument(document, { preview: false });
}

const IDS: Readonly<Record<string, string>> = {
  'ts': 'typescript', 'tsx': 'typescriptreact', 'js': 'javascript', 'mjs': 'javascript', 'cjs': 'javascript', 'jsx': 'javascriptreact', 'py': 'python', 'rb': 'ruby', 'rs': 'rust',
  'sh': 'shellscript', 'bash': 'shellscript', 'zsh': 'shellscript', 'shell': 'shellscript', 'console': 'shellscript', 'yml': 'yaml', 'md': 'markdown', 'c++': 'cpp', 'cs': 'csharp', 'c#': 'csharp',
  'golang': 'go', 'kt': 'kotlin', 'ps1': 'powershell', 'docker': 'dockerfile', 'toml': 'ini', 'svg': 'xml', 'patch': 'diff',
};

/** An agent's word for a language as the editor's name of it. */
export const languageId = (language: string): string => IDS[language.toLowerCase()] ?? language.toLowerCase();
