/** Why a gateway process ended, for whoever started it. */
export const GATEWAY_EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Another gateway holds the data root; it is to be used instead. */
  lostRace: 3,
  /** A newer version has used the data. */
  outdated: 4,
  storeUnreadable: 5,
} as const;
