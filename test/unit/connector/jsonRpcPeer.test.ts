import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createMessageConnection, NullLogger, ResponseError, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { jsonRpcPeer } from '../../../src/connector/jsonRpcPeer.ts';
import { AttacheError } from '../../../src/protocol/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { peerPair } from '../../support/peerPair.ts';

const isClosed = (error: unknown): boolean => error instanceof AttacheError && error.kind === 'connection_closed';

describe('a peer over JSON-RPC', () => {
  it('carries requests, answers and notifications', async () => {
    const { peer, far, cut } = peerPair();
    far.onRequest('echo', (params) => ({ params }));
    far.listen();
    assert.deepEqual(await peer.request('echo', { a: 1 }), { params: { a: 1 } });
    const heard: unknown[] = [];
    const listening = [peer.onNotification('news', (params) => heard.push(['first', params])), peer.onNotification('news', (params) => heard.push(['second', params]))];
    await far.sendNotification('news', { n: 1 });
    await eventually('both heard it', () => heard.length === 2);
    listening[0]?.dispose();
    await far.sendNotification('news', { n: 2 });
    await eventually('one heard it', () => heard.length === 3);
    assert.deepEqual(heard.at(-1), ['second', { n: 2 }]);
    cut();
  });

  it('turns a refusal of the gateway back into its typed error', async () => {
    const { peer, far, cut } = peerPair();
    const refusal = new AttacheError('session_queue_full', { retryAfterMs: 5 });
    far.onRequest('x', () => new ResponseError(refusal.code, refusal.message, refusal.data));
    far.listen();
    await assert.rejects(peer.request('x', {}), (error) => {
      assert.ok(error instanceof AttacheError);
      assert.deepEqual(error.data, refusal.data);
      return true;
    });
    cut();
  });

  it('rejects everything that is pending when the link is cut, and everything after', async () => {
    const { peer, far, cut } = peerPair();
    far.onRequest('never', () => new Promise(() => undefined));
    far.listen();
    const pending = [peer.request('never', {}), peer.request('never', {})];
    const settled = Promise.all(pending.map((each) => assert.rejects(each, isClosed)));
    cut();
    await settled;
    await peer.closed;
    assert.equal(peer.isClosed, true);
    await assert.rejects(peer.request('never', {}), isClosed);
  });

  it('takes a link that cannot be written to for closed, at once', async () => {
    const writer = Object.assign(new StreamMessageWriter(new PassThrough()), { write: () => Promise.reject(new Error('EPIPE')) });
    const rpc = createMessageConnection(new StreamMessageReader(new PassThrough()), writer, NullLogger);
    rpc.listen();
    const peer = jsonRpcPeer(rpc);
    await assert.rejects(peer.request('x', {}), isClosed);
    await peer.closed;
    assert.equal(peer.isClosed, true);
    rpc.dispose();
  });

  it('abandons the wait of a request that is aborted, before or after it was sent', async () => {
    const { peer, far, cut } = peerPair();
    far.onRequest('wait', (_params, token) => new Promise((resolve) => {
      if (token.isCancellationRequested) resolve('cancelled');
      token.onCancellationRequested(() => resolve('cancelled'));
    }));
    far.listen();
    const abort = new AbortController();
    const waiting = peer.request('wait', {}, abort.signal);
    abort.abort();
    assert.equal(await waiting, 'cancelled');
    assert.equal(await peer.request('wait', {}, abort.signal), 'cancelled');
    cut();
  });
});
