// Changes user settings of the running windows at a test's request. The settings file itself will not do: a workbench in
// the browser does not notice when another process, or another window, writes it. So each window changes it for itself.
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const pollMs = 100;
const tries = 20;

const isSet = (setting, value) => JSON.stringify(vscode.workspace.getConfiguration().inspect(setting)?.globalValue) === JSON.stringify(value);

async function apply(folder, name) {
  const { setting, value } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
  const wanted = value ?? undefined;
  let problem = '';
  // Another window may be writing the same file.
  for (let n = 0; n < tries && !isSet(setting, wanted); n += 1) {
    problem = await Promise.resolve(vscode.workspace.getConfiguration().update(setting, wanted, vscode.ConfigurationTarget.Global)).then(() => '', String);
    if (problem !== '') { await new Promise((resolve) => { setTimeout(resolve, pollMs); }); }
  }
  fs.writeFileSync(path.join(folder, `${name}.done-${process.pid}`), isSet(setting, wanted) ? '' : problem);
}

exports.activate = (context) => {
  const folder = process.env.SETTINGS_REMOTE;
  if (!folder) { return; }
  fs.mkdirSync(folder, { recursive: true });
  const requests = () => fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
  const seen = new Set(requests());
  const here = path.join(folder, `window-${process.pid}`);
  fs.writeFileSync(here, '');
  const timer = setInterval(() => {
    for (const name of requests()) {
      if (seen.has(name)) { continue; }
      seen.add(name);
      void apply(folder, name);
    }
  }, pollMs);
  context.subscriptions.push({ dispose: () => { clearInterval(timer); fs.rmSync(here, { force: true }); } });
};
