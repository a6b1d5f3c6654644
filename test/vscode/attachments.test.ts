import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { digestOf } from '../../src/execution/digest.ts';
import { pictureAddress, testPicture } from '../support/panelHarness/testPicture.ts';
import { extension } from './support/chat.ts';
import { Composer } from './support/composer.ts';
import { closeEditors, demoFile, replaceLine, showDemo, writeDemo } from './support/documents.ts';
import { ChosenFakeAgent } from './support/fakeAgent.ts';
import { until } from './support/until.ts';

describe('what goes with a message, in the editor', () => {
  afterEach(closeEditors);

  it('C36 pictures, files, passages and folders reach the agent just as they were, and stand in the transcript', async () => {
    const composer = await Composer.open();
    const [one, two] = [testPicture(1), testPicture(2)];
    await composer.paste('image.png', one);
    await composer.paste('image.png', two);
    const editor = await showDemo('src/cart.ts');
    await replaceLine(editor, 0, '// not saved');
    await composer.attach({ kind: 'file', path: demoFile('src/cart.ts') }, '@src/cart.ts');
    editor.selection = new vscode.Selection(1, 2, 4, 0);
    const passage = editor.document.getText(new vscode.Range(1, 0, 3, 1000));
    assert.equal((await composer.attach({ kind: 'selection' }))?.name, 'src/cart.ts:2-4');
    await composer.attach({ kind: 'folder', path: demoFile('notes') });
    await replaceLine(editor, 5, '// changed after it was added, before it was sent');
    const whole = editor.document.getText();
    const turn = await composer.send('look at these');
    const answer = composer.chat.answer(turn);
    for (const content of [one, two, whole, `${passage}\n`]) assert.match(answer, new RegExp(digestOf(content).slice(0, 12)), String(content).slice(0, 40));
    assert.match(answer, /src\/cart\.ts#L2-L4/);
    assert.match(answer, /link `notes\/` to `file:/);
    const item = composer.chat.view.items.find(({ itemId }) => itemId === turn.userItemId);
    assert.deepEqual(item?.data.kind === 'user_message' ? item.data.attachments?.map(({ name }) => name) : null, ['image.png', 'image.png', 'src/cart.ts', 'src/cart.ts:2-4', 'notes/']);
    assert.deepEqual(composer.shown, [], 'the next message goes without them');
    const digest = digestOf(one);
    await composer.chat.send({ type: 'loadPicture', digest });
    assert.ok(composer.told.some((message) => message.type === 'picture' && message.digest === digest && message.address === pictureAddress(one)));
    // As in another window, which has nothing of its own.
    fs.rmSync(composer.chat.window.core.attachmentFiles.path(digest));
    composer.told.length = 0;
    await composer.chat.send({ type: 'loadPicture', digest });
    assert.ok(composer.told.some((message) => message.type === 'picture' && message.digest === digest && message.address === pictureAddress(one)), 'from the gateway');
  });

  it('C16 are kept with the draft of their session, in every life of the window', async () => {
    const composer = await Composer.open();
    const { memory, attachmentFiles } = composer.chat.window.core;
    const one = composer.conversation;
    await composer.paste('image.png', testPicture(3));
    await composer.attach({ kind: 'file', path: demoFile('notes/todo.md') }, '@notes/todo.md');
    const before = composer.shown;
    await vscode.commands.executeCommand('attache.newSession');
    assert.deepEqual(composer.shown, [], 'a new session has none of them');
    composer.chat.panel.show(one);
    assert.deepEqual(composer.shown, before);
    const state = composer.told.flatMap((message) => (message.type === 'state' && message.state.conversation === one ? [message.state] : [])).at(-1);
    assert.deepEqual(state?.attachments, before);
    const [picture] = memory.notes(one).attachments;
    assert.deepEqual(await attachmentFiles.read(picture?.digest ?? ''), testPicture(3), 'on the disk');
    await composer.chat.window.core.attachments.clean(Date.now() + 30 * 24 * 3_600_000);
    assert.notEqual(await attachmentFiles.read(picture?.digest ?? ''), null, 'what a draft names is not cleaned up');
    await composer.chat.send({ type: 'detach', conversation: one, id: picture?.id ?? '' });
    assert.deepEqual(composer.shown.map(({ name }) => name), ['notes/todo.md']);
  });

  it('bytes that nothing names for a week are removed from the disk when the window connects', async () => {
    const composer = await Composer.open();
    const { attachmentFiles, connection } = composer.chat.window.core;
    const old = new Date(Date.now() - 8 * 24 * 3_600_000);
    const age = (digest: string): void => { fs.utimesSync(attachmentFiles.path(digest), old, old); };
    await composer.paste('kept.png', testPicture(41));
    const named = digestOf(testPicture(41));
    const [loose, fresh] = [await attachmentFiles.put(testPicture(42)), await attachmentFiles.put(testPicture(43))];
    age(named);
    age(loose);
    await connection.reconnect();
    await until('the loose bytes are gone', async () => (await attachmentFiles.read(loose)) === null);
    assert.notEqual(await attachmentFiles.read(named), null, 'a draft names them');
    assert.notEqual(await attachmentFiles.read(fresh), null, 'not a week old');
  });

  it('says before sending what is secret, outside, or too large to be included; refuses what is too large, and goes on', async () => {
    const composer = await Composer.open();
    const outside = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'att-outside-')));
    fs.writeFileSync(path.join(outside, 'x.txt'), 'x');
    writeDemo('.env.local', 'KEY=1');
    writeDemo('large.log', 'x'.repeat(300 * 1024));
    try {
      assert.match((await composer.attach({ kind: 'file', path: demoFile('.env.local') }))?.warning ?? '', /secrets/);
      assert.match((await composer.attach({ kind: 'file', path: path.join(outside, 'x.txt') }))?.warning ?? '', /outside/);
      assert.match((await composer.attach({ kind: 'file', path: demoFile('large.log') }))?.warning ?? '', /too large.*300 KB.*only its path/);
      await composer.attach({ kind: 'file', path: demoFile('no/such.ts') });
      await composer.paste('huge.png', Buffer.concat([testPicture(1), Buffer.alloc(4 * 1024 * 1024)]));
      assert.match(composer.failures[0] ?? '', /no\/such\.ts does not exist/);
      assert.match(composer.failures[1] ?? '', /“huge\.png” was not attached: it has 4 MB, and 3\.8 MB are the most/);
      const answer = composer.chat.answer(await composer.send('these'));
      assert.match(answer, /link `large\.log` to `file:/);
      assert.match(answer, new RegExp(digestOf('KEY=1').slice(0, 12)));
      const next = await composer.send('and go on');
      assert.equal(next.state, 'completed', 'the session is as good as before');
    } finally {
      fs.rmSync(outside, { recursive: true });
    }
  });

  it('what the agent cannot take is said as soon as that is known, and keeps nothing else back', async () => {
    const agent = await ChosenFakeAgent.choose({ prompts: [{ steps: [{ text: 'ok' }] }] });
    try {
      const composer = await Composer.open();
      await composer.paste('image.png', testPicture(4));
      const blind = await composer.send('what is this');
      assert.deepEqual([blind.state, blind.cause], ['failed', 'attachment_not_taken'], 'nobody knew before it was started');
      await composer.paste('image.png', testPicture(5));
      await until('the agent’s word to be known', () => composer.shown[0]?.problem === 'Fake Agent takes no pictures.');
      await composer.chat.send({ type: 'detach', conversation: composer.conversation, id: composer.shown[0]?.id ?? '' });
      assert.equal((await composer.send('then without')).state, 'completed');
      const another = await Composer.open();
      await another.paste('image.png', testPicture(6));
      assert.equal(another.shown[0]?.problem, 'Fake Agent takes no pictures.', 'a new session knows it from the others');
      assert.deepEqual(agent.events('prompt').map(({ text }) => text), ['then without']);
    } finally {
      await agent.dispose();
    }
  });

  it('C14 a message that is handed over twice goes once, with the same, whatever became of the file; one whose file is gone can be taken back', async () => {
    const composer = await Composer.open();
    writeDemo('twice.txt', 'first');
    const attachment = await composer.attach({ kind: 'file', path: demoFile('twice.txt') });
    const message = { type: 'submit', conversation: composer.conversation, clientTurnId: randomUUID(), text: 'twice', attachments: [attachment?.id ?? ''] } as const;
    await composer.chat.send(message);
    writeDemo('twice.txt', 'second');
    await composer.chat.send(message);
    const turn = await composer.chat.turnEnd(message.clientTurnId);
    assert.match(composer.chat.answer(turn), new RegExp(digestOf('first').slice(0, 12)));
    assert.deepEqual([composer.chat.view.turns.length, composer.chat.window.core.conversations.outbox(composer.conversation)], [1, []]);
    await composer.attach({ kind: 'file', path: demoFile('twice.txt') });
    fs.rmSync(demoFile('twice.txt'));
    const lost = { type: 'submit', conversation: composer.conversation, clientTurnId: randomUUID(), text: 'lost', attachments: composer.shown.map(({ id }) => id) } as const;
    await composer.chat.send(lost);
    const [entry] = composer.chat.window.core.conversations.outbox(composer.conversation);
    assert.match(entry?.failure ?? '', /twice\.txt could not be read/);
    await composer.chat.send({ type: 'takeBack', clientTurnId: lost.clientTurnId });
    assert.deepEqual([composer.shown.map(({ name }) => name), composer.chat.window.core.conversations.outbox(composer.conversation)], [['twice.txt'], []]);
    assert.ok(composer.told.some((told) => told.type === 'prefill' && told.text === 'lost'));
  });

  describe('Add to Attaché', () => {
    it('adds the selected lines, files and folders to the chat used last, and sends nothing', async () => {
      const composer = await Composer.open();
      const editor = await showDemo('src/cart.ts');
      editor.selection = new vscode.Selection(1, 0, 2, 3);
      await vscode.commands.executeCommand('attache.addSelection');
      await vscode.window.showTextDocument(editor.document);
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      await vscode.commands.executeCommand('attache.addSelectionHere');
      const uris = ['notes', 'src/win.ts'].map((name) => vscode.Uri.file(demoFile(name)));
      await vscode.commands.executeCommand('attache.addFiles', uris[0], uris);
      await vscode.commands.executeCommand('attache.addFiles', uris[1]);
      assert.deepEqual(composer.shown.map(({ name }) => name), ['src/cart.ts:2-3', 'src/cart.ts', 'notes/', 'src/win.ts'], 'the same file twice says nothing more');
      assert.equal(composer.chat.panel.sessionId, null, 'nothing was sent');
      assert.ok(composer.told.some(({ type }) => type === 'focusInput'));
    });

    it('begins a new chat where the last one takes no messages any more', async () => {
      const composer = await Composer.open();
      await composer.send('to be closed');
      const closed = composer.conversation;
      await composer.chat.window.core.calls.call('session/close', { commandId: randomUUID().replaceAll('-', '') as never, sessionId: composer.chat.view.session.sessionId });
      await until('it is closed', () => composer.chat.panel.view?.session.status === 'closed');
      await vscode.commands.executeCommand('attache.addFiles', vscode.Uri.file(demoFile('notes/todo.md')));
      assert.notEqual(composer.conversation, closed);
      assert.deepEqual(composer.shown.map(({ name }) => name), ['notes/todo.md']);
    });

    it('adds what is selected in the terminal, and leaves the clipboard as it was', async () => {
      const composer = await Composer.open();
      const terminal = vscode.window.createTerminal({ name: 'attach', shellPath: '/bin/sh', shellArgs: ['-c', 'echo from-the-terminal; sleep 60'] });
      try {
        terminal.show(false);
        await vscode.env.clipboard.writeText('mine');
        await until('its text to be selected', async () => {
          await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
          await vscode.commands.executeCommand('attache.addTerminalSelection');
          const { attachments } = composer.chat.window.core;
          const draft = composer.shown.map(({ id }) => attachments.find(composer.conversation, id)).find((each) => each?.kind === 'terminal');
          if (draft === undefined) return false;
          const text = await composer.textOf(draft.id);
          if (!text.includes('from-the-terminal')) attachments.remove(composer.conversation, draft.id);
          return text.includes('from-the-terminal');
        });
        assert.equal(await vscode.env.clipboard.readText(), 'mine');
        const [entry] = await composer.mention('term');
        assert.deepEqual([entry?.ref.kind, entry?.token, entry?.detail], ['terminal', '@terminal', 'attach']);
        const mentioned = await composer.attach({ kind: 'terminal' }, '@terminal');
        assert.match(await composer.textOf(mentioned?.id ?? ''), /from-the-terminal/);
        assert.equal(await vscode.env.clipboard.readText(), 'mine');
      } finally {
        terminal.dispose();
      }
    });

    it('stands in the menus of editor, explorer, tabs and terminal, and in the palette only where it needs no argument', () => {
      const { contributes } = extension().packageJSON as { contributes: { menus: Record<string, { command: string; when?: string }[]>; commands: { command: string; title: string }[] } };
      const { menus } = contributes;
      const menu = (name: string): string[] => (menus[name] ?? []).map(({ command }) => command).filter((command) => command.startsWith('attache.add'));
      assert.deepEqual(['editor/context', 'explorer/context', 'editor/title/context', 'terminal/context'].map(menu), [['attache.addSelectionHere'], ['attache.addFiles'], ['attache.addFiles'], ['attache.addTerminalSelectionHere']]);
      const hidden = (menus['commandPalette'] ?? []).filter(({ when }) => when === 'false').map(({ command }) => command);
      for (const command of ['attache.addSelectionHere', 'attache.addFiles', 'attache.addTerminalSelectionHere']) assert.ok(hidden.includes(command), command);
      assert.ok(!hidden.includes('attache.addSelection'));
    });
  });
});
