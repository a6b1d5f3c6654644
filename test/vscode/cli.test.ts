import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { Chat, demoFolder, extension } from './support/chat.ts';
import { until } from './support/until.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as the terminal's shell would: found on its PATH, with its environment. */
function attache(terminal: vscode.Terminal, ...args: string[]): Promise<Ran> {
  const { env = {} } = terminal.creationOptions as vscode.TerminalOptions;
  const set = Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  return new Promise((resolve) => {
    execFile('attache', args, { cwd: demoFolder(), env: { ...process.env, ...set } }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }));
  });
}

describe('Attaché: Open CLI in Terminal', () => {
  let terminal: vscode.Terminal;
  before(async () => {
    await extension().activate();
    await vscode.commands.executeCommand('attache.openCli');
    terminal = await until('the terminal opens', () => vscode.window.terminals.find(({ name }) => name === 'Attaché'));
  });
  after(() => terminal.dispose());

  it('a message sent there runs in this window, and a request raised here is answered there', async function () {
    // Three programs are started one after the other.
    this.timeout(120_000);
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('/help'));
    const { sessionId } = chat.view.session;
    const listed = await attache(terminal, 'sessions');
    assert.equal(listed.code, 0, listed.stderr);
    assert.ok(listed.stdout.includes(sessionId));
    const sent = await attache(terminal, 'send', sessionId.slice(-8), '/run printf sent > from-cli.txt', '--key', 'from-cli');
    assert.equal(sent.code, 0, sent.stderr);
    const approval = await chat.request('command');
    assert.equal(fs.existsSync(path.join(demoFolder(), 'from-cli.txt')), false);
    const approved = await attache(terminal, 'approve', approval.approvalId.slice(-8), '--yes');
    assert.equal(approved.code, 0, approved.stderr);
    assert.equal((await chat.turnEnd('from-cli')).state, 'completed');
    assert.equal(fs.readFileSync(path.join(demoFolder(), 'from-cli.txt'), 'utf8'), 'sent');
    assert.deepEqual([chat.approval(approval.approvalId)?.status, chat.approval(approval.approvalId)?.decidedBy?.clientKind], ['approved', 'cli']);
  });
});
