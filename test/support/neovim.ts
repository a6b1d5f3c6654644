import { spawnSync } from 'node:child_process';
import { installSystemPackage } from './vscodeHost/systemPackage.ts';

const works = (): boolean => spawnSync('nvim', ['--version']).status === 0;

/** Makes sure that `nvim` can be started, installing it where that needs no password. */
export function requireNeovim(): void {
  if (works()) return;
  if (!installSystemPackage('neovim') || !works()) throw new Error('This test needs Neovim: install it (Debian: apt-get install neovim; macOS: brew install neovim) and try again.');
}
