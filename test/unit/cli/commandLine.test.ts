import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { GLOBAL_OPTIONS } from '../../../src/cli/command.ts';
import { commands } from '../../../src/cli/commands/all.ts';
import { CliFailure, EXIT, tell } from '../../../src/cli/failure.ts';
import { commandHelp, generalHelp } from '../../../src/cli/help.ts';
import { checkPositionals, parseCommandLine } from '../../../src/cli/parse.ts';
import { AttacheError, ERRORS, type ErrorKind } from '../../../src/protocol/errors.ts';
import { repository } from '../../support/repository.ts';

const plain = (lines: ReturnType<typeof generalHelp>): string => lines.map((line) => line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')).join('\n');
const docs = fs.readFileSync(path.join(repository, 'docs/cli.md'), 'utf8');

/** The words of one command line of an example: enough of a shell for quotes. */
const words = (line: string): string[] => (line.match(/"(?:\\.|[^"])*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''));

describe('the command line', () => {
  it('finds commands of one and two words, options before and behind', () => {
    const found = (...argv: string[]): unknown => {
      const { command, given } = parseCommandLine(argv, commands);
      return [command?.name, given.positionals, given.text('workspace'), given.flag('json')];
    };
    assert.deepEqual(found('goals'), ['goals', [], undefined, false]);
    assert.deepEqual(found('-C', '/goal', '--json', 'goal', 'new', 'A title'), ['goal new', ['A title'], '/goal', true]);
    assert.deepEqual(found('send', 'abc', '-', '--workspace=/x'), ['send', ['abc', '-'], '/x', false]);
    assert.deepEqual(found('send', 'abc', '--', '--json', '-x'), ['send', ['abc', '--json', '-x'], undefined, false]);
    assert.deepEqual(found(), [undefined, [], undefined, false]);
  });

  it('refuses what it does not understand, with what is wrong and where help is', () => {
    const refused = (...argv: string[]): CliFailure => {
      try {
        const { command, given } = parseCommandLine(argv, commands);
        if (command !== null) checkPositionals(command, given.positionals);
      } catch (error) {
        if (error instanceof CliFailure) return error;
      }
      throw new Error(`${argv.join(' ')} was taken`);
    };
    assert.match(refused('sing').message, /no command “sing”/);
    assert.match(refused('goal').message, /goal new/);
    assert.match(refused('goals', '--frobnicate').message, /--frobnicate/);
    assert.match(refused('watch').message, /<session> is missing/);
    assert.match(refused('close', 'a', 'b').message, /“b” is one argument too many/);
    assert.match(refused('goals', '--workspace').next, /attache goals --help/);
    for (const failure of [refused('sing'), refused('goals', '--x')]) assert.deepEqual([failure.kind, failure.exit], ['usage', EXIT.usage]);
  });

  for (const command of commands) {
    it(`${command.name}: has help with examples that it takes itself, and stands in the documentation with every option`, () => {
      const help = plain(commandHelp(command, 80));
      assert.ok(command.examples.length > 0 && help.includes(command.examples[0] ?? ''));
      for (const example of command.examples) {
        const own = example.split(' | ').find((part) => part.startsWith('attache ')) ?? '';
        const { command: found, given } = parseCommandLine(words(own.split(' > ')[0] ?? '').slice(1), commands);
        assert.equal(found?.name, command.name, example);
        checkPositionals(command, given.positionals);
      }
      const section = docs.split(`### attache ${command.name}\n`)[1]?.split('\n### ')[0] ?? '';
      assert.notEqual(section, '');
      for (const option of Object.keys(command.options)) assert.ok(section.includes(`--${option}`), option);
    });
  }

  it('the general help and the documentation name every command and common option', () => {
    for (const option of Object.keys(GLOBAL_OPTIONS)) assert.ok(docs.includes(`--${option}`), option);
    const help = plain(generalHelp(commands, 80));
    for (const { name, usage } of commands) assert.ok(help.includes(`  ${name} ${usage}`.trimEnd()), name);
  });

  it('every failure has an exit code, one sentence and a next step that names no command of the editor’s palette', () => {
    const codes = new Map<ErrorKind, number>();
    for (const kind of Object.keys(ERRORS) as ErrorKind[]) {
      const { exit, message, next, code } = tell(new AttacheError(kind));
      codes.set(kind, exit);
      assert.ok(exit !== EXIT.ok && message !== '' && next !== '', kind);
      assert.equal(code, ERRORS[kind].code);
      assert.doesNotMatch(next, /“Attaché:/, kind);
    }
    assert.deepEqual(['not_found', 'gone', 'gateway_unavailable', 'approval_closed'].map((kind) => codes.get(kind as ErrorKind)), [3, 3, 4, 1]);
    for (const [name, code] of Object.entries(EXIT)) assert.ok(docs.includes(`| ${code} |`), `docs/cli.md has exit code ${code} (${name})`);
  });
});
