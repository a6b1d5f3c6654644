import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { comesTo, comesToMatch } from '../support/comesTo.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';

describe('C34 a folder that is not trusted', () => {
  let editor: Editor;
  const marker = (): string => path.join(editor.workspace.root, 'agent-was-started');

  before(async () => {
    editor = await startEditor({ trust: true, settings: { 'security.workspace.trust.startupPrompt': 'never' } });
    const settings = path.join(editor.workspace.folder, '.vscode/settings.json');
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    // What a hostile repository would bring along.
    const command = { id: 'offline', command: '/bin/sh', args: ['-c', `touch ${marker()}`] };
    fs.writeFileSync(settings, JSON.stringify({ 'attache.agents': [command], 'attache.approvals': { edit: 'allow', command: 'allow' } }));
  });
  after(async () => (editor as Editor | undefined)?.stop());
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  it('no agent starts, nothing can be sent, and the panel says why', async () => {
    await editor.workbench.openView('Attaché');
    const chat = new ChatPage(editor.workbench.chat());
    await chat.banner('untrusted').waitFor({ timeout: 60_000 });
    await comesToMatch(/trust/i, () => chat.banner('untrusted').innerText());
    await comesTo(false, () => chat.composer.isEditable());
    assert.deepEqual(editor.processes().filter(({ command }) => /offlineAgent|agent-was-started/.test(command)), []);
    assert.equal(fs.existsSync(marker()), false);
  });

  it('once it is trusted, the built-in agent answers and the folder’s own settings still start nothing', async () => {
    const chat = new ChatPage(editor.workbench.chat());
    await chat.banner('untrusted').getByRole('button', { name: 'Manage Trust' }).click();
    await editor.page.locator('.workspace-trust-editor').getByRole('button', { name: /^Trust/ }).first().click();
    await chat.banner('untrusted').waitFor({ state: 'detached' });
    await editor.workbench.command('View: Close All Editors');
    await chat.say('/help');
    await chat.turnState('/help', 'completed');
    await comesToMatch(/Offline Agent/, () => chat.chip('agent').innerText());
    await chat.say('/write policy.txt asked');
    await chat.requests().first().waitFor();
    await chat.answer(chat.requests().first(), 'reject_once');
    await chat.turnState('/write policy.txt', 'completed');
    assert.equal(fs.existsSync(marker()), false);
  });
});
