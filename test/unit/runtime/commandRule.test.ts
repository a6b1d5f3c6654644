import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { commandRuleText, matchesCommandRule, offeredCommandRules, parseSimpleCommand, type CommandRule } from '../../../src/runtime/commandRule.ts';
import { commandText } from '../../../src/runtime/commandText.ts';

const parse = (line: string): readonly string[] | null => parseSimpleCommand(line, 'posix');
const matches = (rule: CommandRule, command: string, envNames: readonly string[] = []): boolean => matchesCommandRule(rule, { command, envNames }, 'posix');
const prefix = (...argv: string[]): CommandRule => ({ match: 'prefix', argv });
const exact = (...argv: string[]): CommandRule => ({ match: 'exact', argv });

/** Every way known to us in which a shell does more than run the words it is given. */
const attacks = [
  'npm test; rm -rf /', 'npm test;rm x', 'npm test && rm x', 'npm test&&rm x', 'npm test || rm x', 'npm test | sh', 'npm test|sh', 'npm test |& sh', 'npm test & rm x', 'npm test &', 'npm test;',
  'npm test $(rm x)', 'npm test `rm x`', 'npm test "$(rm x)"', 'npm test "`rm x`"', 'npm test <(rm x)', 'npm test >(rm x)', 'npm test > f', 'npm test >f', 'npm test >> f', 'npm test 2>f', 'npm test 2>&1', 'npm test &> f', 'npm test < f', 'npm test <<< x', 'npm test << E',
  'npm test\nrm x', 'npm test\r\nrm x', 'npm test\rrm x', 'npm test \\\nrm x', 'npm test\0rm', 'npm test\vrm', 'npm test\frm', 'npm\ttest',
  'A=b npm test', 'PATH=. npm test', 'A= npm test', 'A+=b npm test', 'A[0]=b npm test', 'npm test $HOME', 'npm test ${HOME}', 'npm test "$HOME"', "npm test $'x'", 'npm test $"x"', 'npm test $((1+1))', 'npm test $[1]', 'npm test $@', 'npm test $-', 'npm test $',
  'npm test *', 'npm test a?', 'npm test [ab]', 'npm test {a,b}', 'npm test {1..3}', 'npm test ~', 'npm test ~root', 'npm test !!', 'npm test !x', 'npm test ^a^b', 'npm test # x', 'npm test #x', 'npm test %1$',
  'npm te"s"t', "npm te's't", 'npm t\\est', '"npm" test', "'npm' test", 'n\\pm test', "npm 'te'st", "npm ''test", "npm test''", 'npm test "', "npm test '", 'npm test \\', 'npm "a\\"b"', 'npm "a!b"', 'npm test "a"\'b\'',
  '(npm test)', '( npm test )', '{ npm test; }', '! npm test', 'if npm test', 'time npm test', 'while npm test', 'function npm', 'npm() x', 'coproc npm test', 'for npm in test', '[[ npm ]]', '[ npm ]', ': npm > x', 'exec >f npm',
  'npm\u00a0test', 'npm\u2028test', 'npm\u2003test', 'npm test\u202e', 'npm test "\u202ex"', 'npm test\u200b', 'npm te\u0455t', 'npm test；rm', 'npm test "\u0007"', 'npm test "\ud800"', 'nрm test', '\ufeffnpm test',
  '%npm test', '-npm test', '=npm test', 'npm test\u001b[2K', '', ' ', "''", '""',
];

