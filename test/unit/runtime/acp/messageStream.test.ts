import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { messageStream } from '../../../../src/runtime/acp/messageStream.ts';

interface Read {
  readonly messages: unknown[];
  readonly updates: unknown[];
  readonly logged: string[];
}

async function readAll(chunks: readonly (string | Buffer)[], maxLineBytes?: number): Promise<Read> {
  const stdout = new PassThrough();
  const read: Read = { messages: [], updates: [], logged: [] };
  const { readable } = messageStream({
    stdout, stdin: new PassThrough(), log: (line) => read.logged.push(line),
    onUpdate: (sessionId, update) => read.updates.push([sessionId, update, read.messages.length]),
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  });
  for (const chunk of chunks) stdout.write(chunk);
  stdout.end();
  for await (const message of readable) read.messages.push(message);
  return read;
}

const line = (message: unknown): string => `${JSON.stringify(message)}\n`;

describe('messageStream', () => {
  it('gives messages on and updates aside', async () => {
    const { messages, updates } = await readAll([line({ jsonrpc: '2.0', id: 1, result: {} }), line({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'tomorrow' } } })]);
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: {} }]);
    assert.deepEqual(updates.map((update) => (update as unknown[]).slice(0, 2)), [['s', { sessionUpdate: 'tomorrow' }]]);
  });

  it('an update before an answer is taken before the answer is seen', async () => {
    const { updates } = await readAll([line({ method: 'session/update', params: { sessionId: 's', update: {} } }) + line({ id: 1, result: {} })]);
    assert.deepEqual(updates, [['s', {}, 0]]);
  });

  it('what is no message is left out with a line in the log', async () => {
    const { messages, logged } = await readAll(['Listening…\n', '{"half":\n', '[1]\n', '7\n', '\n', '  \r\n', line({ id: 2, result: null })]);
    assert.equal(messages.length, 1);
    assert.equal(logged.length, 4);
  });

  it('an update that cannot be dealt with costs none of what follows it', async () => {
    const stdout = new PassThrough();
    const logged: string[] = [];
    const { readable } = messageStream({ stdout, stdin: new PassThrough(), log: (text) => logged.push(text), onUpdate: () => { throw new RangeError('too much'); } });
    stdout.end(line({ method: 'session/update', params: {} }) + line({ id: 1, result: {} }));
    const messages: unknown[] = [];
    for await (const message of readable) messages.push(message);
    assert.deepEqual([messages.length, logged.length], [1, 1]);
  });

  it('a character that is cut by the pipe is put together again, and a last line needs no end', async () => {
    const bytes = Buffer.from(JSON.stringify({ id: 1, result: 'é😀' }));
    const { messages } = await readAll([...bytes].map((byte) => Buffer.from([byte])));
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: 'é😀' }]);
  });

  it('a line that is too long is skipped, and the next one counts', async () => {
    const { messages, logged } = await readAll([line({ id: 1, result: 'x'.repeat(500) }), line({ id: 2, result: 'y' })], 100);
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 2, result: 'y' }]);
    assert.equal(logged.length, 1);
  });
});
