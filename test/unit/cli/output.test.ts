import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { Output, hasColour } from '../../../src/cli/output/output.ts';
import { attention, bold, painted, removed } from '../../../src/cli/output/spans.ts';
import { pairs, table } from '../../../src/cli/output/table.ts';
import { ago, bytes, duration } from '../../../src/cli/output/times.ts';
import { displayWidth, fit } from '../../../src/cli/output/width.ts';
import { StreamedText } from '../../../src/cli/render/streamedText.ts';

interface Made {
  readonly output: Output;
  readonly out: () => string;
  readonly err: () => string;
  readonly closed: () => number;
}

function make({ isTTY, json, env = {}, fail }: { isTTY: boolean; json?: boolean; env?: NodeJS.ProcessEnv; fail?: string }): Made {
  const texts = { out: '', err: '' };
  let closed = 0;
  const stream = (name: 'out' | 'err'): Writable & { isTTY: boolean; columns: number } => Object.assign(new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      if (fail !== undefined && name === 'out') return done(Object.assign(new Error(fail), { code: fail }));
      texts[name] += chunk;
      return done();
    },
  }), { isTTY, columns: 60 });
  const output = new Output({ stdout: stream('out'), stderr: stream('err'), env, noColour: false, onClosed: () => void (closed += 1), ...(json === undefined ? {} : { json }) });
  return { output, out: () => texts.out, err: () => texts.err, closed: () => closed };
}

describe('what goes out', () => {
  it('is JSON unless stdout is a terminal; either can be asked for', () => {
    assert.deepEqual([make({ isTTY: false }).output.isJson, make({ isTTY: true }).output.isJson], [true, false]);
    assert.deepEqual([make({ isTTY: false, json: false }).output.isJson, make({ isTTY: true, json: true }).output.isJson], [false, true]);
  });

  it('carries no escape sequence of its content, with colours or without', async () => {
    const hostile = fc.string({ unit: fc.constantFrom('\u001b', '[', '3', '1', 'm', ']', '0', ';', '\u0007', '\u009b', '\u0090', '\r', 'a', '\n') });
    await fc.assert(fc.asyncProperty(hostile, fc.boolean(), async (text, isTTY) => {
      const { output, out } = make({ isTTY, json: false });
      await output.line(bold(text), text, removed(text));
      await output.piece(attention(text));
      await output.lines(table([{ head: 'A' }], [[text]], 20));
      const ours = out().replaceAll(/\u001b\[(?:1|2|22|3[1-6]|39)m/g, '');
      assert.doesNotMatch(ours, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u);
      if (!isTTY) assert.equal(ours, out());
    }));
  });

  it('has colours on a terminal, where forced, and never where refused', () => {
    const on = (env: NodeJS.ProcessEnv, isTTY: boolean, noColour = false): boolean => hasColour({ env, noColour }, { isTTY });
    assert.deepEqual([on({}, true), on({}, false), on({ TERM: 'dumb' }, true)], [true, false, false]);
    assert.deepEqual([on({ NO_COLOR: '1' }, true), on({ NO_COLOR: '' }, true), on({}, true, true)], [false, true, false]);
    assert.deepEqual([on({ FORCE_COLOR: '1' }, false), on({ FORCE_COLOR: '0' }, true), on({ FORCE_COLOR: '1', NO_COLOR: '1' }, true), on({ FORCE_COLOR: '1' }, false, true)], [true, false, false, false]);
  });

  it('ends quietly when its reader has seen enough, and says other failures', async () => {
    const gone = make({ isTTY: false, fail: 'EPIPE' });
    await gone.output.answer({}, () => []);
    await gone.output.answer({}, () => []);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([gone.err(), gone.closed()], ['', 1]);
    const full = make({ isTTY: false, fail: 'ENOSPC' });
    await full.output.answer({}, () => []);
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(full.err(), /could not be written: ENOSPC/);
  });

  it('a failure is one sentence, the next step and its kind; for programs an object on stderr', () => {
    const person = make({ isTTY: true, env: { NO_COLOR: '1' } });
    person.output.failure(new Error('broken \u001b[2J'));
    assert.match(person.err(), /^error broken ␛\[2J Run “attache doctor”\. \[unexpected\]\n$/);
    const program = make({ isTTY: false });
    program.output.failure(new Error('broken'));
    assert.deepEqual((JSON.parse(program.err()) as { error: unknown }).error, { kind: 'unexpected', code: null, message: 'broken', next: 'Run “attache doctor”.', exit: 1 });
    assert.equal(program.out(), '');
  });
});

describe('tables', () => {
  const rows = [['a', 'short'], ['b', 'something that is rather long for a narrow terminal']].map((row) => row);

  it('are aligned, and give way to a narrow terminal', () => {
    const lines = table([{ head: 'ID' }, { head: 'TITLE', min: 10 }], rows, 24).map((line) => line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join(''));
    assert.deepEqual(lines, ['ID  TITLE', 'a   short', 'b   something that is r…']);
    for (const line of lines) assert.ok(displayWidth(line) <= 24, line);
  });

  it('count columns as a terminal does, and break no character', () => {
    assert.deepEqual(['abc', '漢字', '👩‍🚀', 'e\u0301', ''].map(displayWidth), [3, 4, 2, 1, 0]);
    assert.deepEqual([fit('漢字漢字', 5), fit('👩‍🚀👩‍🚀', 3), fit('abc', 3), fit('abcd', 0)], ['漢字…', '👩‍🚀…', 'abc', '']);
    assert.equal(pairs([['A', 'one\ntwo'], ['Longer', 'x']]).map((line) => line.map((piece) => painted(typeof piece === 'string' ? { text: piece, style: 'plain' } : piece, false)).join('')).join('|'), 'A       one|        two|Longer  x');
  });

  it('say times and sizes in one unit', () => {
    assert.deepEqual([ago(0, 3_000), ago(0, 59_000), ago(0, 3_600_000), ago(0, 172_800_000), ago(10_000, 0)], ['now', '59 s ago', '1 h ago', '2 d ago', 'now']);
    assert.deepEqual([duration(0), duration(61_000), bytes(0), bytes(1536), bytes(512 * 1024 ** 2), bytes(3 * 1024 ** 4)], ['0 s', '1 min', '0 B', '1.5 KiB', '512 MiB', '3.0 TiB']);
  });
});

describe('streamed text', () => {
  it('is the same text, however it was cut', async () => {
    await fc.assert(fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '👩', 'é') }), fc.array(fc.nat(20), { maxLength: 6 }), async (text, cuts) => {
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) pieces.push(text.slice(at, (at += cut)));
      pieces.push(text.slice(at));
      const { output, out } = make({ isTTY: false, json: false });
      const streamed = new StreamedText(output);
      for (const piece of pieces) await streamed.say(piece, '', 'plain');
      await streamed.endLine();
      const whole = text.replaceAll('\r\n', '\n');
      assert.equal(out(), whole === '' || whole.endsWith('\n') ? whole : `${whole}\n`);
    }));
  });

  it('has its prefix on each line', async () => {
    const { output, out } = make({ isTTY: false, json: false });
    const streamed = new StreamedText(output);
    for (const piece of ['one', ' more\n', '\ntw', 'o']) await streamed.say(piece, '› ', 'bold');
    await streamed.endLine();
    assert.equal(out(), '› one more\n› \n› two\n');
  });
});