describe('rules for commands', () => {
  it('an exact rule allows its words, however they are spaced or quoted as a whole, and no others', () => {
    for (const line of ['npm test', ' npm  test ', "npm 'test'", 'npm "test"']) assert.equal(matches(exact('npm', 'test'), line), true, line);
    for (const line of ['npm', 'npm test x', 'npm tests', 'npm Test', 'xnpm test', './npm test', 'npm test ""']) assert.equal(matches(exact('npm', 'test'), line), false, line);
  });

  it('a prefix rule allows what begins with its words, word by word', () => {
    for (const line of ['npm run build', 'npm run', "npm run 'a b; c'", 'npm run -- --watch']) assert.equal(matches(prefix('npm', 'run'), line), true, line);
    for (const line of ['npm runner', 'npm', 'npm "run x"', 'npm -x run']) assert.equal(matches(prefix('npm', 'run'), line), false, line);
  });

  it('changed variables and Windows’ shells never match, an empty rule allows nothing', () => {
    assert.equal(matches(exact('npm', 'test'), 'npm test', ['PATH']), false);
    assert.equal(matchesCommandRule(exact('npm', 'test'), { command: 'npm test', envNames: [] }, 'windows'), false);
    for (const rule of [exact(), prefix()]) assert.equal(matches(rule, 'npm test'), false);
  });

  for (const line of attacks) {
    it(`never matches ${JSON.stringify(line)}`, () => {
      assert.equal(parse(line), null);
      for (const rule of [prefix('npm', 'test'), prefix('npm'), exact('npm', 'test')]) assert.equal(matches(rule, line), false);
    });
  }

  it('a prefix never covers a program that runs what comes behind it', () => {
    for (const program of ['sh', '/bin/bash', 'env', 'sudo', 'xargs', 'find', 'python3.12', 'node', 'perl5', 'eval', 'awk', 'npx', './busybox']) {
      assert.equal(matches(prefix(program), `${program} -c x`), false, program);
      assert.equal(matches(prefix(program, '-c'), `${program} -c x`), false, program);
      assert.equal(matches(exact(program, '-c', 'x'), `${program} -c x`), true, program);
    }
  });

  it('offers the exact words first, then a program with its subcommand', () => {
    const offered = (command: string, envNames: string[] = []): string[] => offeredCommandRules({ command, envNames }, 'posix').map(commandRuleText);
    assert.deepEqual(offered('npm run build'), ['npm run build', 'npm run …']);
    assert.deepEqual(offered("git commit -m 'a b'"), ["git commit -m 'a b'", 'git commit …']);
    assert.deepEqual(offered('ls'), ['ls']);
    assert.deepEqual(offered('ls -la'), ['ls -la']);
    assert.deepEqual(offered('node build'), ['node build']);
    assert.deepEqual(offered('npm run build && x'), []);
    assert.deepEqual(offered('npm test', ['CI']), []);
  });

  it('C35 a secret gets into no rule', () => {
    for (const command of ["curl -H 'Authorization: Bearer abcdef123456'", 'psql postgres://u:demo-123@h/db', 'tool --password=demo-123', 'PGPASSWORD=demo-123 psql']) {
      assert.deepEqual(offeredCommandRules({ command, envNames: [] }, 'posix'), [], command);
    }
  });

  it('the text of an argument vector is read back as that vector, or not at all', () => {
    fc.assert(fc.property(fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 5 }), (argv) => {
      const parsed = parse(commandText(argv));
      if (parsed !== null) assert.deepEqual(parsed, argv);
    }));
    assert.deepEqual(parse(commandText(['git', 'commit', '-m', 'a; b $(c)'])), ['git', 'commit', '-m', 'a; b $(c)']);
  });

  it('nothing that is chained, substituted, redirected, expanded or half-quoted is ever allowed, wherever it stands', () => {
    const live = fc.constantFrom(
      ';', '&&', '||', '|', '&', '\n', '\r', '\t', '>', '<', '>>', '2>&1', '<<E', '$(x)', '`x`', '<(x)', '>(x)', '$x', '${x}', "$'x'", '$((1))', '*', '?', '[a]', '{a,b}', '~', '\\', '!', '#', '^', '(', ')', '\0', '\u202e', '\u00a0',
    );
    const word = fc.constantFrom('npm', 'test', '-x', '--y=z', "'a b'", '"c d"', 'a/b.c', '@s/p', '1', '');
    fc.assert(fc.property(fc.array(word, { maxLength: 4 }), live, fc.array(word, { maxLength: 3 }), fc.constantFrom('', ' '), fc.constantFrom('', ' '), (before, sign, after, left, right) => {
      const line = `npm test ${before.join(' ')}${left}${sign}${right}${after.join(' ')}`;
      for (const rule of [prefix('npm', 'test'), prefix('npm'), exact('npm', 'test')]) {
        // A line that ends in a blank ends nowhere else.
        if (line.trim() === 'npm test' && /^[\n\r\t\u00a0]$/.test(sign)) assert.equal(parse(line), null);
        assert.equal(matches(rule, line), false, JSON.stringify(line));
      }
    }), { numRuns: 2_000 });
  });

  describe('against a grammar of what shells do', () => {
    const pick = fc.constantFrom;
    const join = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> => fc.tuple(...parts).map((texts) => texts.join(''));
    const blank = pick(' ', '  ');
    const maybe = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(''), part);

    /** A simple command: its words, and one of the ways to write them. */
    const words = fc.tuple(pick('npm', 'git', 'cargo', './run.sh', 'make'), pick('test', 'status', 'build'), fc.array(pick('-x', '--y=z', 'a b', 'c;d', '@s/p', 'e&f', '$HOME', '*', '%PATH%', ''), { maxLength: 3 })).map(([program, verb, rest]) => [program, verb, ...rest]);
    const word = (text: string): fc.Arbitrary<string> => (/^[\w@%+=:,./-]+$/.test(text) ? pick(text, `'${text}'`, `"${text}"`) : fc.constant(`'${text}'`));
    const written = ([program = '', ...rest]: readonly string[]): fc.Arbitrary<string> => join(maybe(blank), fc.constant(program), ...rest.map((text) => join(blank, word(text))), maybe(blank));

    const name = pick('x', 'PATH', 'LD_PRELOAD', 'IFS');
    const end = pick('\n', '\r\n', '\r', ';', ' ; ', '&&', ' && ', '||', '|', ' | ', '|&', '&', ' & ', ';;', ';&', '\u2028', '\0', '\n\n');
    const expansion = join(maybe(pick('a', '-')), fc.oneof(
      join(pick('$', '${', '${!', '${#'), name, pick('', '}', ':-$(rm x)}', '[0]}', '@P}')), pick("$'a\\nb'", '$"a"', '$((1))', '$[1]', '$@', '$?', '$$', '$!', '$-', '~', '~root', '~+', '~/x', '!!', '!x', '!-1', '^a^b', '*', '**', '?', '[ab]', '[!a]', '@(a|b)', '+(a)', '{a,b}', '{1..3}', '{a..}', '#', '# x', '\\', '\\x', '\\\n'),
    ), maybe(pick('a', '.js')));
    const halfQuoted = pick("a'b'", "'a'b", "''a", 'a"b"', '"a"b', 'a""', "'a'\"b\"", 'a\\b', "'", '"', "a'", '"a', '"$x"', '"`x`"', '"\\""', '"a!b"');
    const redirection = join(maybe(pick('1', '2', '{fd}', '&')), pick('>', '>>', '>|', '<', '<>', '>&', '<&', '&>', '&>>', '<<<', '<<', '<<-'), maybe(blank), pick('f', '/etc/passwd', '1', '-', 'E\nrm x\nE', "'E'\nx\nE", '"f"', '$f'));

    /** Everything that is more than a simple command, with one in it. */
    const { live } = fc.letrec<{ live: string; inner: string }>((tie) => ({
      inner: fc.oneof({ depthSize: 'small' }, words.chain(written), pick('rm x', 'sh -c x', 'curl x'), tie('live')),
      live: fc.oneof({ depthSize: 'small' },
        join(words.chain(written), end, tie('inner')),
        join(tie('inner'), end, words.chain(written)),
        join(words.chain(written), blank, pick('$(', '`', '"$(', '"`', '<(', '>(', '=(', '${ ', '${| '), tie('inner'), pick(')', '`', ')"', '`"', '; }', '')),
        join(words.chain(written), maybe(blank), redirection),
        join(redirection, blank, words.chain(written)),
        join(words.chain(written), blank, expansion),
        join(words.chain(written), blank, halfQuoted),
        join(fc.array(join(name, pick('=', '+=', '[0]='), maybe(pick('a', '$(x)', "'a b'")), blank), { minLength: 1, maxLength: 2 }).map((each) => each.join('')), words.chain(written)),
        join(pick('(', '( ', '{ ', '! ', '!', 'if ', 'while ', 'until ', 'time ', 'coproc ', 'exec ', 'eval ', 'command ', 'builtin ', 'env ', 'sudo ', 'xargs ', 'nohup ', 'alias npm=', 'function npm ', '[[ ', '$(', '`', '@', '& ', '. ', 'source ', '%', '-', '\\', '"', "'"), words.chain(written), pick('', ')', ' )', '; }', ' ]]', '; then x; fi', '`', '"', "'")),
        join(words.chain(written), pick('\u00a0', '\u2003', '\u200b', '\u202e', '\ufeff', '\t', '\v', '\f', '\u001b[2K', '\u0008', '\ud800', 'é', '；', '｜'), maybe(tie('inner'))),
      ),
    }));

    /** All that could be allowed for a simple command. */
    const rulesOf = (argv: readonly string[]): readonly CommandRule[] => [...offeredCommandRules({ command: commandText(argv), envNames: [] }, 'posix'), exact(...argv.slice(0, 2)), prefix(...argv.slice(0, 2)), prefix(argv[0] ?? '')];

    it('a simple command is allowed by what was offered for it, however it is written', () => {
      fc.assert(fc.property(words.chain((argv) => fc.tuple(fc.constant(argv), written(argv))), ([argv, line]) => {
        const [own] = offeredCommandRules({ command: commandText(argv), envNames: [] }, 'posix');
        assert.ok(own !== undefined && matches(own, line), line);
      }), { numRuns: 1_000 });
    });

    it('no chained, substituted, redirected, assigned, expanded, grouped or half-quoted form is ever allowed by any rule about what is in it', () => {
      let seen = 0;
      fc.assert(fc.property(live, words, (line, argv) => {
        seen += 1;
        const programs = ['npm', 'git', 'cargo', './run.sh', 'make'];
        const rules = [...rulesOf(argv), ...programs.flatMap((program) => rulesOf([program, 'test']))];
        for (const rule of rules) assert.equal(matches(rule, line), false, `${commandRuleText(rule)} allows ${JSON.stringify(line)}`);
        assert.deepEqual(offeredCommandRules({ command: line, envNames: [] }, 'posix').filter((rule) => programs.includes(rule.argv[0] ?? '')), []);
      }), { numRuns: 5_000 });
      assert.ok(seen >= 5_000);
    });

    it('nothing at all is allowed where Windows’ shells read the line: carets, percent signs, backticks and all', () => {
      const windows = fc.oneof(words.chain(written), live, join(words.chain(written), pick('^&x', ' ^| x', ' %PATH%', ' !PATH!', '`n', ' ; x', ' @(x)', ' | iex', ' & x', ' -EncodedCommand x', ' "a""b"', " 'a''b'", ' (x)', ' {x}', ' > NUL', ' $env:PATH', ' --% x')));
      fc.assert(fc.property(windows, words, (line, argv) => {
        for (const rule of rulesOf(argv)) assert.equal(matchesCommandRule(rule, { command: line, envNames: [] }, 'windows'), false, line);
        assert.deepEqual(offeredCommandRules({ command: line, envNames: [] }, 'windows'), []);
      }), { numRuns: 1_000 });
    });
  });

  it('whatever is taken for a simple command is one to real shells: the same words, and nothing else happens', () => {
    const piece = fc.constantFrom('a', 'B', '1', ' ', '  ', "'", '"', '\\', '$', '`', ';', '&', '|', '<', '>', '(', ')', '{', '}', ',', '..', '*', '?', '[', ']', '~', '!', '#', '=', '%', '^', '-', '/', '.', ':', '@', '+', '\n', 'é', "'x y'", '"x y"', "'$(z)'");
    const lines = fc.sample(fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join('')), { numRuns: 12_000 }).map((line) => `w ${line}`);
    const taken = lines.flatMap((line) => {
      const argv = parse(line);
      return argv === null ? [] : [{ line, argv }];
    });
    assert.ok(taken.length > 200, String(taken.length));
    for (const shell of ['sh', 'bash']) {
      const script = `w() { printf '%s\\0' w "$@"; printf '\\1\\0'; }\n${taken.map(({ line }) => line).join('\n')}\n`;
      const { stdout, stderr, status } = spawnSync(shell, { input: script, cwd: '/', encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
      assert.deepEqual([status, stderr], [0, '']);
      assert.deepEqual(stdout.split('\0\u0001\0').slice(0, -1).map((each) => each.split('\0')), taken.map(({ argv }) => [...argv]), shell);
    }
  });
});
