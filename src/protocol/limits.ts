/** Per message. By themselves, for the chat page, which needs no other bounds. */
export const MAX_ATTACHMENTS = 9;
export const MAX_ATTACHMENT_BYTES = 5 * 1024 * 1024;
/** That an agent sent in one message or tool call. */
export const MAX_PICTURES = 20;

/** Every bound of protocol version 1, repeated to each client in the handshake answer. Bytes, milliseconds or counts as named. */
export const LIMITS = {
  frameBytes: 8 * 1024 * 1024,
  firstFrameBytes: 64 * 1024,
  inlineDataBytes: 64 * 1024,
  /** Of the JSON of one item's data, one request's subject, or what an agent says about itself. */
  entityChars: 1024 * 1024,
  replayEvents: 500,
  replayBytes: 1024 * 1024,
  /** Of finished turns that were replayed lately, this much is kept at hand. */
  replayTurns: 8,
  replayRows: 4096,
  replayCacheBytes: 2 * 1024 * 1024,
  snapshotTurns: 50,
  snapshotBytes: 1024 * 1024,
  retainedEvents: 20_000,
  retainedBytes: 64 * 1024 * 1024,
  /** No new turn is taken once the store is this large. */
  storeBytes: 4 * 1024 * 1024 * 1024,
  outboundBytes: 4 * 1024 * 1024,
  outboundStallMs: 10_000,
  /** Events on their way to one subscription without `event/ack`; then delivery pauses. */
  unackedEvents: 2000,
  inFlightRequests: 64,
  subscriptions: 128,
  connections: 32,
  queuePerSession: 20,
  pendingApprovals: 50,
  /** Rules in force per workspace. */
  grants: 500,
  queueTtlMs: 3_600_000,
  claimWaitSeconds: 1800,
  leaseMs: 30_000,
  renewMs: 10_000,
  hostNoNewEffectMs: 20_000,
  hostSelfStopMs: 25_000,
  cancelGraceMs: 10_000,
  agentCancelMs: 9_000,
  earlyCancelMs: 60_000,
  /** For this long a repeated command is answered with its stored answer. */
  receiptMs: 7 * 24 * 3_600_000,
  /** For this long its key is known: until then a repeat is refused, never carried out again. */
  receiptKeyMs: 30 * 24 * 3_600_000,
  /** A deleted session can be fetched back for this long. */
  undeleteMs: 7 * 24 * 3_600_000,
  /** Of what was said, as much is offered to be carried over into a fork. */
  forkContextChars: 20_000,
  heartbeatMs: 15_000,
  deadLinkMs: 30_000,
  idleExitMs: 600_000,
  responseChars: 200_000,
  promptChars: 1_000_000,
  attachments: MAX_ATTACHMENTS,
  attachmentBytes: MAX_ATTACHMENT_BYTES,
  /** Of all attachments of one message together. */
  attachmentsBytes: 20 * 1024 * 1024,
  blobBytes: 16 * 1024 * 1024,
  blobChunkBytes: 1024 * 1024,
  deltaFlushMs: 8,
  deltaFlushCount: 64,
  deltaFlushBytes: 16 * 1024,
} as const;

export type Limits = { readonly [K in keyof typeof LIMITS]: number };
