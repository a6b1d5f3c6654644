import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(() => true, () => false);
}

/** The file that a command name stands for on PATH, or null. Nothing is run to find out. */
export async function findCommand(command: string, env: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  if (isAbsolute(command)) return (await isExecutable(command)) ? command : null;
  const extensions = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    for (const extension of extensions) {
      const file = join(folder, command + extension);
      if (await isExecutable(file)) return file;
    }
  }
  return null;
}
