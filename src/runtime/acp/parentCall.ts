import { fields, textOrNull, type Fields } from './wire.ts';

/** What adapters call the tool call that runs the sub-agent, in an update or a level down in its `_meta`; the protocol itself has no word for it. */
const names = ['parentToolCallId', 'parentToolUseId'] as const;

/** The id of the tool call inside of which this update happens; null: the agent itself speaks or acts. */
export function parentCall(update: Fields): string | null {
  const meta = fields(update['_meta']);
  for (const place of [update, meta, ...Object.values(meta).map(fields)]) {
    for (const name of names) {
      const id = textOrNull(place[name]);
      if (id !== null && id !== '' && id !== update['toolCallId']) return id;
    }
  }
  return null;
}
