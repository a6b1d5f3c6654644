// Reads what VS Code's own themes give to a webview and keeps what the chat page's style sheets use, in themes.json.
// Run after a style sheet names another variable:
//   node test/support/panelHarness/readThemes.ts
import fs from 'node:fs/promises';
import path from 'node:path';
import { startEditor } from '../../e2e/support/editor.ts';
import { themes } from '../vscodeHost/settings.ts';

const root = path.resolve(import.meta.dirname, '../../..');
// What VS Code's own style sheet for webviews uses.
const always = ['--vscode-font-weight', '--vscode-scrollbarSlider-background', '--vscode-sideBar-background', '--vscode-editor-foreground', '--vscode-editor-background', '--vscode-textPreformat-foreground'];

interface Given {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

async function usedVariables(): Promise<ReadonlySet<string>> {
  const used = new Set(always);
  for await (const file of fs.glob('media/chat/**/*.css', { cwd: root })) {
    for (const [name] of (await fs.readFile(path.join(root, file), 'utf8')).matchAll(/--vscode-[\w.-]+/g)) used.add(name);
  }
  return used;
}

async function readTheme(theme: string, used: ReadonlySet<string>): Promise<Given> {
  const editor = await startEditor({ settings: { 'workbench.colorTheme': theme, 'workbench.reduceMotion': 'off' } });
  try {
    const given = await (await editor.openChat()).locator('body').evaluate((body): Given => {
      const { style } = body.ownerDocument.documentElement;
      return { bodyClass: body.className, variables: Object.fromEntries([...style].sort().map((name) => [name, style.getPropertyValue(name)])) };
    });
    return { ...given, variables: Object.fromEntries(Object.entries(given.variables).filter(([name]) => used.has(name))) };
  } finally {
    await editor.stop();
  }
}

const used = await usedVariables();
const read: Record<string, Given> = {};
for (const [name, theme] of Object.entries(themes)) read[name] = await readTheme(theme, used);
await fs.writeFile(path.join(import.meta.dirname, 'themes.json'), `${JSON.stringify(read, null, 2)}\n`);
