import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { repository } from '../../support/repository.ts';

/** All that makes the system bring a window to the front or blink, or opens one over another. */
const RAISING = /focusWindow|switchWindow|quickSwitch|openNewWindow|newWindow|moveEditorToNewWindow|copyEditorToNewWindow|requestAttention|flashFrame|moveTop|(?<![\w.])alert\(|\bwindow\.(?:focus|open|alert)\(|new Notification\(|\.requestPermission\(/;
/** What a person presses for: a folder that is opened by the button of that name. */
const OPENS_FOLDER = /'vscode\.openFolder'/;

const sources = (): { readonly file: string; readonly text: string }[] =>
  fs.globSync('{src/extension,media/chat}/**/*.ts', { cwd: repository }).map((file) => ({ file: file.replaceAll('\\', '/'), text: fs.readFileSync(path.join(repository, file), 'utf8') }));
const filesWith = (pattern: RegExp): string[] => sources().filter(({ text }) => pattern.test(text)).map(({ file }) => file).sort();

describe('the manners of the extension', () => {
  it('C38 nothing raises the window of the system', () => {
    assert.ok(sources().length > 100);
    assert.deepEqual(filesWith(RAISING), []);
    assert.deepEqual(filesWith(OPENS_FOLDER), ['src/extension/chat/panelHandlers.ts', 'src/extension/doctor.ts', 'src/extension/sessions/sessionCommands.ts']);
    for (const text of ["commands.executeCommand('workbench.action.switchWindow')", 'window.focus()', 'new Notification(title)', 'alert(text)']) assert.match(text, RAISING);
  });

  it('C39 the permission mode of a session is changed by one command alone, which the chip and the palette run', () => {
    assert.deepEqual(filesWith(/changes: \{[^}]*permissionMode/), ['src/extension/grants/ruleCommands.ts']);
  });
});
