import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { FakeScript, Step } from '../agents/support/fakeScript.ts';
import { Chat } from './support/chat.ts';
import { answering } from './support/dialogs.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { closeEditors, demoFile, readDemo, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

const OLD = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('');
const NEW = OLD.replace('line 2\n', 'two\n').replace('line 15\n', 'fifteen\n');

const file = (name: string): string => `{{cwd}}/many/${name}`;
const diff = (name: string, oldText: string | null) => ({ type: 'diff', path: file(name), oldText, newText: NEW });
const asks = (id: string, names: readonly [string, string | null][], allowed: readonly Step[] = []): Step =>
  ({ permission: { id, toolCall: { toolCallId: id, title: 'Change the lines', kind: 'edit', content: names.map(([name, old]) => diff(name, old)) }, then: { allow: allowed } } });
const script: FakeScript = {
  prompts: [
    { match: 'itself', steps: [asks('itself', [['a.txt', OLD], ['new.txt', null]], [{ applyWrite: { path: file('a.txt'), content: NEW } }, { applyWrite: { path: file('new.txt'), content: NEW } }]), { text: 'done' }] },
    // Who writes through us once is taken to do so again: then it may be chosen hunk by hunk.
    { match: 'through us', steps: [
      { write: { path: file('first.txt'), content: 'first\n' } }, { read: { path: file('a.txt') } }, { read: { path: file('b.txt') } },
      asks('through', [['a.txt', OLD], ['b.txt', OLD]], [{ write: { path: file('a.txt'), content: NEW } }, { write: { path: file('b.txt'), content: NEW } }]), { text: 'done' },
    ] },
  ],
};

type MultiDiff = { readonly textDiffs: readonly vscode.TabInputTextDiff[] };

const tabs = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
const isMultiDiff = ({ input }: vscode.Tab): boolean => typeof input === 'object' && input !== null && 'textDiffs' in input;
const openTabs = (): string[] => tabs().map(({ label, isActive, group }) => `${group.viewColumn} ${label}${isActive ? ' *' : ''}`);

async function openedDiff({ approvalId }: Approval): Promise<MultiDiff['textDiffs']> {
  await vscode.commands.executeCommand('attache.openDiff', approvalId);
  const tab = await until('the multi-diff is in front', () => { const { activeTab } = vscode.window.tabGroups.activeTabGroup; return activeTab !== undefined && isMultiDiff(activeTab) && activeTab; });
  return (tab.input as MultiDiff).textDiffs;
}

const lenses = async (uri: vscode.Uri): Promise<string[]> =>
  (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri)).map(({ range, command }) => `${range.start.line} ${(command?.title ?? '').replaceAll('\u00A0', ' ')}`);

