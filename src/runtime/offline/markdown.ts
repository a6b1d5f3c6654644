/** A code block whose fence is longer than any fence inside of the text. */
export function fence(text: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, match) => Math.max(most, match[0].length), 2);
  const marks = '`'.repeat(longest + 1);
  return `${marks}\n${text.replace(/\n$/, '')}\n${marks}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** The beginning of a text; never ends in half of a character. */
export function firstPart(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** The end of a text; never begins with half of a character. */
export function lastPart(text: string, length: number): string {
  return text.length <= length ? text : text.slice(-length).replace(/^[\uDC00-\uDFFF]/, '');
}

/** Inline code, also for texts that contain backticks. */
export function inlineCode(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, match) => Math.max(most, match[0].length), 0);
  if (longest === 0) return `\`${text}\``;
  const marks = '`'.repeat(longest + 1);
  return `${marks} ${text} ${marks}`;
}
