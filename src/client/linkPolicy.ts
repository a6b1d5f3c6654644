import type { ErrorKind } from '../protocol/errors.ts';

/** A link that lived this long was sound: the next failure counts as the first. */
export const SOUND_AFTER_MS = 5_000;
/** A heartbeat may be as late. */
export const HEARTBEAT_SLACK_MS = 5_000;

/** Failures that trying again cannot mend. */
export const FINAL: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['unsupported_version', 'gateway_outdated', 'store_unreadable']);
