import * as z from './schema.ts';
import { approvedPart } from './approval/state.ts';
import { approvalId, clientTurnId, digest, itemId, turnId } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { FromPanel } from './panel.ts';

const conversation = z.string().min(1).max(200);
const place = z.number().int().nonnegative();
const language = z.string().max(50);
const text = z.string().max(LIMITS.promptChars);

const attachmentId = z.string().min(1).max(100);
const path = z.string().min(1).max(4096);
const line = z.number().int().positive();
const ref = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal(['file', 'folder']), path }),
  z.strictObject({ kind: z.literal('symbol'), path, name: z.string().max(500), first: line, last: line }),
  z.strictObject({ kind: z.literal(['selection', 'openEditors', 'problems', 'terminal', 'changes', 'choose']) }),
]);

/** Base64 is four characters for three bytes. */
const attachedBytes = z.string().max(Math.ceil(LIMITS.attachmentBytes / 3) * 4);

const fromComposer = [
  z.strictObject({ type: z.literal('attach'), conversation, id: attachmentId, ref, token: z.string().min(1).max(5000).nullable() }),
  z.strictObject({ type: z.literal('attachUris'), conversation, uris: z.array(z.string().min(1).max(8192)).min(1).max(100) }),
  z.strictObject({ type: z.literal('attachBytes'), conversation, id: attachmentId, name: z.string().max(500), mimeType: z.string().max(200), base64: attachedBytes }),
  z.strictObject({ type: z.literal('detach'), conversation, id: attachmentId }),
  z.strictObject({ type: z.literal('openAttachment'), conversation, id: attachmentId }),
  z.strictObject({ type: z.literal('openSent'), itemId, index: z.number().int().nonnegative() }),
  z.strictObject({ type: z.literal('loadPicture'), digest }),
  z.strictObject({ type: z.literal('mention'), conversation, request: z.number().int().nonnegative(), query: z.string().max(200) }),
  z.strictObject({ type: z.literal('mentionEnd') }),
] as const;

/** Checks what the page says, field by field: the page shows hostile text and is not trusted. */
export const fromPanel = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('submit'), conversation, clientTurnId, text: text.min(1), attachments: z.array(attachmentId).max(LIMITS.attachments).optional() }),
  z.strictObject({ type: z.literal('resend'), clientTurnId }),
  z.strictObject({ type: z.literal('discard'), clientTurnId }),
  z.strictObject({ type: z.literal('takeBack'), clientTurnId }),
  z.strictObject({ type: z.literal('stop'), conversation }),
  z.strictObject({ type: z.literal('decide'), approvalId, optionId: z.string().min(1).max(500), actionDigest: digest, comment: z.string().max(20_000).optional(), part: approvedPart.optional() }),
  z.strictObject({ type: z.literal('chooseHunk'), approvalId, change: z.number().int().nonnegative().max(49), hunk: z.number().int().nonnegative().max(499), chosen: z.boolean() }),
  z.strictObject({ type: z.literal('queueEdit'), turnId, text: text.min(1), expectedRev: z.number().int().positive() }),
  z.strictObject({ type: z.literal('queueRemove'), turnId }),
  z.strictObject({ type: z.literal('queueResume'), conversation }),
  z.strictObject({ type: z.literal('retry'), turnId, clientTurnId }),
  z.strictObject({ type: z.literal('draft'), conversation, text, at: z.number().nonnegative() }),
  z.strictObject({ type: z.literal('scroll'), conversation, place: z.strictObject({ itemId, offset: z.number() }).nullable() }),
  z.strictObject({ type: z.literal('openDiff'), approvalId }),
  z.strictObject({ type: z.literal('openChange'), itemId }),
  z.strictObject({ type: z.literal('openOutput'), itemId }),
  z.strictObject({ type: z.literal('openFile'), path: z.string().min(1).max(4096), line: place.optional(), column: place.optional(), endLine: place.optional() }),
  z.strictObject({ type: z.literal('openLink'), href: z.string().min(1).max(4096) }),
  z.strictObject({ type: z.literal('history'), conversation, before: z.number().int().positive(), beforeItem: z.number().int().nonnegative().optional() }),
  z.strictObject({ type: z.literal('loadItem'), itemId }),
  z.strictObject({ type: z.literal('setOption'), conversation, optionId: z.string().min(1).max(500), value: z.string().max(500) }),
  z.strictObject({ type: z.literal('killCommand'), itemId }),
  z.strictObject({ type: z.literal('focus'), input: z.boolean(), approvalId: approvalId.nullable() }),
  z.strictObject({ type: z.literal('copy'), text }),
  z.strictObject({ type: z.literal('insertCode'), text: text.min(1), language }),
  z.strictObject({ type: z.literal('newFile'), text: text.min(1), language }),
  z.strictObject({
    type: z.literal('run'),
    command: z.enum([
      'newSession', 'switchSession', 'selectAgent', 'restartAgent', 'restartGateway', 'manageTrust', 'openFolder', 'doctor', 'showLog',
      'continueInNewSession', 'recreateGoal', 'takeOver', 'alwaysAllow', 'manageGrants', 'permissionMode', 'turnActions', 'undoRevert', 'exportSession', 'forkSession', 'chooseFolder', 'addFolder',
    ]),
    about: z.string().min(1).max(200).optional(),
  }),
  ...fromComposer,
  z.strictObject({ type: z.literal('pageError'), message: z.string().max(20_000) }),
]);

export type CheckedFromPanel = z.infer<typeof fromPanel>;

/** Fails to compile when schema and type drift apart: each checked message must be one that the page may send. */
export const asFromPanel = (message: CheckedFromPanel): FromPanel => message as FromPanel;
