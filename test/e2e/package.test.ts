import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repository } from '../support/repository.ts';
import { installExtension } from '../support/vscodeHost/server.ts';
import { zipEntries } from '../support/zip.ts';
import { type Editor, pictureOfFailure, startEditor } from './support/editor.ts';

const maxKiB = 800;

describe('the packaged extension', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'attache-vsix-'));
  const vsix = path.join(folder, 'attache.vsix');
  let editor: Editor | undefined;

  before(() => { execFileSync(process.execPath, [path.join(repository, 'scripts/package.ts'), vsix], { stdio: ['ignore', 'ignore', 'inherit'] }); });
  after(async () => {
    await editor?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () { await pictureOfFailure(this.currentTest, editor); });

  it('holds exactly the files it should', () => {
    const expected = fs.readFileSync(path.join(repository, 'test/fixtures/vsix-files.txt'), 'utf8').trimEnd().split('\n');
    assert.deepEqual(zipEntries(vsix).sort(), expected);
  });

  it(`is no larger than ${maxKiB} KiB`, () => {
    const size = fs.statSync(vsix).size / 1024;
    assert.ok(size <= maxKiB, `${size.toFixed(0)} KiB`);
  });

  it('installs, and is active when its view opens', async () => {
    editor = await startEditor({ prepare: async (host, folders) => { await installExtension(host, vsix, folders); } });
    const chat = await editor.openChat();
    await chat.getByRole('textbox', { name: 'Message' }).fill('/help');
    await chat.getByRole('textbox', { name: 'Message' }).press('Enter');
    await chat.locator('[data-kind="agent_message"][data-state="completed"]').first().waitFor({ timeout: 60_000 });
  });
});
