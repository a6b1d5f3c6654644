import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type LaunchOptions, chromium } from 'playwright-core';
import { cacheFolder } from './install.ts';
import { installFlags, npm } from './npm.ts';
import { installSystemPackage } from './systemPackage.ts';

const chromiumArgs = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// The headless shell first: it needs about a third less CPU than the whole browser.
const installedBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const packagedChromium = '@sparticuz/chromium@147.0.0';

/** Starts a headless Chromium, installing one where there is none. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs, ...options });
}

async function ensureChromium(): Promise<string> {
  const found = process.env['CHROMIUM_PATH'] ?? installedBrowsers.find(existsSync);
  if (found !== undefined) { return found; }
  for (const name of ['chromium-headless-shell', 'chromium']) {
    if (installSystemPackage(name) && existsSync(`/usr/bin/${name}`)) {
      // A bare machine may have none, and the pictures are there to be looked at.
      installSystemPackage('fonts-dejavu-core');
      return `/usr/bin/${name}`;
    }
  }
  try {
    return await chromiumFromNpm();
  } catch (error) {
    throw new Error('No Chromium here: install the package chromium-headless-shell (or chromium), or set CHROMIUM_PATH.', { cause: error });
  }
}

/** Ships the browser compressed and unpacks it itself. */
async function chromiumFromNpm(): Promise<string> {
  const folder = path.join(cacheFolder, 'chromium');
  if (!existsSync(path.join(folder, 'node_modules/@sparticuz/chromium/package.json'))) {
    console.error(`[vscode-host] no Chromium installed: fetching ${packagedChromium} into ${folder}...`);
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(path.join(folder, 'package.json'), '{"private":true}');
    await npm([...installFlags, packagedChromium], folder);
  }
  const script = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath());";
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
  const executable = stdout.trim();
  if (spawnSync(executable, ['--version']).status !== 0) { throw new Error(`${executable} does not start: system libraries are missing`); }
  return executable;
}
