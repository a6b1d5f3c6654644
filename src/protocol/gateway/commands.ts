import * as z from '../schema.ts';
import { commandId, sessionId, timestamp, workspacePath } from '../ids.ts';
import { bindingMatch, readback } from '../session/state.ts';

/**
 * How the store was found at the start. `recovered`: it was damaged; what could be saved is here, the damaged files lie in the folder `keptIn` of
 * the data root, and the loss is told for as long as that folder is there. `lost` counts rows by kind as far as they can be counted.
 */
export const storeOutcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('created') }),
  z.strictObject({ kind: z.literal('opened') }),
  z.strictObject({
    kind: z.literal('recovered'),
    at: timestamp,
    /** What was wrong, for people. */
    reason: z.string(),
    keptIn: z.string(),
    source: z.enum(['wal', 'salvage', 'backup']),
    lost: z.record(z.string(), z.number().int().nonnegative()),
    /** Sessions of which a part is known to be missing; each says so at its end. */
    incompleteSessions: z.number().int().nonnegative(),
  }),
]);
export type StoreOutcome = z.infer<typeof storeOutcome>;

/** The process and its store in numbers. */
export const gatewayStatus = z.strictObject({
  gatewayId: z.string(),
  epoch: z.number().int(),
  version: z.string(),
  protocolVersions: z.array(z.number().int()),
  pid: z.number().int(),
  nodeVersion: z.string(),
  startedAt: z.number().int(),
  rssBytes: z.number(),
  connections: z.number().int(),
  liveTurns: z.number().int(),
  pendingApprovals: z.number().int(),
  storeBytes: z.number(),
  schemaVersion: z.number().int(),
  storeOutcome,
});
export type GatewayStatus = z.infer<typeof gatewayStatus>;

const bytes = z.number().int().nonnegative();

/** A closed session and the bytes of full texts and files (of edits, checkpoints, attachments) that only it and sessions closed before it refer to. The transcript is not among them. */
export const freeableSession = z.strictObject({
  sessionId,
  workspace: workspacePath,
  title: z.string(),
  closedAt: timestamp,
  bytes,
});
export type FreeableSession = z.infer<typeof freeableSession>;

const freeWhat = {
  commandId,
  /** Enough is enough: the oldest that together hold this much. */
  upToBytes: z.number().int().positive().optional(),
  sessions: z.array(sessionId).min(1).max(200).optional(),
};

export const gatewayMethods = {
  /** What runs, and how much of it. */
  'gateway/status': { kind: 'query', params: z.strictObject({}), result: gatewayStatus },
  /** Facts for a bug report: no texts, no paths, no secrets. */
  'gateway/diagnostics': {
    kind: 'query',
    params: z.strictObject({}),
    result: z.strictObject({
      status: gatewayStatus,
      counts: z.record(z.string(), z.number()),
      /** Channels by the source of their readback, quoted as each channel shows it. */
      readbacks: z.record(readback.shape.sessionModeSource, z.number().int()),
      /** Sessions that are not closed, by how they stand to their goal. */
      bindings: z.record(bindingMatch, z.number().int()),
      checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string() })),
    }),
  },
  /** No new turns; running ones get 60 s; then the gateway exits. Only for a client with a newer protocol. */
  'gateway/drain': { kind: 'command', params: z.strictObject({ commandId }), result: z.strictObject({ liveTurns: z.number().int() }) },
  /** With `ifIdle` refused as gateway_busy while a turn is live. Without it hosts keep their claims and go on with the next gateway. */
  'gateway/shutdown': { kind: 'command', params: z.strictObject({ commandId, ifIdle: z.boolean() }), result: z.strictObject({}) },
  /** What the store holds, in bytes, and what could be freed in the granted folders, longest closed first, at most 200 sessions (`more`: there are others). */
  'gateway/space': {
    kind: 'query',
    params: z.strictObject({}),
    result: z.strictObject({
      storeBytes: bytes,
      walBytes: bytes,
      /** Of the file and its log, without free pages; no new turn is taken once this reaches `capBytes`. */
      usedBytes: bytes,
      capBytes: bytes,
      freeBytes: bytes,
      kinds: z.strictObject({
        texts: bytes,
        events: bytes,
        blobs: bytes,
        /** Of deleted sessions that can still be fetched back; counted above as well. */
        deleted: bytes,
      }),
      freeable: z.strictObject({ bytes, sessions: z.array(freeableSession), more: z.boolean() }),
    }),
  },
  /**
   * Frees what closed sessions hold beside their transcripts, longest closed first. With `dryRun` says what would go and writes nothing; the call that
   * does it repeats the `planId` it was given, and is refused with revision_conflict when something else would go by now. Items whose full
   * texts were freed answer `gone` for them. `left`: what further calls could free.
   */
  'gateway/freeSpace': {
    kind: 'command',
    params: z.union([
      z.strictObject({ ...freeWhat, dryRun: z.literal(true) }),
      z.strictObject({ ...freeWhat, planId: z.string().max(64), dryRun: z.literal(false).optional() }),
    ]),
    result: z.strictObject({ planId: z.string(), sessions: z.array(freeableSession), bytes, freed: z.boolean(), left: bytes }),
  },
  /** What became of a command of this client, by its key: for whom the answer was lost and who does not want to repeat it. Refused as command_expired when it was long ago. */
  'command/get': {
    kind: 'query',
    params: z.strictObject({ commandId }),
    result: z.strictObject({ state: z.literal('done'), method: z.string(), at: timestamp, result: z.unknown() }),
  },
} as const;
