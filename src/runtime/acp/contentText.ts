import { MAX_PICTURES } from '../../protocol/limits.ts';
import type { AttachedContent } from '../../protocol/turn/attachment.ts';
import { pictureIn, type PictureBlock } from './contentPicture.ts';
import { clip, fields, list, text, textOrNull } from './wire.ts';

const maxText = 1_000_000;

/** A content block as Markdown text; empty for what cannot be shown. */
export function contentText(block: unknown): string {
  const content = fields(block);
  switch (content['type']) {
    case 'text':
      return text(content['text'], maxText);
    case 'image':
      return `*(image, ${text(content['mimeType'], 100) || 'unknown kind'})*`;
    case 'audio':
      return `*(audio, ${text(content['mimeType'], 100) || 'unknown kind'})*`;
    case 'resource_link':
      return linkText(text(content['title'], 500) || text(content['name'], 500), text(content['uri'], 4096));
    case 'resource':
      return resourceText(content['resource']);
    default:
      return text(content['text'], maxText);
  }
}

function linkText(name: string, uri: string): string {
  if (uri === '') return name;
  return `[${(name || uri).replace(/[[\]\\]/g, '\\$&')}](<${uri.replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

function resourceText(value: unknown): string {
  const resource = fields(value);
  const inner = textOrNull(resource['text']);
  if (inner === null) return linkText('', text(resource['uri'], 4096));
  const longest = inner.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
  const fence = '`'.repeat(longest + 1);
  return `\n${fence}\n${clip(inner, maxText)}\n${fence}\n`;
}

export interface ToolContent {
  readonly text: string;
  readonly pictures: readonly AttachedContent[];
  readonly diffs: readonly { readonly path: string; readonly before: string | null; readonly after: string }[];
  readonly hasTerminal: boolean;
}

/** The pieces of a tool call's content, by kind. A picture that `keep` does not take is named in the text. */
export function toolContent(value: unknown, keep: (picture: PictureBlock) => AttachedContent | null = () => null): ToolContent {
  const parts: string[] = [];
  const diffs: { path: string; before: string | null; after: string }[] = [];
  const pictures: AttachedContent[] = [];
  let hasTerminal = false;
  for (const entry of list(value)) {
    const piece = fields(entry);
    if (piece['type'] === 'diff') {
      const path = text(piece['path'], 4096);
      if (path !== '') diffs.push({ path, before: textOrNull(piece['oldText']), after: textOrNull(piece['newText']) ?? '' });
    } else if (piece['type'] === 'terminal') hasTerminal = true;
    else {
      const block = piece['content'] ?? piece;
      const picture = pictureIn(block);
      const kept = picture === null ? null : keep(picture);
      if (kept === null) parts.push(contentText(block));
      else pictures.push(kept);
    }
  }
  return { text: parts.filter((part) => part !== '').join('\n'), pictures: pictures.slice(0, MAX_PICTURES), diffs, hasTerminal };
}
