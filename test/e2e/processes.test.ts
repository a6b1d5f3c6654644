import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FakeScript } from '../agents/support/fakeScript.ts';
import type { ProcessInfo } from '../support/processes.ts';
import { repository } from '../support/repository.ts';
import { ChatPage } from './support/chatPage.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';
import { until } from './support/until.ts';

/** An agent that starts a tool server of its own, which starts `sleep`; both ignore what asks them to end. */
const script: FakeScript = { prompts: [{ match: 'work', steps: [{ spawnChild: { detached: true, ignoreSigterm: true } }, { text: 'at it' }] }, { steps: [{ text: 'fine' }] }] };

describe('C23 no process of an agent is left behind, whatever happens to the window', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'att-fake-'));
  let editor: Editor;
  let chat: ChatPage;

  before(async () => {
    const file = path.join(folder, 'script.json');
    fs.writeFileSync(file, JSON.stringify(script));
    const agent = { id: 'fake', label: 'Fake Agent', command: path.join(repository, 'node_modules/.bin/node'), args: [path.join(repository, 'test/agents/support/fakeAgentMain.ts'), file, path.join(folder, 'log.jsonl')] };
    editor = await startEditor();
    // Settings of the machine: the extension host writes them where they belong.
    await editor.workbench.setSetting('attache.agents', [agent]);
    await editor.workbench.setSetting('attache.defaultAgent', 'fake');
    chat = new ChatPage(await editor.openChat());
  });
  after(async () => {
    await (editor as Editor | undefined)?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  const agents = (): ProcessInfo[] => editor.processes().filter(({ command }) => command.includes('fakeAgentMain'));
  const children = (): ProcessInfo[] => editor.processes().filter(({ command }) => command === 'sleep 600' || command.includes("child_process').spawn('sleep'"));
  const gone = (what: string): Promise<unknown> => until(`nothing of the agent is left after ${what}`, () => agents().length === 0 && children().length === 0);

  // What a test left that failed must not fail the next one, nor its own second try.
  beforeEach(() => { for (const { pid } of [...agents(), ...children()]) process.kill(pid, 'SIGKILL'); });

  async function work(): Promise<void> {
    await editor.workbench.command('Attaché: New Session');
    await chat.frame.locator('[data-region="empty"]').waitFor();
    await chat.say('work');
    await chat.turnState('work', 'completed');
    await until('the agent and its children run', () => agents().length === 1 && children().length === 2).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(editor.processes().map(({ command }) => command.slice(0, 150)))}`);
    });
  }

  it('a reload of the window ends them', async () => {
    await work();
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
    await gone('the reload');
  });

  it('a killed extension host takes them along', async () => {
    await work();
    const [host] = editor.extensionHosts();
    process.kill(host!.pid, 'SIGKILL');
    await gone('the kill');
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
  });

  it('hiding the view, another session and a new gateway leave the session running with its one agent; a restart of the agent makes no second one; Close ends it', async () => {
    await work();
    const [agent] = agents();
    await editor.workbench.openView('Explorer');
    chat = new ChatPage(await editor.openChat());
    await editor.workbench.command('Attaché: Restart Gateway');
    await until('the window is connected again', async () => (await chat.banner('disconnected').count()) === 0 && (await chat.banner('no-executor').count()) === 0);
    await chat.say('still there?');
    await chat.turnState('still there?', 'completed');
    assert.deepEqual([agents().map(({ pid }) => pid), children().length], [[agent!.pid], 2]);
    await editor.workbench.command('Attaché: Restart Agent');
    await until('another agent runs alone', () => agents().length === 1 && agents()[0]!.pid !== agent!.pid && children().length === 0);
    await editor.workbench.command('Attaché: Close Session');
    await editor.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Close Session' }).click();
    await gone('the close');
  });

  it('a closed window takes them along, and the gateway stays', async () => {
    await editor.workbench.reload();
    chat = new ChatPage(await editor.openChat());
    await work();
    const before = editor.processes().filter(({ command }) => command.includes('gateway.cjs')).map(({ pid }) => pid);
    await editor.page.goto('about:blank');
    // VS Code keeps an extension host for a while, in case the page comes back; ending it is what closing a desktop window does.
    for (const { pid } of editor.extensionHosts()) process.kill(pid, 'SIGTERM');
    await gone('the window');
    assert.deepEqual(editor.processes().filter(({ command }) => command.includes('gateway.cjs')).map(({ pid }) => pid), before);
  });
});