describe('an edit of many files', () => {
  let agent: ChosenFakeAgent;

  before(async () => { agent = await ChosenFakeAgent.choose(script); });
  after(async () => agent.dispose());
  beforeEach(() => {
    for (const name of ['a.txt', 'b.txt', 'mine.txt', 'read.txt']) writeDemo(`many/${name}`, OLD);
    for (const name of ['new.txt', 'first.txt']) fs.rmSync(demoFile(`many/${name}`), { force: true });
  });
  afterEach(closeEditors);

  /** A tab in each of two groups, the one in front a preview. */
  async function twoGroups(): Promise<string[]> {
    await showDemo('many/mine.txt');
    await vscode.window.showTextDocument(vscode.Uri.file(demoFile('many/mine.txt')), { viewColumn: vscode.ViewColumn.Two, preview: false });
    await vscode.window.showTextDocument(vscode.Uri.file(demoFile('many/read.txt')), { viewColumn: vscode.ViewColumn.One, preview: true });
    return openTabs();
  }

  it('C41 opens as one multi-diff, is approved from there and leaves the tabs, groups and previews as they were', async () => {
    const before = await twoGroups();
    const chat = await Chat.fresh();
    const key = await chat.say('by itself');
    const request = await chat.request('edit');
    const shown = await openedDiff(request);
    assert.deepEqual(shown.map(({ modified }) => modified.path.split('/').at(-1)), ['a.txt', 'new.txt']);
    assert.deepEqual(tabs().filter((tab) => !isMultiDiff(tab)).map(({ label }) => label), before.map((tab) => tab.split(' ')[1]));
    assert.deepEqual(await Promise.all(shown.map(async ({ modified }) => (await lenses(modified)).filter((lens) => /Allow|Reject/.test(lens)).length)), [4, 2]);
    await vscode.commands.executeCommand('attache.openDiff', request.approvalId);
    assert.equal(tabs().filter(isMultiDiff).length, 1);
    await vscode.commands.executeCommand('attache.approveDiff');
    await chat.turnEnd(key);
    assert.equal(agent.permissions().at(-1), 'itself=allow');
    assert.deepEqual([readDemo('many/a.txt'), fs.existsSync(demoFile('many/new.txt'))], [NEW, true]);
    await until('the multi-diff is closed', () => !tabs().some(isMultiDiff));
    assert.deepEqual(openTabs(), before);
    // To be read later it opens again, and stays.
    assert.equal((await openedDiff(request)).length, 2);
  });

  it('is rejected from there as a whole, and closes', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('by itself');
    await openedDiff(await chat.request('edit'));
    await vscode.commands.executeCommand('attache.rejectDiff');
    await chat.turnEnd(key);
    assert.equal(agent.permissions().at(-1), 'itself=reject');
    assert.deepEqual([readDemo('many/a.txt'), fs.existsSync(demoFile('many/new.txt'))], [OLD, false]);
    await until('the multi-diff is closed', () => !tabs().some(isMultiDiff));
  });

  it('is chosen hunk by hunk in the file where the cursor is, also where two files have one text', async () => {
    const chat = await Chat.fresh();
    const key = await chat.say('through us');
    await chat.decide(await chat.request('edit'), 'allow_once');
    const request = await until('many are asked for', () => chat.view.approvals.find(({ status, subject }) => status === 'pending' && subject.kind === 'edit' && subject.changes.length === 2));
    const [a, b] = (await openedDiff(request)).map(({ modified }) => modified);
    assert.ok(a !== undefined && b !== undefined);
    assert.deepEqual((await lenses(b)).filter((lens) => lens.includes('Change')), ['2 $(check) Approve Change', '2 $(close) Reject Change', '15 $(check) Approve Change', '15 $(close) Reject Change']);
    const editor = await vscode.window.showTextDocument(b, { preview: false });
    editor.selection = new vscode.Selection(15, 0, 15, 0);
    await vscode.commands.executeCommand('attache.rejectHunk');
    assert.deepEqual([(await lenses(a)).filter((lens) => lens.includes('Undo')), (await lenses(b)).filter((lens) => lens.includes('Undo'))], [[], ['15 $(discard) Left out · Undo']]);
    await vscode.commands.executeCommand('attache.approveDiff');
    await chat.turnEnd(key);
    assert.deepEqual([readDemo('many/a.txt'), readDemo('many/b.txt')], [NEW, NEW.replace('fifteen', 'line 15')]);
    await until('every view of it is closed', () => tabs().length === 0);
    // One of its files is taken back; the others stay.
    const { turnId } = chat.turn(key)!;
    const [plan] = await answering(({ rows }) => (rows.includes('Undo') ? null : 'many/b.txt'), () => vscode.commands.executeCommand('attache.revertTurn', turnId));
    assert.deepEqual(plan?.rows.map((row) => row.split(' | ')[0]), ['-- As the turn left it', 'many/first.txt', 'many/a.txt', 'many/b.txt']);
    assert.deepEqual(['first', 'a', 'b'].map((name) => readDemo(`many/${name}.txt`)), ['first\n', NEW, OLD]);
  });
});
