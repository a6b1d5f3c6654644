import fs from 'node:fs';
import path from 'node:path';
import { EXPORT_FORMATS, exportFormat, type ExportFormat } from '../../client/export/formats.ts';
import { readTranscript } from '../../client/export/readTranscript.ts';
import { withoutSecrets } from '../../client/export/withoutSecrets.ts';
import type { Command, Given } from '../command.ts';
import { CliFailure, EXIT } from '../failure.ts';
import { good } from '../output/spans.ts';
import { bytes } from '../output/times.ts';
import { findSession } from '../sessions.ts';

export const exportSession: Command = {
  name: 'export',
  usage: '<session>',
  summary: 'Write the whole transcript, with every request and who answered it',
  about: ['With the rules that answered. What looks like a secret in a command is replaced by [secret] wherever it stands.'],
  options: {
    format: { type: 'string', short: 'f', value: 'FORMAT', about: 'md (default), json or jsonl' },
    output: { type: 'string', short: 'o', value: 'FILE', about: 'Into this file instead of stdout' },
    force: { type: 'boolean', about: 'Replace the file if it is there' },
    'with-secrets': { type: 'boolean', about: 'Leave in what looks like a secret' },
  },
  examples: ['attache export 4k2m9x --output cart.md', 'attache export 4k2m9x --format jsonl | jq -c "select(.type == \\"approval\\")"'],
  access: 'read',
  run: async ({ attach, output, cwd }, given) => {
    const format = formatOf(given);
    const target = given.text('output');
    const file = target === undefined ? null : path.resolve(cwd, target);
    // Before the work, so that it is not done in vain; the write makes sure.
    if (file !== null && !given.flag('force') && fs.existsSync(file)) throw exists(file);
    const attached = await attach();
    const session = await findSession(attached, given.positionals[0] ?? '');
    const read = await readTranscript(attached.calls, session.sessionId);
    const transcript = given.flag('with-secrets') ? read : withoutSecrets(read);
    const text = EXPORT_FORMATS[format](transcript);
    if (!transcript.settled) output.note('A turn is queued or running: what was written ends in the middle of it.');
    if (file === null) {
      await output.document(text);
      return EXIT.ok;
    }
    write(file, text, given.flag('force'));
    const size = Buffer.byteLength(text);
    await output.answer({ file, format, bytes: size, settled: transcript.settled, turns: transcript.turns.length }, () => [[good('written'), ` ${file} (${bytes(size)}, ${transcript.turns.length} turns)`]]);
    return EXIT.ok;
  },
};

function formatOf(given: Given): ExportFormat {
  const name = given.text('format') ?? 'md';
  const format = exportFormat(name);
  if (format === null) throw new CliFailure('usage', { message: `There is no format “${name}”.`, next: 'Choose md, json or jsonl.' });
  return format;
}

const exists = (file: string): CliFailure => new CliFailure('file_exists', { message: `${file} exists already.` });

/** Whole or not at all: a file that is replaced stays as it was until the new one is complete. */
function write(file: string, text: string, force: boolean): void {
  const draft = `${file}.${process.pid}.part`;
  try {
    fs.writeFileSync(draft, text, { flag: 'wx' });
    if (force) fs.renameSync(draft, file);
    else linkOrCopy(draft, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST' ? exists(file) : new CliFailure('file_failed', { message: `${file} could not be written: ${message}` });
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** A name that refuses to replace another; not every file system has it. */
function linkOrCopy(draft: string, file: string): void {
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    fs.copyFileSync(draft, file, fs.constants.COPYFILE_EXCL);
  }
}
