import type { ErrorKind } from '../../protocol/errors.ts';
import type { ItemId } from '../../protocol/ids.ts';
import type { ItemData } from '../../protocol/item/state.ts';
import type { Change } from '../events/change.ts';
import { mintId } from '../mint.ts';

/** `lastErrorCode` of a session that was taken over before anything ran in it: its first turn makes it the notice. */
export const TAKEN_OVER = 'executor_replaced' satisfies ErrorKind;

/** True in every window that reads it. */
const TEXT = 'This session was taken over: from here on it runs in another window than before.';

interface Notice {
  readonly itemId: ItemId;
  readonly state: 'completed';
  readonly data: ItemData;
  readonly text: string;
}

/** The receipt of a take-over, for the transcript. */
export const takeOverNotice = ({ now }: Change): Notice =>
  ({ itemId: mintId<ItemId>('itm', now), state: 'completed', data: { kind: 'notice', level: 'info', code: TAKEN_OVER }, text: TEXT });
