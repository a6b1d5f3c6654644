import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import type { Message } from 'vscode-jsonrpc/node';
import { encodeFrame } from '../../../src/connector/frames.ts';
import { FrameReader, FrameWriter } from '../../../src/connector/frameTransport.ts';
import { eventually } from '../../support/eventually.ts';

const message = (n: number, pad = ''): Message => ({ jsonrpc: '2.0', method: 'm', params: { n, pad } }) as Message;

describe('messages over a socket', () => {
  let server: net.Server;
  let near: net.Socket;
  let far: net.Socket;
  let heard: string[];
  let errors: Error[];
  let closed: number;

  beforeEach(async () => {
    server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    near = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    [far] = (await once(server, 'connection')) as [net.Socket];
    [heard, errors, closed] = [[], [], 0];
  });
  afterEach(() => {
    near.destroy();
    far.destroy();
    server.close();
  });

  function listen(): { dispose(): void } {
    const reader = new FrameReader(far);
    reader.onError((error) => errors.push(error));
    reader.onClose(() => (closed += 1));
    return reader.listen((received) => heard.push(JSON.stringify(received)));
  }

  it('come in order and whole, those that were there before anybody listened, too', async () => {
    const writer = new FrameWriter(near);
    const sent = Array.from({ length: 200 }, (_, n) => message(n, n % 50 === 0 ? '日本'.repeat(100_000) : 'x'));
    const writes = sent.slice(0, 100).map((one) => writer.write(one));
    listen();
    writes.push(...sent.slice(100).map((one) => writer.write(one)));
    await Promise.all(writes);
    await eventually('all have come', () => heard.length === sent.length);
    assert.deepEqual(heard, sent.map((one) => JSON.stringify(one)));
    writer.end();
    await eventually('its end is known', () => closed === 1);
    assert.deepEqual(errors, []);
  });

  it('stop at the first thing that cannot be read, and the end of the link is still noticed', async () => {
    listen();
    near.write(Buffer.concat([encodeFrame(message(1)), Buffer.from('Content-Length: 4\r\n\r\nnope'), encodeFrame(message(2))]));
    await eventually('it is said', () => errors.length === 1);
    near.write(encodeFrame(message(3)));
    near.end();
    await eventually('the end is known', () => closed === 1);
    assert.deepEqual([heard, errors.length], [[JSON.stringify(message(1))], 1]);
  });

  it('are not heard by who has stopped listening', async () => {
    const listening = listen();
    near.write(encodeFrame(message(1)));
    await eventually('one has come', () => heard.length === 1);
    listening.dispose();
    near.end(encodeFrame(message(2)));
    far.resume();
    await eventually('the end is known', () => closed === 1);
    assert.equal(heard.length, 1);
  });

  it('that cannot be sent say so', async () => {
    const writer = new FrameWriter(near);
    const failures: unknown[] = [];
    writer.onError(([error]) => failures.push(error));
    far.resetAndDestroy();
    await eventually('the broken link is told', () => failures.length > 0);
    assert.deepEqual(failures.map((error) => (error as NodeJS.ErrnoException).code), ['ECONNRESET']);
    await assert.rejects(writer.write(message(1)), { code: 'ERR_STREAM_DESTROYED' });
  });
});
