import assert from 'node:assert/strict';
import fc from 'fast-check';
import { itemData } from '../../../../src/protocol/item/state.ts';
import { reportOp, type ReportOp } from '../../../../src/protocol/host/commands.ts';
import type { FileChange } from '../../../../src/protocol/item/state.ts';
import { LIMITS } from '../../../../src/protocol/limits.ts';
import type { AttachedContent } from '../../../../src/protocol/turn/attachment.ts';
import type { SentPicture, ShownChange } from '../../../../src/runtime/agent.ts';
import { TurnMapper } from '../../../../src/runtime/acp/turnMapper.ts';

const describeChange = ({ path, before, after }: ShownChange): FileChange => ({
  path, label: path, before: before === null ? null : ('b'.repeat(64) as FileChange['after']), after: 'a'.repeat(64) as FileChange['after'], added: after.length, removed: 0, lines: [], linesCut: false,
});

const keepPicture = ({ name, mimeType, bytes }: SentPicture): AttachedContent | null =>
  (bytes[0] === 0 ? null : { name, mimeType, digest: 'c'.repeat(64) as AttachedContent['digest'], size: bytes.length });

class Recording {
  readonly ops: ReportOp[] = [];
  readonly logged: string[] = [];
  readonly mapper = new TurnMapper({ report: (ops) => this.ops.push(...ops), describe: describeChange, keepPicture, log: (line) => this.logged.push(line) });

  play(...updates: readonly Record<string, unknown>[]): this {
    for (const update of updates) this.mapper.update(update);
    return this;
  }

  /** One line for each report. */
  get lines(): string[] {
    return this.ops.map((op) => {
      const key = 'itemKey' in op ? op.itemKey : '';
      const kind = 'data' in op && op.data !== undefined ? ` ${op.data.kind}` : '';
      const state = 'state' in op && op.state !== undefined ? ` ${op.state}` : '';
      const text = 'text' in op && op.text !== undefined ? ` ${JSON.stringify(op.text)}` : '';
      return `${op.op} ${key}${kind}${state}${text}`;
    });
  }
}

const say = (text: string, messageId?: string): Record<string, unknown> => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...(messageId === undefined ? {} : { messageId }) });
const think = (text: string): Record<string, unknown> => ({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } });
const show = (bytes: string, more: { readonly uri?: string; readonly mimeType?: string } = {}) =>
  ({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType: 'image/png', data: Buffer.from(bytes).toString('base64'), ...more } });
const call = (fields: Record<string, unknown>): Record<string, unknown> => ({ sessionUpdate: 'tool_call', ...fields });
const change = (fields: Record<string, unknown>): Record<string, unknown> => ({ sessionUpdate: 'tool_call_update', ...fields });
const words = (text: string): Record<string, unknown> => ({ type: 'content', content: { type: 'text', text } });

