import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A throw-away copy of the demo project: two roots, and a workspace file with both. */
export interface DemoWorkspace {
  readonly root: string;
  readonly folder: string;
  readonly other: string;
  readonly workspaceFile: string;
  remove(): void;
}

const fixtures = path.resolve(import.meta.dirname, '../fixtures');

export function createDemoWorkspace(): DemoWorkspace {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'attache-demo-')));
  for (const name of ['demo', 'other']) { fs.cpSync(path.join(fixtures, name), path.join(root, name), { recursive: true }); }
  const workspaceFile = path.join(root, 'demo.code-workspace');
  fs.writeFileSync(workspaceFile, JSON.stringify({ folders: [{ path: 'demo' }, { path: 'other' }] }, null, 2));
  return {
    root,
    folder: path.join(root, 'demo'),
    other: path.join(root, 'other'),
    workspaceFile,
    remove() { fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }); },
  };
}
