import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelPlan } from './modelPlan.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export type SendEvent = (data: unknown, event?: string) => void;

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((item): item is JsonObject => typeof item === 'object' && item !== null) : [];
}

/** The text of a message's content in any of the shapes that agents send. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .map((part) => part['text'] ?? part['content'])
    .filter((text): text is string => typeof text === 'string')
    .join('\n');
}

export function startEvents(response: ServerResponse): SendEvent {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data, event) => {
    const head = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  };
}

/** Sends the parts with their delay; a slow reader slows the model down. */
export async function sendParts(plan: Exclude<ModelPlan, { kind: 'tool' }>, response: ServerResponse, send: (text: string) => void): Promise<void> {
  for (const part of plan.parts) {
    if (response.destroyed) return;
    send(part);
    if (plan.delayMs > 0) await delay(plan.delayMs);
    else if (response.writableNeedDrain) await drained(response);
  }
}

/** Or closed. Leaves no listener behind: a long answer waits often. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const events = ['drain', 'close'].map((event) => once(response, event, { signal: over.signal }));
  await Promise.race(events);
  over.abort();
  await Promise.allSettled(events);
}

/** True when the plan breaks off instead of ending: the response is then out of hand. */
export async function breakOff(plan: ModelPlan, response: ServerResponse, sendPart: (text: string) => void): Promise<boolean> {
  if (plan.kind === 'text' || plan.kind === 'tool') return false;
  if (plan.kind !== 'error') for (const part of plan.parts) sendPart(part);
  if (plan.kind === 'hang') return true;
  if (plan.kind === 'cut') await delay(20);
  response.destroy();
  return true;
}