describe('TurnMapper', () => {
  it('a message begins with its first piece and grows', () => {
    const turn = new Recording().play(say('Hel'), say('lo'));
    turn.mapper.end('completed', 'completed');
    assert.deepEqual(turn.lines, ['item.start message.1 agent_message "Hel"', 'item.delta message.1 "lo"', 'item.end message.1 completed']);
    assert.equal(turn.mapper.lastMessageKey, 'message.1');
  });

  it('a thought, another message id and a tool call each begin something new', () => {
    const turn = new Recording().play(think('hm'), say('a', '1'), say('b', '2'), call({ toolCallId: 't', title: 'Look' }), say('c', '2'));
    turn.mapper.end('completed', 'completed');
    assert.deepEqual(turn.lines, [
      'item.start thought.1 thought "hm"', 'item.end thought.1 completed',
      'item.start message.2 agent_message "a"', 'item.end message.2 completed',
      'item.start message.3 agent_message "b"', 'item.end message.3 completed',
      'item.start tool.t tool_call',
      'item.start message.4 agent_message "c"', 'item.end message.4 completed', 'item.end tool.t completed',
    ]);
  });

  it('pictures stand behind the words they come after, and words after them are a message of their own', () => {
    const turn = new Recording().play(say('look:', '1'), show('one'), show('two', { uri: 'file:///shots/a%20b.png' }), say('as you see', '1'), show('three'));
    turn.mapper.end('completed', 'completed');
    assert.deepEqual(turn.lines, [
      'item.start message.1 agent_message "look:"', 'item.update message.1 agent_message', 'item.update message.1 agent_message', 'item.end message.1 completed',
      'item.start message.2 agent_message "as you see"', 'item.update message.2 agent_message', 'item.end message.2 completed',
    ]);
    const shown = turn.ops.flatMap((op) => ('data' in op && op.data?.kind === 'agent_message' ? [(op.data.pictures ?? []).map(({ name, size }) => `${name} ${String(size)}`)] : []));
    assert.deepEqual(shown, [[], ['picture.png 3'], ['picture.png 3', 'a b.png 3'], [], ['picture.png 5']]);
  });

  it('a picture by itself is a message, and so many in a row are more than one', () => {
    const turn = new Recording().play(...Array.from({ length: 21 }, () => show('x')));
    turn.mapper.end('completed', 'completed');
    const starts = turn.ops.flatMap((op) => (op.op === 'item.start' ? [op.data.kind === 'agent_message' ? op.data.pictures?.length : null] : []));
    assert.deepEqual(starts, [1, 1]);
    assert.ok(turn.ops.every((op) => reportOp.safeParse(op).success));
  });

  it('a picture that is not kept, too large or of a kind that is not shown is named in words', () => {
    const turn = new Recording().play(show('\u0000'), show('<svg/>', { mimeType: 'image/svg+xml' }), show('x'.repeat(5 * 1024 * 1024 + 1)), show(''));
    assert.deepEqual(turn.lines, [
      'item.start message.1 agent_message "*(image, image/png)*"', 'item.delta message.1 "*(image, image/svg+xml)*"', 'item.delta message.1 "*(image, image/png)*"', 'item.delta message.1 "*(image, image/png)*"',
    ]);
  });

  it('a tool call keeps each picture once, whether it comes by itself or as a file, beside its words', () => {
    const file = { type: 'resource', resource: { uri: 'file:///page.webp', mimeType: 'image/webp', blob: Buffer.from('two').toString('base64') } };
    const content = [words('a screenshot'), { type: 'content', content: show('one').content }, { type: 'content', content: file }];
    let kept = 0;
    const ops: ReportOp[] = [];
    const mapper = new TurnMapper({ report: (more) => ops.push(...more), describe: describeChange, keepPicture: (picture) => { kept += 1; return keepPicture(picture); }, log: () => undefined });
    for (const update of [call({ toolCallId: 't', content }), change({ toolCallId: 't', content }), change({ toolCallId: 't', status: 'completed', content })]) mapper.update(update);
    assert.deepEqual(ops.map(({ op }) => op), ['item.start', 'item.end']);
    const [start] = ops;
    assert.ok(start?.op === 'item.start' && start.data.kind === 'tool_call');
    assert.deepEqual([start.text, start.data.pictures?.map(({ name, mimeType }) => [name, mimeType]), kept], ['a screenshot', [['picture.png', 'image/png'], ['page.webp', 'image/webp']], 2]);
  });

  it('an update of a tool call in the middle of a message does not break it', () => {
    const turn = new Recording().play(call({ toolCallId: 't', title: 'Look' }), say('a'), change({ toolCallId: 't', status: 'completed' }), say('b'));
    assert.deepEqual(turn.lines, ['item.start tool.t tool_call', 'item.start message.1 agent_message "a"', 'item.end tool.t completed', 'item.delta message.1 "b"']);
  });

  it('a tool call grows, changes and ends', () => {
    const turn = new Recording().play(
      call({ toolCallId: 't', kind: 'execute', title: 'bash', status: 'pending', rawInput: {} }),
      change({ toolCallId: 't', status: 'in_progress', title: 'ls', rawInput: { command: 'ls' }, locations: [{ path: '/a', line: 3 }] }),
      change({ toolCallId: 't', content: [words('one')] }),
      change({ toolCallId: 't', content: [words('one two')] }),
      change({ toolCallId: 't', content: [words('three')] }),
      change({ toolCallId: 't', status: 'completed', content: [words('three')] }),
    );
    assert.deepEqual(turn.lines, [
      'item.start tool.t tool_call', 'item.update tool.t tool_call', 'item.delta tool.t "one"', 'item.delta tool.t " two"', 'item.update tool.t "three"', 'item.end tool.t completed',
    ]);
    assert.deepEqual('data' in turn.ops[1]! && turn.ops[1].data, { kind: 'tool_call', toolKind: 'execute', title: 'ls', locations: [{ path: '/a', line: 3 }], input: '{\n  "command": "ls"\n}' });
  });

  it('a raw result is shown where the agent shows nothing else', () => {
    const turn = new Recording().play(call({ toolCallId: 't', kind: 'execute' }), change({ toolCallId: 't', status: 'failed', rawOutput: { stdout: 'out\n', exit_code: 1 } }));
    assert.deepEqual(turn.lines, ['item.start tool.t tool_call', 'item.delta tool.t "out\\n"', 'item.end tool.t failed']);
  });

  it('diffs are described once, and an empty list later does not take them away', () => {
    let described = 0;
    const ops: ReportOp[] = [];
    const mapper = new TurnMapper({ report: (more) => ops.push(...more), describe: (shown) => { described += 1; return describeChange(shown); }, keepPicture, log: () => undefined });
    const content = [{ type: 'diff', path: '/a', oldText: null, newText: 'x' }];
    mapper.update(call({ toolCallId: 't', kind: 'edit', content }));
    mapper.update(change({ toolCallId: 't', content }));
    mapper.update(change({ toolCallId: 't', status: 'completed', content: [] }));
    assert.equal(described, 1);
    assert.equal(mapper.tool('t')?.data.changes?.length, 1);
    assert.deepEqual(mapper.tool('t')?.diffs, [{ path: '/a', before: null, after: 'x' }]);
  });

  it('C24 what is left open is settled, and what comes later is dropped with a line in the log', () => {
    const turn = new Recording().play(say('half'), call({ toolCallId: 'a' }), call({ toolCallId: 'b', status: 'completed' }), { sessionUpdate: 'plan', entries: [] });
    turn.mapper.decline('a');
    turn.mapper.end('cancelled', 'cancelled');
    const count = turn.ops.length;
    turn.play(say('late'), change({ toolCallId: 'a', status: 'completed' }));
    turn.mapper.end('completed', 'completed');
    assert.deepEqual(turn.lines.slice(-2), ['item.end tool.a declined', 'item.end plan.2 cancelled']);
    assert.equal(turn.ops.length, count);
    assert.equal(turn.logged.length, 2);
  });

  it('a refusal by the person is not shown as a failure of the tool', () => {
    const turn = new Recording().play(call({ toolCallId: 't' }));
    turn.mapper.decline('t');
    turn.play(change({ toolCallId: 't', status: 'failed' }));
    assert.equal(turn.lines.at(-1), 'item.end tool.t declined');
  });

  it('an id that is used again is another call', () => {
    const turn = new Recording().play(call({ toolCallId: 't', status: 'completed' }), call({ toolCallId: 't', title: 'again' }), change({ toolCallId: 't', status: 'completed' }));
    assert.deepEqual(turn.lines.map((line) => line.split(' ').slice(0, 2).join(' ')), ['item.start tool.t', 'item.end tool.t', 'item.start tool.t~1', 'item.end tool.t~1']);
  });

  it('a plan is one item that changes', () => {
    const turn = new Recording().play(
      { sessionUpdate: 'plan', entries: [{ content: 'one', status: 'pending', priority: 'high' }] },
      { sessionUpdate: 'plan', entries: [{ content: 'one', status: 'completed' }, { content: 'two', status: 'strange', priority: 'strange' }, { status: 'pending' }] },
    );
    assert.deepEqual(turn.lines, ['item.start plan.1 plan', 'item.update plan.1 plan']);
    assert.deepEqual('data' in turn.ops[1]! && turn.ops[1].data, { kind: 'plan', entries: [{ content: 'one', status: 'completed' }, { content: 'two', status: 'pending' }] });
  });

  it('pictures, links and embedded texts have words', () => {
    const turn = new Recording().play(
      { sessionUpdate: 'agent_message_chunk', content: { type: 'resource_link', name: 'a [b]', uri: 'file:///a b' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType: 'image/png', data: 'x' } },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'resource', resource: { uri: 'file:///a', text: 'has ``` in it' } } },
    );
    assert.deepEqual(turn.lines.map((line) => line.replace(/^\S+ \S+ (agent_message )?/, '')), [String.raw`"[a \\[b\\]](<file:///a%20b>)"`, '"*(image, image/png)*"', JSON.stringify('\n````\nhas ``` in it\n````\n')]);
  });

  it('a text of many fences is fenced in by a longer one', () => {
    const turn = new Recording().play({ sessionUpdate: 'agent_message_chunk', content: { type: 'resource', resource: { uri: 'x', text: '` '.repeat(300_000) + '````' } } });
    const [start] = turn.ops;
    assert.ok(start?.op === 'item.start' && start.text?.startsWith('\n`````\n'));
  });

  it('C21 one huge piece is cut into pieces that are whole characters', () => {
    const text = '😀'.repeat(100_000);
    const turn = new Recording().play(say(text));
    const pieces = turn.ops.map((op) => ('text' in op ? (op.text ?? '') : ''));
    assert.equal(pieces.join(''), text);
    assert.ok(pieces.every((piece) => piece.length <= 32 * 1024 && piece.isWellFormed()));
  });

  it('finds the open call behind a request: the one that names it, else the only one of its kind', () => {
    const turn = new Recording().play(call({ toolCallId: 'a', kind: 'edit', locations: [{ path: '/a' }] }), call({ toolCallId: 'b', kind: 'edit', locations: [{ path: '/b' }] }), call({ toolCallId: 'c', kind: 'execute' }));
    const { mapper } = turn;
    assert.equal(mapper.openTool(({ data }) => data.locations.some(({ path }) => path === '/a'), 'edit'), 'a');
    assert.equal(mapper.openTool(() => false, 'edit'), null);
    assert.equal(mapper.openTool(() => false, 'execute'), 'c');
  });

  it('whatever an agent sends, every report is one that the gateway takes, and nothing stays open', () => {
    const odd = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant('x'.repeat(30_000)), fc.array(fc.anything({ maxDepth: 2 }), { maxLength: 3 }));
    const block = fc.oneof(odd, fc.record({ type: fc.constantFrom('text', 'image', 'resource', 'resource_link', 'hologram'), text: odd, uri: odd, name: odd, resource: odd }, { requiredKeys: [] }));
    const entry = fc.oneof(odd, fc.record({ type: fc.constantFrom('content', 'diff', 'terminal', 'other'), content: block, path: odd, oldText: odd, newText: odd }, { requiredKeys: [] }));
    const update = fc.record({
      sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'tool_call', 'tool_call_update', 'plan', 'notice', 'user_message_chunk', 'unknown'),
      content: fc.oneof(block, fc.array(entry, { maxLength: 3 })),
      _meta: fc.oneof(odd, fc.record({ adapter: fc.record({ parentToolUseId: fc.oneof(fc.constantFrom('a', 'b', 'ü 1'), odd) }) })), parentToolCallId: odd,
      messageId: odd, toolCallId: fc.oneof(fc.constantFrom('a', 'b', 'ü 1'), odd), title: odd, kind: odd, status: fc.oneof(fc.constantFrom('pending', 'completed', 'failed', 'cancelled'), odd),
      locations: fc.oneof(odd, fc.array(fc.record({ path: odd, line: odd }, { requiredKeys: [] }))), rawInput: odd, rawOutput: odd,
      entries: fc.oneof(odd, fc.array(fc.record({ content: odd, status: odd, priority: odd }, { requiredKeys: [] }))),
    }, { requiredKeys: ['sessionUpdate'] });
    fc.assert(fc.property(fc.array(update, { maxLength: 12 }), (updates) => {
      const turn = new Recording().play(...updates);
      turn.mapper.end('interrupted', 'completed');
      const open = new Set<string>();
      for (const op of turn.ops) {
        const checked = reportOp.safeParse(op);
        assert.ok(checked.success, `${JSON.stringify(op).slice(0, 300)}: ${checked.error?.message}`);
        if ('data' in op && op.data !== undefined) assert.ok(itemData.safeParse(op.data).success);
        if (op.op === 'item.start') {
          assert.ok(!open.has(op.itemKey));
          if (op.state === undefined) open.add(op.itemKey);
        } else if ('itemKey' in op) assert.ok(open.has(op.itemKey), `${op.op} of ${op.itemKey}, which is not open`);
        if (op.op === 'item.end') open.delete(op.itemKey);
      }
      assert.deepEqual([...open], []);
    }), { numRuns: 300 });
  });

  it('however much an agent says of one thing, the gateway takes it', () => {
    const worst = '\u0000';
    const lines = Array.from({ length: 400 }, () => ({ t: '+' as const, text: worst.repeat(50) }));
    const ops: ReportOp[] = [];
    const mapper = new TurnMapper({ report: (more) => ops.push(...more), describe: (shown) => ({ ...describeChange(shown), lines }), keepPicture, log: () => undefined });
    mapper.update(call({
      toolCallId: 't', title: worst.repeat(20_000), rawInput: { text: worst.repeat(50_000) },
      locations: Array.from({ length: 300 }, (_, n) => ({ path: `/${String(n)}${'x'.repeat(4000)}` })),
      content: Array.from({ length: 60 }, (_, n) => ({ type: 'diff', path: `/f${String(n)}`, oldText: null, newText: 'x' })),
    }));
    mapper.update({ sessionUpdate: 'plan', entries: Array.from({ length: 600 }, () => ({ content: worst.repeat(12_000), status: 'pending' })) });
    const data = ops.flatMap((op) => (op.op === 'item.start' ? [op.data] : []));
    assert.deepEqual(data.map(({ kind }) => kind), ['tool_call', 'plan']);
    for (const each of data) assert.ok(JSON.stringify(each).length <= LIMITS.entityChars, `${each.kind}: ${String(JSON.stringify(each).length)}`);
    const [tool] = data;
    assert.ok(tool?.kind === 'tool_call' && tool.changes?.length === 50);
    assert.deepEqual(tool.changes.map((each) => [each.lines.length, each.linesCut]).filter(([count], at) => (at < 2 ? count === 400 : count === 0)).length, 50, 'the first ones keep their lines');
  });
});
