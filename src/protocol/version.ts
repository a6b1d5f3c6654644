/** The protocol versions this build speaks, newest last. */
export const PROTOCOL_VERSIONS: readonly number[] = [1];

/** What a gateway of this build takes beyond the first form of the version: whoever would use one looks for its name first. */
export const FEATURES: readonly string[] = ['approval_part', 'act_marks', 'pictures'];

/** The version of this build, as in package.json. */
export const PRODUCT_VERSION = '0.1.0';

/** The version two sides agree on: the newest both speak, or null. */
export function negotiate(theirs: readonly number[], ours: readonly number[] = PROTOCOL_VERSIONS): number | null {
  const common = ours.filter((version) => theirs.includes(version));
  return common.length > 0 ? Math.max(...common) : null;
}
