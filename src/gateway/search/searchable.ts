import type { ItemData } from '../../protocol/item/state.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';

export type SearchableKind = Exclude<SearchHit['kind'], 'session_title'>;

/** Kinds of items that are searched, for SQL. */
export const SEARCHABLE_KINDS = `('user_message', 'agent_message', 'tool_call', 'edit', 'command')`;

/** What of an item is searched: what was said, which tools, commands and files; never a tool's output. Null: nothing. */
export function searchable(data: ItemData, text: () => string): { readonly kind: SearchableKind; readonly texts: readonly string[] } | null {
  const { kind } = data;
  switch (kind) {
    case 'user_message':
      return { kind, texts: [text(), ...(data.attachments ?? []).map(({ name }) => name)] };
    case 'agent_message':
      return { kind, texts: [text()] };
    case 'tool_call':
      return { kind, texts: [data.title, ...data.locations.map(({ path }) => path), ...(data.changes ?? []).map(({ path }) => path)] };
    case 'edit':
      return { kind, texts: [data.change.path] };
    case 'command':
      return { kind, texts: [data.command] };
    default:
      return null;
  }
}
