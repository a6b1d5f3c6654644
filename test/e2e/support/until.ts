/** Looks again and again; the time-out only ends a test that would fail anyway. */
export async function until(what: string, look: () => boolean | Promise<boolean>, timeoutMs = 45_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await look()); await new Promise((resolve) => setTimeout(resolve, 100))) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}
