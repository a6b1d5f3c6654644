import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { HostStory } from '../agents/support/hostStory.ts';
import { GATEWAY_MAIN } from '../support/lspClient.ts';
import { requireNeovim } from '../support/neovim.ts';
import { repository } from '../support/repository.ts';

const OFFLINE = path.join(repository, 'src/runtime/offline/main.ts');

/** What a person does in the editor, as a script: sees the lens, runs it, chooses, and looks at the buffer again. */
const PERSON = `
local function until_true(what, check)
  if not vim.wait(20000, check, 50) then error('in vain: ' .. what) end
end
local function lenses()
  vim.lsp.codelens.refresh()
  vim.wait(200, function() return #vim.lsp.codelens.get(0) > 0 end, 20)
  return vim.lsp.codelens.get(0)
end
local function virtual_text()
  local texts = {}
  for name, namespace in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('^vim_lsp_codelens:') then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
        for _, chunk in ipairs(mark[4].virt_text) do table.insert(texts, mark[2] .. ' ' .. chunk[1]) end
      end
    end
  end
  return texts
end
local seen = {}
local function person()
  until_true('a server', function()
    for _, client in ipairs(vim.lsp.buf_get_clients(0)) do
      if client.initialized and client.server_capabilities.codeLensProvider then return true end
    end
  end)
  until_true('a lens', function() return #lenses() > 0 end)
  seen.drawn = virtual_text()
  vim.api.nvim_win_set_cursor(0, { vim.lsp.codelens.get(0)[1].range.start.line + 1, 0 })
  vim.ui.select = function(items, options, choose)
    seen.offered = vim.tbl_map(options.format_item, items)
    for _, item in ipairs(items) do
      if options.format_item(item) == vim.env.TEST_ANSWER then return choose(item) end
    end
  end
  vim.lsp.codelens.run()
  until_true('no lens', function() return #lenses() == 0 end)
  vim.o.autoread = true
  if vim.env.TEST_EXPECT then
    until_true('the new text', function()
      vim.cmd('checktime')
      return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') == vim.env.TEST_EXPECT
    end)
  end
  seen.messages = vim.fn.execute('messages')
end
local ok, why = pcall(person)
if not ok then seen.failed = tostring(why) .. vim.fn.execute('messages') end
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.TEST_RESULT)
vim.cmd('qall!')
`;

interface Seen {
  readonly failed?: string;
  readonly drawn: readonly string[];
  readonly offered: readonly string[];
  readonly messages: string;
}

/** The configuration as the documentation gives it, for this gateway. */
function documented(): string {
  const [, lua] = /```lua\n([\s\S]*?)```/.exec(fs.readFileSync(path.join(repository, 'docs/other-editors.md'), 'utf8')) ?? [];
  assert.ok(lua !== undefined);
  const here = lua.replace(/vim\.fn\.expand\('[^']*'\)/, `[[${GATEWAY_MAIN}]]`).replace("'node'", `[[${process.execPath}]]`);
  assert.notEqual(here, lua);
  return here;
}

describe('Neovim, with the documented configuration', () => {
  let story: HostStory;
  before(async function () {
    this.timeout(180_000);
    requireNeovim();
    story = await HostStory.start();
  });
  after(() => story?.stop());

  async function neovim(file: string, env: Record<string, string>): Promise<Seen> {
    const scratch = fs.mkdtempSync(path.join(story.gateway.folder('nvim'), 'run-'));
    fs.writeFileSync(path.join(scratch, 'config.lua'), documented());
    fs.writeFileSync(path.join(scratch, 'person.lua'), PERSON);
    const result = path.join(scratch, 'seen.json');
    const child = spawn('nvim', ['--headless', '--clean', '-n', '--cmd', `luafile ${path.join(scratch, 'config.lua')}`, file, '-c', `luafile ${path.join(scratch, 'person.lua')}`], {
      cwd: story.folder,
      env: { ...process.env, ATTACHE_DATA_ROOT: story.gateway.dataRoot, XDG_STATE_HOME: scratch, XDG_CACHE_HOME: scratch, TEST_RESULT: result, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await new Promise((resolve) => child.once('exit', resolve));
    assert.ok(fs.existsSync(result), `Neovim has ended early: ${stderr}`);
    const seen = JSON.parse(fs.readFileSync(result, 'utf8')) as Seen;
    assert.equal(seen.failed, undefined, `${seen.failed ?? ''} ${stderr}`);
    return seen;
  }

  it('shows the request beside the text, and its answer makes the window change the file', async () => {
    const session = await story.session({ agent: { command: process.execPath, args: [OFFLINE], env: { ATTACHE_OFFLINE_DATA: story.gateway.folder('agentdata') } } });
    const file = path.join(story.folder, 'cart.ts');
    fs.writeFileSync(file, 'const name = 1;\nconst price = 10;\n');
    const asked = await session.submit('/edit cart.ts 10 => 12');
    const [approval] = await session.pending();
    const words = approval!.options.map(({ name }) => name);
    const allow = approval!.options.find(({ kind }) => kind === 'allow_once')!.name;
    const seen = await neovim('cart.ts', { TEST_ANSWER: allow, TEST_EXPECT: 'const name = 1;\nconst price = 12;' });
    assert.deepEqual(seen.offered, ['Attaché: change of cart.ts waits, +1 −1', ...words]);
    assert.deepEqual(seen.drawn.filter((text) => !text.endsWith(' | ')), seen.offered.map((title) => `1 ${title}`));
    const turn = await session.endOf(asked);
    assert.equal(turn.state, 'completed');
    assert.equal(fs.readFileSync(file, 'utf8'), 'const name = 1;\nconst price = 12;\n');
    const decided = (await session.view()).approvals.find(({ approvalId }) => approvalId === approval!.approvalId);
    assert.deepEqual([decided?.status, decided?.decidedBy?.clientKind], ['approved', 'lsp']);

    const again = await session.submit('/edit cart.ts 12 => 99');
    const [second] = await session.pending();
    const reject = second!.options.find(({ kind }) => kind === 'reject_once')!.name;
    await neovim('cart.ts', { TEST_ANSWER: reject });
    assert.equal((await session.endOf(again)).state, 'completed');
    assert.equal(fs.readFileSync(file, 'utf8'), 'const name = 1;\nconst price = 12;\n');
  });
});
