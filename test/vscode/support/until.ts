/** Looks again and again until there is something; the time-out only ends a test that would fail anyway. */
export async function until<T>(what: string, look: () => T | undefined | null | false | Promise<T | undefined | null | false>, timeoutMs = 45_000): Promise<T> {
  for (const end = Date.now() + timeoutMs; ;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
