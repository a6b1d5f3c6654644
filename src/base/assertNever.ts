/** Marks a branch that the type checker has proven to be unreachable. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
