import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isOrdinaryPath } from '../../../src/gateway/grants/ordinaryPath.ts';

describe('paths that a rule may change', () => {
  let home: string;
  let workspace: string;
  before(() => {
    home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'attord-')));
    workspace = path.join(home, 'demo');
    for (const folder of ['src', '.git', 'data', '../elsewhere']) fs.mkdirSync(path.join(workspace, folder), { recursive: true });
    fs.writeFileSync(path.join(workspace, 'src/a.ts'), '');
    fs.writeFileSync(path.join(workspace, '.git/config'), '');
    const link = (to: string, name: string): void => fs.symlinkSync(to, path.join(workspace, name));
    link('../elsewhere', 'out');
    link('.git', 'hidden');
    link('src', 'inside');
    link('src/a.ts', 'a-link.ts');
    link('nothing', 'dangling');
    link('loop', 'loop');
  });
  after(() => fs.rmSync(home, { recursive: true, force: true }));

  const ordinary = (name: string, dataRoot: string | null = null): boolean => isOrdinaryPath(path.join(workspace, name), { workspace, dataRoot });

  it('are files of the workspace, also new ones in new folders', () => {
    for (const name of ['src/a.ts', 'src/new.ts', 'new/deeper/x', 'environment.ts', 'my.env', '.github/workflows/ci.yml', '.gitignore', '..a/b']) assert.equal(ordinary(name), true, name);
  });

  it('are never behind a link, wherever it leads', () => {
    for (const name of ['out/x', 'hidden/config', 'inside/a.ts', 'inside/new.ts', 'a-link.ts', 'dangling', 'dangling/x', 'loop', 'loop/x']) assert.equal(ordinary(name), false, name);
  });

  it('are never protected ones, however their names are written', () => {
    const names = ['.git/config', '.Git/x', '.git./x', '.git /x', '.git::$INDEX/x', 'git~1/x', '.g\u200bit/x', 'src/.git/hooks/x', '.vscode/tasks.json', 'src/.VSCODE/x', '.env', '.env.local', 'src/.ENV', '.envrc', 'x.code-workspace'];
    for (const name of names) assert.equal(ordinary(name), false, JSON.stringify(name));
  });

  it('are never outside, the folder itself, another writing of a path, or the gateway’s own data', () => {
    for (const file of [workspace, home, path.join(home, 'demo2/x'), path.join(home, 'elsewhere/x'), '/', '/etc/passwd', 'src/a.ts', '', `${workspace}/src/../src/a.ts`, `${workspace}//src/a.ts`, `${workspace}/src/`, `${workspace}/a\0`]) {
      assert.equal(isOrdinaryPath(file, { workspace, dataRoot: null }), false, JSON.stringify(file));
    }
    const dataRoot = path.join(workspace, 'data');
    for (const name of ['data', 'data/store.db', 'data/new/x']) assert.equal(ordinary(name, dataRoot), false, name);
    assert.equal(ordinary('data2', dataRoot), true);
  });
});
