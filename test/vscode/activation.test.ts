import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extension } from './support/chat.ts';
import { until } from './support/until.ts';

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly category: string; readonly title: string }[]; readonly keybindings: readonly { readonly command: string; readonly key: string; readonly win?: string; readonly when?: string }[] };
}

/** Whether all of these must hold; the editor gives them in an order of its own. */
const sets = (when: string, ...clauses: readonly string[]): boolean => clauses.every((clause) => when.split(' && ').includes(clause));

describe('activation', () => {
  it('nothing is activated before somebody uses it', () => {
    assert.equal(extension().isActive, false);
    assert.deepEqual((extension().packageJSON as Manifest).activationEvents.filter((event) => event.startsWith('onStartup') || event === '*'), []);
  });

  it('a command activates it, and it connects to a gateway it starts itself', async () => {
    await vscode.commands.executeCommand('attache.showLog');
    assert.equal(extension().isActive, true);
    const { window } = extension().exports;
    await until('the gateway is connected', () => window.core.connection.state.state === 'connected');
    const status = await window.core.calls.call('gateway/status', {});
    assert.notEqual(status.pid, process.pid);
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });

  it('every declared command is registered, and the reverse', async () => {
    const declared = (extension().packageJSON as Manifest).contributes.commands.map(({ command }) => command).sort();
    const registered = (await vscode.commands.getCommands(true)).filter((command) => command.startsWith('attache.') && command.split('.').length === 2).sort();
    assert.deepEqual(registered, declared);
  });

  it('commands are named as people expect, and no key works outside our own views (C40)', () => {
    const { commands, keybindings: all } = (extension().packageJSON as Manifest).contributes;
    assert.deepEqual(commands.filter(({ category }) => category !== 'Attaché'), []);
    // In the tree of sessions, and not while a name is typed there.
    const others = all.filter(({ when = '' }) => !sets(when, "focusedView =~ /^attache\\.sessions/", 'listFocus', '!inputFocus'));
    const { diff = [], page = [] } = Object.groupBy(others, ({ when = '' }) => (sets(when, "resourceScheme == 'attache-proposal'") ? 'diff' : 'page'));
    for (const { when } of page) assert.match(when ?? '', /attache\.(inputFocused|approvalFocused)/);
    // The editor hears late that the focus has left a page: no key of it may answer, and the others must not hold where text is written.
    assert.deepEqual(page.filter(({ command }) => /approve|reject|stop/i.test(command)), []);
    for (const { command, when } of page) if (command !== 'attache.focusRequest') assert.match(when ?? '', /!editorTextFocus && .*!inputFocus\b/);
    // Not in what else of a diff takes text: its search, a comment. There these keys delete a word, or send.
    for (const { command, when = '' } of diff) assert.ok(sets(when, 'editorTextFocus', 'editorReadonly', 'attache.diffVisible'), command);
    assert.equal(diff.length, 4);
    // On Windows AltGr is Ctrl+Alt: with it many people write ą, ń or @.
    assert.deepEqual(all.map(({ key, win = key }) => win).filter((key) => /ctrl/.test(key) && /alt/.test(key) && /\+.$/.test(key)), []);
  });
});
