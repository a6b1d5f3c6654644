import { createHash } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { inlineCode } from './markdown.ts';

export type PromptInput = {
  /** The block a person typed: the last command, else the last text (clients put context in front). */
  readonly text: string;
  /** One line of Markdown for each block that came with it. */
  readonly attachments: readonly string[];
};

export function promptInput(blocks: readonly ContentBlock[]): PromptInput {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const command = texts.findLast((text) => text.trimStart().startsWith('/'));
  return { text: command ?? texts.at(-1) ?? '', attachments: blocks.flatMap(describe) };
}

/** What arrived, so that a person can compare it with what was sent. */
function describe(block: ContentBlock): string[] {
  switch (block.type) {
    case 'text':
      return [];
    case 'image':
    case 'audio':
      return [`${block.type === 'image' ? 'picture' : 'sound'} ${about(block.mimeType, Buffer.from(block.data, 'base64'))}`];
    case 'resource_link':
      return [`link ${inlineCode(block.name)} to ${inlineCode(block.uri)}, which I did not open`];
    case 'resource': {
      const { resource } = block;
      const bytes = 'text' in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64');
      return [`file ${inlineCode(resource.uri)} ${about(resource.mimeType ?? 'of unknown kind', bytes)}`];
    }
    default:
      return ['something of a kind that I do not know'];
  }
}

const about = (mimeType: string, bytes: Buffer): string => `(${mimeType}, ${bytes.length.toLocaleString('en')} bytes, SHA-256 \`${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}…\`)`;
