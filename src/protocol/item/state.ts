import * as z from '../schema.ts';
import { approvalId, digest, itemId, sessionId, timestamp, turnId } from '../ids.ts';
import { MAX_PICTURES } from '../limits.ts';
import { attachedContent, attachment } from '../turn/attachment.ts';

/** started is the one state that is no end. */
export const itemState = z.enum(['started', 'completed', 'failed', 'declined', 'cancelled', 'interrupted']);
export type ItemState = z.infer<typeof itemState>;

/** One step of an agent's plan. */
export const planEntry = z.strictObject({
  content: z.string().max(10_000),
  status: z.enum(['pending', 'in_progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']).optional(),
});
export type PlanEntry = z.infer<typeof planEntry>;

/** A place that a tool call is about, as the agent names it. */
export const fileLocation = z.strictObject({ path: z.string().max(4096), line: z.number().int().nonnegative().optional() });
export type FileLocation = z.infer<typeof fileLocation>;

/** One line of a diff for display: context, deleted or added. */
export const diffLine = z.strictObject({ t: z.enum([' ', '-', '+', '@']), text: z.string() });
export type DiffLine = z.infer<typeof diffLine>;

/** One place where a change differs: the lines [fromStart, fromEnd) of `before` stand where `after` has [toStart, toEnd). Lines count from 0, whatever ends them. */
export const hunk = z.strictObject({
  fromStart: z.number().int().nonnegative(),
  fromEnd: z.number().int().nonnegative(),
  toStart: z.number().int().nonnegative(),
  toEnd: z.number().int().nonnegative(),
});
export type Hunk = z.infer<typeof hunk>;

/** A change of one file. `before` and `after` name the full texts as blobs (`before` null: the file is new). `path` is absolute; `label` is for people. */
export const fileChange = z.strictObject({
  path: z.string().max(4096),
  label: z.string().max(4096),
  before: digest.nullable(),
  after: digest,
  added: z.number().int().nonnegative(),
  removed: z.number().int().nonnegative(),
  /** At most 400 lines of the diff, with three lines of context. */
  lines: z.array(diffLine).max(400),
  linesCut: z.boolean(),
  /** Every place that differs, in order. Only in a request whose changes may be approved one by one. */
  hunks: z.array(hunk).min(1).max(500).optional(),
  /** Set when the file has moved on: the texts for a three-way view, beside `before`, the present one. `overlaps`: on the same lines, so that `after` replaces a change of somebody else. */
  conflict: z.strictObject({
    /** What the change was made from; null: no file. */
    base: digest.nullable(),
    /** What the agent made of it. */
    wanted: digest,
    overlaps: z.boolean(),
  }).optional(),
  /** The bytes on disk before the turn's first change of this file, as a blob; null: no file. Absent: they were not kept. */
  kept: digest.nullable().optional(),
});
export type FileChange = z.infer<typeof fileChange>;

/** What a person took back of a turn by hand, or brought back of that. Texts and bytes are named as blobs; null: no file. */
export const revertedFile = z.strictObject({
  path: z.string().max(4096),
  label: z.string().max(4096),
  /** Right before: the text, unsaved edits included. */
  before: digest.nullable(),
  /** Right before: the bytes on disk; absent where the text was not saved, or they could not be kept. */
  kept: digest.nullable().optional(),
  /** The text that was put in its place. */
  after: digest.nullable(),
});
export type RevertedFile = z.infer<typeof revertedFile>;

/** `again`: an earlier revert was undone. `by`: the client that did it, as the gateway knows it. */
export const revertNote = z.strictObject({
  turnId,
  turnIdx: z.number().int().positive(),
  again: z.boolean(),
  files: z.array(revertedFile).min(1).max(200),
  by: z.strictObject({ clientId: z.string(), windowId: z.string(), clientKind: z.string() }),
});
export type RevertNote = z.infer<typeof revertNote>;

/** Pictures that the agent sent, in the order in which it sent them; each of a kind that is shown, and no larger than an attachment may be. */
const pictures = z.array(attachedContent).max(MAX_PICTURES).optional();

/** What each kind of item carries beside its running `text`. */
export const itemData = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('user_message'), attachments: z.array(attachment).optional() }),
  /** `pictures` stand behind the text; what is said after one is a message of its own. */
  z.strictObject({ kind: z.literal('agent_message'), pictures }),
  z.strictObject({ kind: z.literal('thought') }),
  z.strictObject({ kind: z.literal('plan'), entries: z.array(planEntry).max(500) }),
  /** `text` is the tool's output as the agent shows it. `toolKind` is ACP's: read, edit, delete, move, search, execute, think, fetch, other. */
  z.strictObject({
    kind: z.literal('tool_call'),
    toolKind: z.string().max(100),
    title: z.string().max(10_000),
    locations: z.array(fileLocation).max(200),
    input: z.string().max(20_000).optional(),
    /** Diffs the agent shows for a tool call that it carries out itself. */
    changes: z.array(fileChange).max(50).optional(),
    pictures,
    /** It acted without asking, where a person was to be asked. */
    unasked: z.literal(true).optional(),
  }),
  /** hosted: written through us. agentApplied: the agent writes by itself after it was allowed. */
  z.strictObject({ kind: z.literal('edit'), mode: z.enum(['hosted', 'agentApplied']), change: fileChange, note: z.string().max(2000).optional() }),
  /** `text` is the output so far, bounded; `cut` counts characters left out of its middle. `waitsForInput`: it reads from a terminal, where nobody can type. */
  z.strictObject({
    kind: z.literal('command'),
    command: z.string().max(100_000),
    cwd: z.string().max(4096),
    envNames: z.array(z.string().max(500)).max(500),
    exitCode: z.number().int().nullable(),
    signal: z.string().max(50).nullable(),
    cut: z.number().int().nonnegative(),
    note: z.string().max(2000).optional(),
    waitsForInput: z.literal(true).optional(),
  }),
  /** A request that belongs to no other item. */
  z.strictObject({ kind: z.literal('approval'), approvalId }),
  z.strictObject({ kind: z.literal('notice'), level: z.enum(['info', 'warning']), code: z.string().max(200).optional(), revert: revertNote.optional() }),
  z.strictObject({ kind: z.literal('error'), code: z.string().max(200), next: z.string().max(2000) }),
]);
export type ItemData = z.infer<typeof itemData>;
export type ItemKind = ItemData['kind'];
export type ItemDataOf<K extends ItemKind> = Extract<ItemData, { kind: K }>;

/** Any unit a person sees. `idx` orders within the turn; `textLength` counts UTF-16 code units of the full text, of which `text` may hold only the head. */
export const item = z.strictObject({
  itemId,
  sessionId,
  turnId,
  turnIdx: z.number().int().positive(),
  idx: z.number().int().nonnegative(),
  rev: z.number().int().positive(),
  state: itemState,
  /** unknown: it had begun to act on the world and nobody saw the end. */
  outcome: z.enum(['known', 'unknown']),
  text: z.string(),
  textLength: z.number().int().nonnegative(),
  data: itemData,
  /** Another item this one belongs under (a hosted edit or command under its tool call). */
  parentId: itemId.nullable(),
  startedAt: timestamp,
  endedAt: timestamp.nullable(),
});
export type Item = z.infer<typeof item>;
