import { MAX_ATTACHMENT_BYTES } from '../../protocol/limits.ts';
import type { AttachedContent } from '../../protocol/turn/attachment.ts';
import { isPicture } from '../../protocol/turn/picture.ts';
import type { TurnSink } from '../agent.ts';
import { fields, text, textOrNull } from './wire.ts';

/** A picture as an agent sends it; `data` is base64. */
export interface PictureBlock {
  readonly name: string;
  readonly mimeType: string;
  readonly data: string;
}

const maxChars = Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4;

/** The picture that a content block holds, by itself or as a file; null for every other block, for kinds that are not shown and for what is too large. */
export function pictureIn(block: unknown): PictureBlock | null {
  const content = fields(block);
  const holder = content['type'] === 'resource' ? fields(content['resource']) : content;
  const data = textOrNull(content['type'] === 'image' ? holder['data'] : holder['blob']);
  const mimeType = text(holder['mimeType'], 200).toLowerCase();
  if (data === null || data === '' || data.length > maxChars || !isPicture(mimeType)) return null;
  return { name: nameOf(text(holder['uri'], 4096)) || mimeType.replace('image/', 'picture.'), mimeType, data };
}

/** Null: it is not kept, and has to be named in words. */
export function keptPicture({ name, mimeType, data }: PictureBlock, sink: Pick<TurnSink, 'keepPicture'>): AttachedContent | null {
  const bytes = Buffer.from(data, 'base64');
  return bytes.length === 0 || bytes.length > MAX_ATTACHMENT_BYTES ? null : sink.keepPicture({ name, mimeType, bytes });
}

/** The last part of an address, for people. */
function nameOf(uri: string): string {
  const last = uri.replace(/[?#].*$/s, '').split(/[\\/:]/).at(-1) ?? '';
  try {
    return decodeURIComponent(last).trim().slice(0, 200);
  } catch {
    return last.slice(0, 200);
  }
}
