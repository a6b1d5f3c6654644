import assert from 'node:assert/strict';
import { commandDescriptions, parseSlashCommand, usageOf } from '../../../../src/runtime/offline/slashCommand.ts';

describe('parseSlashCommand', () => {
  const cases: [string, ReturnType<typeof parseSlashCommand>][] = [
    ['/help', { name: 'help' }],
    ['  /HELP  ', { name: 'help' }],
    ['/ls', { name: 'ls', folder: '.' }],
    ['/ls src', { name: 'ls', folder: 'src' }],
    ['/ls "my folder"', { name: 'ls', folder: 'my folder' }],
    ['/read src/cart.ts', { name: 'read', file: 'src/cart.ts' }],
    ['/read my file.ts', { name: 'read', file: 'my file.ts' }],
    ['/read "my file.ts"', { name: 'read', file: 'my file.ts' }],
    ['/search price = 10', { name: 'search', text: 'price = 10' }],
    ['/run npm test && echo "x"', { name: 'run', command: 'npm test && echo "x"' }],
    ['/run node -e "\nconsole.log(1)\n"', { name: 'run', command: 'node -e "\nconsole.log(1)\n"' }],
    ['/write a.txt one\\ntwo\\\\n', { name: 'write', file: 'a.txt', text: 'one\ntwo\\n' }],
    ['/write "a b.txt" x', { name: 'write', file: 'a b.txt', text: 'x' }],
    ['/plan', { name: 'plan' }],
    ['/think about tea', { name: 'think', about: 'about tea' }],
    ['/slow 20', { name: 'slow', lines: 20 }],
    ['/picture', { name: 'picture', file: '' }],
    ['/picture "a b.png"', { name: 'picture', file: 'a b.png' }],
    ['/foo bar', { name: 'unknown', word: 'foo' }],
    ['/constructor', { name: 'unknown', word: 'constructor' }],
    ['please read it', { name: 'plainText', text: 'please read it' }],
    ['/usr/bin is a path', { name: 'plainText', text: '/usr/bin is a path' }],
    ['', { name: 'plainText', text: '' }],
  ];
  for (const [input, expected] of cases) {
    it(`reads ${JSON.stringify(input)}`, () => {
      assert.deepEqual(parseSlashCommand(input), expected);
    });
  }

  it('reads one edit', () => {
    assert.deepEqual(parseSlashCommand('/edit src/a.ts price = 10 => price = 12'), {
      name: 'edit',
      file: 'src/a.ts',
      splits: [{ find: 'price = 10', replace: 'price = 12' }],
    });
  });

  it('keeps every way to cut an edit whose code contains =>', () => {
    const command = parseSlashCommand('/edit a.ts x => 1 => x => 2');
    assert.deepEqual(command.name === 'edit' ? command.splits.map(({ find }) => find) : [], ['x', 'x => 1', 'x => 1 => x']);
  });

  it('reads an edit that deletes, and one over several lines', () => {
    assert.deepEqual(parseSlashCommand('/edit a.ts gone =>'), { name: 'edit', file: 'a.ts', splits: [{ find: 'gone', replace: '' }] });
    assert.deepEqual(parseSlashCommand('/edit a.ts\nold\n=>\nnew\\nlines'), {
      name: 'edit',
      file: 'a.ts',
      splits: [{ find: 'old', replace: 'new\nlines' }],
    });
  });

  for (const input of ['/read', '/search', '/run', '/edit', '/edit a.ts', '/edit a.ts x', '/write', '/write a.txt', '/slow', '/slow x', '/slow 0', '/slow 2001']) {
    it(`says what is missing in ${input}`, () => {
      const command = parseSlashCommand(input);
      assert.equal(command.name, 'incomplete');
      const name = /^\/(\w+)/.exec(input)?.[1] ?? '';
      assert.equal(command.name === 'incomplete' ? command.usage : '', usageOf(name));
    });
  }

  it('describes every command it reads', () => {
    for (const { name } of commandDescriptions) assert.notEqual(parseSlashCommand(`/${name}`).name, 'unknown', name);
  });
});
