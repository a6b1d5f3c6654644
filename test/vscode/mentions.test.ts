import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { digestOf } from '../../src/execution/digest.ts';
import type { MentionEntry } from '../../src/protocol/panelAttachment.ts';
import { demoFolder } from './support/chat.ts';
import { Composer } from './support/composer.ts';
import { closeEditors, demoFile, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const tokens = (entries: readonly MentionEntry[]): (string | null)[] => entries.map(({ token }) => token);

describe('what is found by @, in the editor', () => {
  afterEach(closeEditors);

  it('files and folders by letters, the nearest first, without what searches leave out; only the last question is answered', async () => {
    const composer = await Composer.open();
    for (const name of ['lib/Cartoon.ts', 'lib/carton/box.ts', 'hidden/cart.ts', 'deep/a/b/my cart.ts']) writeDemo(name, '');
    await vscode.workspace.getConfiguration('search').update('exclude', { '**/hidden': true }, vscode.ConfigurationTarget.Workspace);
    try {
      const found = tokens(await composer.mention('cart'));
      assert.deepEqual(found.slice(0, 1), ['@src/cart.ts']);
      assert.deepEqual(found.filter((token) => /Cartoon|carton\/$|my cart|hidden/.test(token ?? '')).sort(), ['@deep/a/b/my cart.ts', '@lib/Cartoon.ts', '@lib/carton/']);
      assert.deepEqual(tokens(await composer.mention('src/ca')).slice(0, 1), ['@src/cart.ts']);
      assert.ok(tokens(await composer.mention('crtn')).includes('@lib/Cartoon.ts'), 'letters between are allowed');
      assert.ok(tokens(await composer.mention('')).includes('@src/'));
      const first = composer.mention('car').catch(() => 'ended');
      await composer.chat.send({ type: 'mentionEnd' });
      assert.equal(await first, 'ended');
    } finally {
      await vscode.workspace.getConfiguration('search').update('exclude', undefined, vscode.ConfigurationTarget.Workspace);
      // The file is left behind, empty.
      fs.rmSync(demoFile('.vscode'), { recursive: true });
      for (const name of ['lib', 'hidden', 'deep']) fs.rmSync(demoFile(name), { recursive: true });
    }
  });

  it('symbols with the lines of their declaration', async () => {
    const composer = await Composer.open();
    const uri = vscode.Uri.file(demoFile('src/cart.ts'));
    const range = new vscode.Range(2, 0, 5, 1);
    const providers = [
      vscode.languages.registerWorkspaceSymbolProvider({ provideWorkspaceSymbols: (query) => (query.startsWith('zzRo') ? [new vscode.SymbolInformation('zzRound', vscode.SymbolKind.Function, '', new vscode.Location(uri, new vscode.Range(3, 4, 3, 9)))] : []) }),
      vscode.languages.registerDocumentSymbolProvider({ scheme: 'file', pattern: '**/cart.ts' }, { provideDocumentSymbols: () => [new vscode.DocumentSymbol('zzRound', '', vscode.SymbolKind.Function, range, range)] }),
    ];
    try {
      const entry = (await composer.mention('zzRo')).find(({ ref }) => ref.kind === 'symbol');
      assert.deepEqual([entry?.token, entry?.detail], ['@zzRound', 'src/cart.ts:4']);
      const attachment = await composer.attach(entry?.ref ?? assert.fail(), '@zzRound');
      assert.match(attachment?.detail ?? '', /Lines 3 to 6 of src\/cart\.ts/);
    } finally {
      for (const provider of providers) provider.dispose();
    }
  });

  it('selection, open editors and problems, when there are any', async () => {
    const composer = await Composer.open();
    const before = (await composer.mention('')).map(({ ref }) => ref.kind);
    assert.deepEqual(before.filter((kind) => ['selection', 'openEditors', 'changes'].includes(kind)), []);
    await showDemo('notes/todo.md');
    const editor = await showDemo('src/cart.ts');
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    const diagnostics = vscode.languages.createDiagnosticCollection('test');
    const problem = new vscode.Diagnostic(new vscode.Range(4, 2, 4, 5), 'is\nwrong', vscode.DiagnosticSeverity.Error);
    problem.source = 'checker';
    diagnostics.set(editor.document.uri, [problem, new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'only a hint', vscode.DiagnosticSeverity.Hint)]);
    try {
      const entries = await composer.mention('');
      assert.deepEqual(entries.slice(0, 2).map(({ ref, detail }) => `${ref.kind} ${detail}`), ['selection src/cart.ts:1-2', 'openEditors 2 files']);
      assert.equal(entries[2]?.ref.kind, 'problems');
      assert.deepEqual(tokens(await composer.mention('prob')).slice(0, 1), ['@problems']);
      await composer.attach({ kind: 'openEditors' });
      assert.deepEqual(composer.shown.map(({ name }) => name).sort(), ['notes/todo.md', 'src/cart.ts']);
      const attachment = await composer.attach({ kind: 'problems' }, '@problems');
      const text = await composer.textOf(attachment?.id ?? '');
      assert.match(text, /^src\/cart\.ts:5:3 error: is wrong \(checker\)$/m);
      assert.doesNotMatch(text, /only a hint/);
      assert.match(composer.chat.answer(await composer.send('fix @problems')), new RegExp(digestOf(text).slice(0, 12)));
    } finally {
      diagnostics.dispose();
    }
  });

  it('uncommitted changes, once the folder is a repository', async function () {
    const git = vscode.extensions.getExtension<{ getAPI(version: 1): { openRepository?(uri: vscode.Uri): Promise<unknown>; getRepository(uri: vscode.Uri): { status(): Promise<void> } | null } }>('vscode.git');
    assert.ok(git !== undefined, 'the editor has its Git extension');
    const run = (...args: string[]): void => void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: demoFolder() });
    run('init', '-q');
    try {
      writeDemo('tracked.txt', 'one\n');
      run('add', '.');
      run('commit', '-qm', 'first');
      writeDemo('tracked.txt', 'two\n');
      writeDemo('fresh.txt', 'new\n');
      const composer = await Composer.open();
      const api = (await git.activate()).getAPI(1);
      const repository = await until('the repository to be known', async () => {
        await api.openRepository?.(vscode.Uri.file(demoFolder()));
        return api.getRepository(vscode.Uri.file(demoFolder())) ?? undefined;
      });
      await repository.status();
      await until('the changes to be offered', async () => (await composer.mention('')).some(({ ref }) => ref.kind === 'changes'));
      const attachment = await composer.attach({ kind: 'changes' }, '@changes');
      assert.deepEqual(composer.failures, []);
      const text = await composer.textOf(attachment?.id ?? '');
      assert.match(text, /-one\n\+two/);
      assert.match(text, /New file, not in Git yet: fresh\.txt/);
    } finally {
      // The repository stays: the editor's Git would complain of its loss into whatever test runs by then.
      fs.rmSync(demoFile('fresh.txt'), { force: true });
      fs.rmSync(demoFile('tracked.txt'), { force: true });
    }
  });
});
