import * as z from '../schema.ts';

/** What a running gateway leaves in its data root so that clients find it. It never names a secret, and it may be stale. */
export const gatewayDescriptor = z.object({
  gatewayId: z.string(),
  epoch: z.number().int(),
  pid: z.number().int(),
  /** Milliseconds since 1970, so that a recycled pid is told apart. */
  processStart: z.number(),
  /** Path of the Unix socket or named pipe. */
  endpoint: z.string().min(1),
  protocolRange: z.tuple([z.number().int(), z.number().int()]),
  version: z.string(),
});
export type GatewayDescriptor = z.infer<typeof gatewayDescriptor>;

/** Left by a gateway that was drained for a newer one: an older build must not take over the data again. */
export const gatewayFloor = z.object({ minGatewayVersion: z.number().int() });
