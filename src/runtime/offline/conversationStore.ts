import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../base/isRecord.ts';
import { Conversation, type Entry } from './conversation.ts';
import { isMissing, messageOf } from './problem.ts';

const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const maxStoredSessions = 200;

/**
 * One small JSON file per session in a folder only its owner can read. It holds what `Conversation`
 * remembers and nothing else; deleting the folder forgets everything.
 */
export class ConversationStore {
  readonly #folder: string;
  /** Saves of this process go one after the other, so that the newest text is what stays. */
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null when the session is unknown here; throws when its file is damaged. */
  async load(sessionId: string): Promise<Conversation | null> {
    if (!sessionIdPattern.test(sessionId)) return null;
    let text: string;
    try {
      text = await readFile(this.#path(sessionId), 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    return parseConversation(sessionId, text);
  }

  async save(conversation: Conversation): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#write(conversation));
    return this.#saving;
  }

  async #write(conversation: Conversation): Promise<void> {
    const { sessionId, cwd } = conversation;
    const stored = { version: 1, sessionId, cwd, entries: conversation.entries() };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const staging = `${this.#path(sessionId)}.${randomUUID()}.tmp`;
    try {
      const file = await open(staging, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify(stored));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(staging, this.#path(sessionId));
    } catch (error) {
      await rm(staging, { force: true });
      throw error;
    }
    await this.#forgetOldest();
  }

  async #forgetOldest(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith('.json'));
    if (names.length <= maxStoredSessions) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, changed: await stat(path).then((info) => info.mtimeMs, () => 0) };
      }),
    );
    files.sort((a, b) => b.changed - a.changed);
    await Promise.all(files.slice(maxStoredSessions).map(({ path }) => rm(path, { force: true })));
  }

  #path(sessionId: string): string {
    return join(this.#folder, `${sessionId}.json`);
  }
}

function parseConversation(sessionId: string, text: string): Conversation {
  try {
    const stored: unknown = JSON.parse(text);
    if (!isRecord(stored) || stored['version'] !== 1 || typeof stored['cwd'] !== 'string') throw new Error('unknown format');
    const entries = stored['entries'];
    if (!Array.isArray(entries) || !entries.every(isEntry)) throw new Error('unknown entries');
    return new Conversation(sessionId, stored['cwd'], entries);
  } catch (error) {
    throw new Error(`The stored conversation is damaged: ${messageOf(error)}`, { cause: error });
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value)) return false;
  const isText = (...keys: string[]): boolean => keys.every((key) => typeof value[key] === 'string');
  if (value['role'] === 'tool') return isText('toolCallId', 'kind', 'title', 'status');
  return ['user', 'agent', 'thought'].includes(String(value['role'])) && isText('messageId', 'text');
}
