import assert from 'node:assert/strict';
import type { PromptAttachment } from '../../../../src/runtime/agent.ts';
import { promptBlocks } from '../../../../src/runtime/acp/promptBlocks.ts';

const text = (content: string): Buffer => Buffer.from(content);
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);

const one = (change: Partial<PromptAttachment>): PromptAttachment => ({ name: 'a.txt', path: null, lines: null, isFolder: false, content: { mimeType: 'text/plain', bytes: text('hello') }, ...change });
const file = (change: Partial<PromptAttachment> = {}): PromptAttachment => one({ name: 'src/a b.ts', path: '/w/src/a b.ts', ...change });
const picture = (change: Partial<PromptAttachment> = {}): PromptAttachment => one({ name: 'shot.png', content: { mimeType: 'image/png', bytes: png }, ...change });
const binary = (change: Partial<PromptAttachment> = {}): PromptAttachment => one({ name: 'x.bin', content: { mimeType: 'application/octet-stream', bytes: Buffer.from([0, 255]) }, ...change });

const ALL = { image: true, embeddedContext: true };
const NONE = { image: false, embeddedContext: false };
const blocks = (attachments: readonly PromptAttachment[], takes = ALL) => promptBlocks({ context: 'goal', text: 'look', attachments }, takes, 'Tester');
const block = (attachment: PromptAttachment, takes = ALL) => blocks([attachment], takes)[2];

describe('the blocks of a prompt', () => {
  it('are the context, the message, then what goes with it, in its order; empty texts are left out', () => {
    assert.deepEqual(blocks([file(), picture()]).map(({ type }) => type), ['text', 'text', 'resource', 'image']);
    assert.deepEqual(promptBlocks({ context: '', text: 'look', attachments: [] }, NONE, 'Tester'), [{ type: 'text', text: 'look' }]);
  });

  it('give text to an agent that takes context, with the exact address', () => {
    assert.deepEqual(block(file()), { type: 'resource', resource: { uri: 'file:///w/src/a%20b.ts', mimeType: 'text/plain', text: 'hello' } });
    assert.deepEqual(block(file({ lines: { first: 3, last: 9 } })), { type: 'resource', resource: { uri: 'file:///w/src/a%20b.ts#L3-L9', mimeType: 'text/plain', text: 'hello' } });
    assert.deepEqual(block(one({ name: 'Problems (2)' })), { type: 'resource', resource: { uri: 'attachment:Problems%20(2)', mimeType: 'text/plain', text: 'hello' } });
  });

  it('name a whole file to one that does not, and write out what it cannot look up', () => {
    assert.deepEqual(block(file(), NONE), { type: 'resource_link', name: 'src/a b.ts', uri: 'file:///w/src/a%20b.ts', mimeType: 'text/plain', size: 5 });
    assert.deepEqual(block(file({ lines: { first: 3, last: 9 }, content: { mimeType: 'text/plain', bytes: text('```\ncode\n```') } }), NONE), {
      type: 'text', text: 'Attached by the user: src/a b.ts (/w/src/a b.ts, lines 3 to 9)\n\n````\n```\ncode\n```\n````',
    });
    assert.deepEqual(block(one({ name: 'Problems' }), NONE), { type: 'text', text: 'Attached by the user: Problems\n\n```\nhello\n```' });
  });

  it('give pictures as pictures; to an agent without eyes only the name of one that is a file', () => {
    assert.deepEqual(block(picture()), { type: 'image', mimeType: 'image/png', data: png.toString('base64') });
    assert.deepEqual(block(picture({ path: '/w/shot.png' })), { type: 'image', mimeType: 'image/png', data: png.toString('base64'), uri: 'file:///w/shot.png' });
    assert.deepEqual(block(picture({ path: '/w/shot.png' }), { ...ALL, image: false })?.type, 'resource_link');
    assert.throws(() => block(picture(), { ...ALL, image: false }), { kind: 'attachment_not_taken', message: /Tester takes no pictures.*shot\.png/ });
  });

  it('a picture that no model reads, and other bytes, are files', () => {
    assert.deepEqual(block(binary()), { type: 'resource', resource: { uri: 'attachment:x.bin', mimeType: 'application/octet-stream', blob: 'AP8=' } });
    assert.equal(block(one({ content: { mimeType: 'image/tiff', bytes: Buffer.from([0, 255]) } }))?.type, 'resource');
    assert.equal(block(one({ content: { mimeType: 'image/svg+xml', bytes: text('<svg/>') } }), NONE)?.type, 'text');
    assert.equal(block(binary({ path: '/w/x.bin' }), NONE)?.type, 'resource_link');
    assert.throws(() => block(binary(), NONE), { kind: 'attachment_not_taken' });
    assert.throws(() => block(binary({ path: '/w/x.bin', lines: { first: 1, last: 2 } }), NONE), { kind: 'attachment_not_taken' });
  });

  it('only name what has no content', () => {
    assert.deepEqual(block(one({ name: 'src/', path: '/w/src', isFolder: true, content: null }), NONE), { type: 'resource_link', name: 'src/', uri: 'file:///w/src', mimeType: 'inode/directory' });
    assert.deepEqual(block(one({ name: 'big.log', path: '/w/big.log', content: null })), { type: 'resource_link', name: 'big.log', uri: 'file:///w/big.log' });
  });
});
