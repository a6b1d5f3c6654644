/** True for a key that the gateway made, `g-` and 10 characters of its ids' base32: it says nothing to people. */
export const isAutomaticKey = (goalId: string): boolean => /^g-[0-9a-hjkmnp-tv-z]{10}$/.test(goalId);
