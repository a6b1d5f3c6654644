const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;
const decoder = document.createElement('textarea');
const known = new Map<string, string>();

/** Character references as the characters they stand for; the browser knows their names. Nothing else of a text is ever read as HTML. */
export const decodeEntities = (text: string): string => (text.includes('&') ? text.replaceAll(ENTITY, decodeOne) : text);

function decodeOne(entity: string): string {
  const character = known.get(entity);
  if (character !== undefined) return character;
  decoder.innerHTML = entity;
  known.set(entity, decoder.value);
  return decoder.value;
}
