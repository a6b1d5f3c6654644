import { t } from '../../base/l10n.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { wholeItem } from '../../client/wholeItem.ts';
import type { SessionId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item/state.ts';
import { LIMITS } from '../../protocol/limits.ts';
import type { SessionSnapshot } from '../../protocol/subscription/state.ts';

/** What was said last in a session, for a person to take along into another one or not. */
export interface CarryOver {
  readonly messages: number;
  readonly text: string;
}

const SPEAKERS: Readonly<Record<string, () => string>> = { user_message: () => t('User'), agent_message: () => t('Agent') };
const CUT = '… ';

/** Reads the newest messages of a session, in the form that a fork hands them over in; null when nothing was said. */
export async function readCarryOver(calls: GatewayCalls, sessionId: SessionId): Promise<CarryOver | null> {
  const { snapshot } = await calls.call('session/get', { sessionId });
  return carryOver(await withWholeTexts(calls, snapshot));
}

/** The newest messages that fit, oldest first; the first of them may have lost its beginning. Messages that were taken back are left out. */
export function carryOver({ session, turns, items }: SessionSnapshot): CarryOver | null {
  const removed = new Set<string>(turns.filter(({ state, startedAt }) => state === 'cancelled' && startedAt === null).map(({ turnId }) => turnId));
  const said = items.filter((item) => !removed.has(item.turnId)).flatMap(lineOf);
  if (said.length === 0) return null;
  const heading = `\n\n${t('What was said before, in “{0}”:', session.title)}\n\n`;
  const room = LIMITS.forkContextChars - heading.length;
  const whole = said.join('\n\n');
  const text = whole.length <= room ? whole : `${CUT}${whole.slice(CUT.length - room).toWellFormed()}`;
  return { messages: said.length, text: heading + text };
}

function lineOf({ data, text }: Item): string[] {
  const speaker = SPEAKERS[data.kind]?.();
  return speaker === undefined || text.trim() === '' ? [] : [`${speaker}: ${text.trim()}`];
}

/** A snapshot has only the heads of very long texts; of a message the end counts. */
async function withWholeTexts(calls: GatewayCalls, snapshot: SessionSnapshot): Promise<SessionSnapshot> {
  const items = await Promise.all(snapshot.items.map(async (item) => (item.data.kind in SPEAKERS && item.text.length < item.textLength ? wholeItem(calls, item.itemId) : item)));
  return { ...snapshot, items };
}
