import fs from 'node:fs';
import type { Logger } from '../../base/logger.ts';

const CAP_BYTES = 1024 * 1024;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

/** Appends to the gateway's log, which with its predecessor `.1` never takes more than 2 MiB. */
export function logFile(file: string, from: Level = 'info'): Logger {
  let size = sizeOf(file);
  const write = (level: Level, message: string): void => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
    const line = `${new Date().toISOString()} ${level} ${message.slice(0, 4000)}\n`;
    try {
      if (size + line.length > CAP_BYTES) {
        fs.renameSync(file, `${file}.1`);
        size = 0;
      }
      fs.appendFileSync(file, line, { mode: 0o600 });
      size += line.length;
    } catch {
      // A full disk must not end the gateway; the store reports it where it matters.
    }
  };
  return {
    debug: (message) => write('debug', message),
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    error: (message) => write('error', message),
  };
}

export const logLevel = (text: string | undefined): Level => LEVELS.find((level) => level === text) ?? 'info';

function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch {
    return 0;
  }
}
