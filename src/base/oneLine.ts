/** A text of several lines as one, with a mark where each begins. */
export function oneLine(text: string): string {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '').join(' ⏎ ');
}
