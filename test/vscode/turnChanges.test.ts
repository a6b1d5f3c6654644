import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as vscode from 'vscode';
import { Chat } from './support/chat.ts';
import { answering, type Asked, type Reply } from './support/dialogs.ts';
import { closeEditors, demoFile, readDemo, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { until } from './support/until.ts';

/** One turn that does one thing to files. Gives its id. */
async function turnOf(chat: Chat, message: string): Promise<string> {
  const key = await chat.say(message);
  await chat.decide(await chat.request('edit'), 'allow_once');
  return (await chat.turnEnd(key)).turnId;
}

const revert = (turnId: string, reply: Reply): Promise<Asked[]> => answering(reply, () => vscode.commands.executeCommand('attache.revertTurn', turnId));

const TEXT = 'one\ntwo\nthree\nfour\nfive\n';

describe('what a turn did to files', () => {
  before(async () => vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global));
  afterEach(closeEditors);

  it('is taken back where nobody has touched it since, in the open document, undoable', async () => {
    writeDemo('turns/a.txt', TEXT);
    const { document } = await showDemo('turns/a.txt');
    const chat = await Chat.fresh();
    const turnId = await turnOf(chat, '/edit turns/a.txt two => zwei');
    await until('the document shows it', () => document.getText().includes('zwei'));
    const tabs = (): string[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
    const before = tabs();
    const [plan] = await revert(turnId, () => 'picked');
    assert.deepEqual(plan?.rows, ['-- As the turn left it', 'turns/a.txt | gets its earlier text back']);
    assert.equal(readDemo('turns/a.txt'), TEXT);
    await until('the document follows', () => document.getText() === TEXT);
    assert.deepEqual(tabs(), before);
    const [again] = await revert(turnId, () => 'picked');
    assert.deepEqual(again?.rows, ['-- Nothing to do', 'turns/a.txt | is as it was before the turn']);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    await until('one undo brings it back', () => document.getText().includes('zwei'));
  });

  it('a created file is deleted, a deleted one created again, byte for byte', async () => {
    const chat = await Chat.fresh();
    const made = await turnOf(chat, '/write turns/new.txt hello');
    const [plan] = await revert(made, () => 'picked');
    assert.match(plan?.rows.join('\n') ?? '', /new\.txt \| was created by the turn and is deleted/);
    assert.equal(fs.existsSync(demoFile('turns/new.txt')), false);
    writeDemo('turns/bytes.txt', '\uFEFFone\r\ntwo\n');
    const bytes = fs.readFileSync(demoFile('turns/bytes.txt'));
    const changed = await turnOf(chat, '/edit turns/bytes.txt one => eins');
    fs.rmSync(demoFile('turns/bytes.txt'));
    const shown = await revert(changed, ({ rows }) => (rows.includes('Discard Later Changes') ? 'Discard Later Changes' : 'bytes.txt'));
    assert.match(shown[0]?.rows.join('\n') ?? '', /changed since by you or another session; is gone and is created again/);
    assert.deepEqual(fs.readFileSync(demoFile('turns/bytes.txt')), bytes);
  });

  it('C12 is in the transcript with who took back what, and is undone from there: also a created file that was deleted', async () => {
    writeDemo('turns/undo.txt', TEXT);
    const chat = await Chat.fresh();
    const made = await turnOf(chat, '/write turns/undo-new.txt hello');
    const notices = () => chat.view.items.flatMap(({ itemId, data, text }) => (data.kind === 'notice' && data.revert !== undefined ? [{ itemId, text, revert: data.revert }] : []));
    fs.chmodSync(demoFile('turns/undo-new.txt'), 0o600);
    await revert(made, ({ rows }) => (rows.includes('Undo') ? null : 'picked'));
    assert.equal(fs.existsSync(demoFile('turns/undo-new.txt')), false);
    const [first] = await until('the notice is there', () => (notices().length === 1 ? notices() : undefined));
    assert.equal(first!.text, 'The changes of turn 1 were taken back: turns/undo-new.txt (deleted).');
    assert.deepEqual([first!.revert.turnId, first!.revert.by.windowId], [made, chat.window.core.memory.windowId]);
    await answering(() => null, () => vscode.commands.executeCommand('attache.undoRevert', first!.itemId));
    assert.equal(readDemo('turns/undo-new.txt').trimEnd(), 'hello');
    const [, second] = await until('the undoing is there, too', () => (notices().length === 2 ? notices() : undefined));
    assert.equal(second!.text, 'The revert of turn 1 was undone: turns/undo-new.txt (created again).');
    // What somebody made in the meantime is asked about.
    await answering(() => null, () => vscode.commands.executeCommand('attache.undoRevert', second!.itemId));
    writeDemo('turns/undo-new.txt', 'mine\n');
    const asked = await answering(() => null, () => vscode.commands.executeCommand('attache.undoRevert', first!.itemId));
    assert.deepEqual(asked.map(({ title }) => title), ['Revert turns/undo-new.txt all the same?']);
    assert.equal(readDemo('turns/undo-new.txt'), 'mine\n');
  });

  it('is undone by the button of what it says at once', async () => {
    writeDemo('turns/button.txt', TEXT);
    const chat = await Chat.fresh();
    const turnId = await turnOf(chat, '/edit turns/button.txt two => zwei');
    const asked = await revert(turnId, ({ rows, title }) => (rows.includes('Undo') ? (title.includes('reverted: turns/button.txt') ? 'Undo' : null) : 'picked'));
    assert.match(asked.at(-1)?.title ?? '', /reverted: turns\/button\.txt/);
    await until('it is undone', () => readDemo('turns/button.txt') === TEXT.replace('two', 'zwei'));
  });

  it('what a person typed since, unsaved, is asked about and kept', async () => {
    writeDemo('turns/mine.txt', TEXT);
    const chat = await Chat.fresh();
    const turnId = await turnOf(chat, '/edit turns/mine.txt two => zwei');
    const editor = await showDemo('turns/mine.txt');
    await until('the document shows it', () => editor.document.getText().includes('zwei'));
    await replaceLine(editor, 4, 'mine');
    // Nothing is chosen beforehand, and Escape at the question leaves the file.
    const [plan, ...more] = await revert(turnId, () => 'picked');
    assert.deepEqual([plan?.rows, more], [['-- Changed since: asked about once more', 'turns/mine.txt | changed since by you or another session; gets its earlier text back'], []]);
    const asked = await revert(turnId, ({ rows }) => (rows.includes('Keep Later Changes') ? null : 'mine.txt'));
    assert.deepEqual(asked[1]?.rows, ['Keep Later Changes', 'Discard Later Changes']);
    assert.equal(editor.document.getText(), 'one\nzwei\nthree\nfour\nmine\n');
    await revert(turnId, ({ rows }) => (rows.includes('Keep Later Changes') ? 'Keep Later Changes' : 'mine.txt'));
    assert.equal(editor.document.getText(), 'one\ntwo\nthree\nfour\nmine\n');
    assert.deepEqual([editor.document.isDirty, readDemo('turns/mine.txt')], [true, TEXT.replace('two', 'zwei')]);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'one\nzwei\nthree\nfour\nmine\n');
  });

  it('what a later turn did is told apart; its own revert is clean', async () => {
    writeDemo('turns/later.txt', TEXT);
    const chat = await Chat.fresh();
    const first = await turnOf(chat, '/edit turns/later.txt two => zwei');
    const second = await turnOf(chat, '/edit turns/later.txt zwei => deux');
    const [plan] = await revert(first, () => null);
    assert.match(plan?.rows[1] ?? '', /changed by a later turn/);
    await revert(second, () => 'picked');
    assert.equal(readDemo('turns/later.txt'), TEXT.replace('two', 'zwei'));
  });

  it('is shown whole in one multi-diff', async () => {
    writeDemo('turns/show.txt', TEXT);
    const chat = await Chat.fresh();
    const turnId = await turnOf(chat, '/edit turns/show.txt two => zwei');
    await vscode.commands.executeCommand('attache.showTurnChanges', turnId);
    const tab = await until('the multi-diff opens', () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label.includes('before and after')));
    assert.match(tab.label, /^Turn 1: before and after/);
    const sides = await until('both sides are read', () => {
      const texts = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'attache-proposal' && uri.path.endsWith('turns/show.txt')).map((document) => document.getText());
      return texts.length === 2 && texts;
    });
    assert.deepEqual([...sides].sort(), [TEXT, TEXT.replace('two', 'zwei')].sort());
  });
});
