import type { ContentBlock } from '@agentclientprotocol/sdk';
import { pathToFileURL } from 'node:url';
import { AttacheError } from '../../protocol/errors.ts';
import type { PromptCapabilities } from '../../protocol/session/state.ts';
import { isPicture } from '../../protocol/turn/picture.ts';
import type { PromptAttachment, PromptInput } from '../agent.ts';

/** The blocks of one prompt: what is said about the goal, the message, then what goes with it, in the best form that the agent declares to take. */
export function promptBlocks({ context, text, attachments }: PromptInput, takes: PromptCapabilities, agent: string): ContentBlock[] {
  const words = [context, text].filter((part) => part !== '').map((part): ContentBlock => ({ type: 'text', text: part }));
  return [...words, ...attachments.map((attachment) => block(attachment, takes, agent))];
}

function block(attachment: PromptAttachment, takes: PromptCapabilities, agent: string): ContentBlock {
  const { content, path, lines } = attachment;
  if (content === null) return link(attachment);
  const asPicture = isPicture(content.mimeType);
  if (asPicture && takes.image) return { type: 'image', mimeType: content.mimeType, data: base64(content.bytes), ...(path === null ? {} : { uri: addressOf(attachment) }) };
  const text = asPicture ? null : textOf(content.bytes);
  if (text !== null) return textBlock(attachment, text, takes);
  // What cannot be given can still be looked up, where it is a whole file.
  if (!asPicture && takes.embeddedContext) return { type: 'resource', resource: { uri: addressOf(attachment), mimeType: content.mimeType, blob: base64(content.bytes) } };
  if (path !== null && lines === null) return link(attachment);
  throw new AttacheError('attachment_not_taken', { message: `${agent} takes no ${asPicture ? 'pictures' : 'files of this kind'}, so the message was not given to it: “${attachment.name}” would have been missing.` });
}

function textBlock(attachment: PromptAttachment, text: string, takes: PromptCapabilities): ContentBlock {
  const { content, path, lines, name } = attachment;
  if (takes.embeddedContext) return { type: 'resource', resource: { uri: addressOf(attachment), mimeType: content?.mimeType ?? 'text/plain', text } };
  if (path !== null && lines === null) return link(attachment);
  const longest = text.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 2) ?? 2;
  const fence = '`'.repeat(longest + 1);
  const from = path === null ? '' : ` (${path}${lines === null ? '' : `, lines ${String(lines.first)} to ${String(lines.last)}`})`;
  return { type: 'text', text: `Attached by the user: ${name}${from}\n\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}` };
}

function link(attachment: PromptAttachment): ContentBlock {
  const { name, content, isFolder } = attachment;
  const mimeType = isFolder ? 'inode/directory' : content?.mimeType;
  return { type: 'resource_link', name, uri: addressOf(attachment), ...(mimeType === undefined ? {} : { mimeType }), ...(content === null ? {} : { size: content.bytes.length }) };
}

/** A file’s own address, its lines as `#L3-L9`; what is no file has a name only. */
function addressOf({ name, path, lines }: PromptAttachment): string {
  if (path === null) return `attachment:${encodeURIComponent(name)}`;
  return `${pathToFileURL(path).href}${lines === null ? '' : `#L${String(lines.first)}-L${String(lines.last)}`}`;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Null for bytes that are no text in UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
