import { PassThrough } from 'node:stream';
import { createMessageConnection, NullLogger, StreamMessageReader, StreamMessageWriter, type MessageConnection } from 'vscode-jsonrpc/node';
import { jsonRpcPeer, type JsonRpcPeer } from '../../src/connector/jsonRpcPeer.ts';

/** A client's peer and the other end of its link, joined in memory by real frames. */
export interface PeerPair {
  readonly peer: JsonRpcPeer;
  /** Plays the gateway: handlers and notifications are the test's. */
  readonly far: MessageConnection;
  /** Cuts the link as a dying process does. */
  cut(): void;
}

export function peerPair(): PeerPair {
  const [toFar, toNear] = [new PassThrough(), new PassThrough()];
  const near = createMessageConnection(new StreamMessageReader(toNear), new StreamMessageWriter(toFar), NullLogger);
  const far = createMessageConnection(new StreamMessageReader(toFar), new StreamMessageWriter(toNear), NullLogger);
  const peer = jsonRpcPeer(near);
  near.listen();
  return {
    peer,
    far,
    cut() {
      toFar.destroy();
      toNear.destroy();
    },
  };
}
