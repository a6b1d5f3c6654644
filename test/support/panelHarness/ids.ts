import type { ApprovalId, ChannelId, Digest, GoalId, ItemId, SessionId, TurnId } from '../../../src/protocol/ids.ts';

const minted = (prefix: string, number: number): string => `${prefix}_${number.toString(32).replaceAll(/[ilou]/g, (letter) => ({ i: 'w', l: 'x', o: 'y', u: 'z' })[letter] ?? letter).padStart(26, '0')}`;

/** Well-formed ids with a number in them, so that a failing test names what it means. */
export const ids = {
  session: (number = 1) => minted('ses', number) as SessionId,
  channel: (number = 1) => minted('chn', number) as ChannelId,
  turn: (number: number) => minted('trn', number) as TurnId,
  item: (number: number) => minted('itm', number) as ItemId,
  approval: (number: number) => minted('apr', number) as ApprovalId,
  digest: (number: number) => number.toString(16).padStart(64, '0') as Digest,
  goal: (key: string) => key as GoalId,
} as const;
