import { readFile, stat } from 'node:fs/promises';
import { methods, RequestError, type ReadTextFileRequest, type WriteTextFileRequest } from '@agentclientprotocol/sdk';
import { displayPath } from './sessionPath.ts';
import { isMissing, messageOf, Problem } from './problem.ts';
import type { Turn } from './turn.ts';

export const maxFileBytes = 4 * 1024 * 1024;

/**
 * Text of a file, or null when there is none. The client is asked first because only it knows unsaved
 * edits; the disk is the fallback of a client that offers no reading.
 */
export async function readText(turn: Turn, path: string): Promise<string | null> {
  if (!readsThroughClient(turn)) return readFromDisk(turn, path);
  const request: ReadTextFileRequest = { sessionId: turn.sessionId, path };
  try {
    const reading = turn.client.request(methods.client.fs.readTextFile, request);
    return (await turn.race(reading)).content;
  } catch (error) {
    turn.throwIfCancelled();
    // Clients answer a missing file with any code they like, so the disk decides whether it is missing.
    if (await isAbsent(path)) return null;
    throw new Problem(
      `The editor could not read \`${displayPath(turn.cwd, path)}\`: ${messageOf(error)}`,
      'Check that it is a text file that the editor can open, then try again.',
    );
  }
}

/** As `readText`, for commands that need the file to be there. */
export async function readExisting(turn: Turn, path: string): Promise<string> {
  const text = await readText(turn, path);
  if (text !== null) return text;
  throw new Problem(`There is no file \`${displayPath(turn.cwd, path)}\`.`, 'Look for it with `/ls` or `/search`.');
}

export function readsThroughClient(turn: Turn): boolean {
  return turn.capabilities.fs?.readTextFile === true;
}

export function requireWriting(turn: Turn): void {
  if (turn.capabilities.fs?.writeTextFile === true) return;
  throw new Problem(
    'This editor does not offer file writing to agents, and I never write to the disk by myself.',
    'Make the change by hand, or use an editor that offers `fs/write_text_file`.',
  );
}

/** Hands the text to the client; a cancel after that moment cannot call it back. Says what of it was written when a person allowed only a part; null: all of it. */
export async function writeThroughClient(turn: Turn, path: string, content: string): Promise<string | null> {
  const request: WriteTextFileRequest = { sessionId: turn.sessionId, path, content };
  try {
    await turn.race(turn.client.request(methods.client.fs.writeTextFile, request));
    return null;
  } catch (error) {
    turn.throwIfCancelled();
    if (isPartlyWritten(error)) return messageOf(error);
    throw new Problem(
      `The editor did not write \`${displayPath(turn.cwd, path)}\`: ${messageOf(error)}`,
      'Look at the file, then send the command again.',
    );
  }
}

const isPartlyWritten = (error: unknown): boolean =>
  error instanceof RequestError && typeof error.data === 'object' && error.data !== null && 'kind' in error.data && error.data.kind === 'edit_partly_approved';

async function readFromDisk(turn: Turn, path: string): Promise<string | null> {
  const shown = displayPath(turn.cwd, path);
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new Problem(`\`${shown}\` is not a file.`, 'Use `/ls` to look into a folder.');
    if (info.size > maxFileBytes) throw new Problem(`\`${shown}\` is larger than 4 MiB.`, 'Open it in the editor.');
    return decode(await readFile(path), shown);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function decode(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem(`\`${shown}\` is not UTF-8 text.`, 'Open it in the editor.');
  }
}

async function isAbsent(path: string): Promise<boolean> {
  return stat(path).then(() => false, isMissing);
}
