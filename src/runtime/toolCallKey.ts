import { createHash } from 'node:crypto';
import type { ItemKey } from '../protocol/ids.ts';

/** The item key of an agent's tool call: the mapper and the guard arrive at the same one without talking to each other. */
export function toolCallKey(toolCallId: string): ItemKey {
  const readable = /^[\x21-\x7e]{1,150}$/.test(toolCallId);
  return `tool.${readable ? toolCallId : createHash('sha256').update(toolCallId).digest('hex')}` as ItemKey;
}
