/** The text as a part of a regular expression that matches just it, with and without the `u` flag. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
