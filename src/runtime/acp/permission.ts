import { resolve } from 'node:path';
import type { ApprovalOption } from '../../protocol/approval/state.ts';
import type { PermissionRequest } from '../../execution/plane.ts';
import type { ToolCallItem } from './toolCallItem.ts';
import { clip, fields, list, text, textOrNull } from './wire.ts';

/** In `_meta` of the capabilities: both sides know of the comment. In `_meta` of an outcome: what the person said with the refusal. */
export const commentsCapability = 'attache/comments';
export const commentKey = 'attache/comment';
/** In `_meta` of the agent's capabilities: it writes through the client what it was allowed, and knows the error of a part. */
export const partsCapability = 'attache/parts';

const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;

/** The answers an agent offers, in its own words; those that cannot be told apart are left out. */
export function permissionOptions(value: unknown): ApprovalOption[] {
  const seen = new Set<string>();
  return list(value).flatMap((entry) => {
    const given = fields(entry);
    const optionId = textOrNull(given['optionId']) ?? '';
    if (optionId === '' || optionId.length > 500 || seen.has(optionId)) return [];
    seen.add(optionId);
    const kind: ApprovalOption['kind'] = kinds.find((known) => known === given['kind']) ?? 'other';
    return [{ optionId, name: text(given['name'], 2_000) || optionId, kind }];
  }).slice(0, 20);
}

export interface PermissionWords {
  readonly options: readonly ApprovalOption[];
  readonly cwd: string;
  /** What the request itself says. */
  readonly words: string;
  readonly hearsComments: boolean;
  readonly takesParts: boolean;
}

/** A permission request in display form, from all that is known about its tool call. */
export function permissionRequest(item: ToolCallItem, { options, cwd, words, hearsComments, takesParts }: PermissionWords): PermissionRequest {
  const { toolKind, title, input } = item.data;
  const isCommand = item.command !== null && item.diffs.length === 0;
  return {
    toolCallId: item.id,
    title,
    toolKind,
    options,
    changes: item.diffs.map((diff) => ({ ...diff, path: resolve(cwd, diff.path) })),
    command: isCommand && item.command !== null ? { command: item.command, cwd: item.cwd ?? cwd } : null,
    detail: clip([words === '' ? item.text : words, input ?? ''].filter((part) => part !== '').join('\n\n'), 20_000),
    hearsComments,
    takesParts,
  };
}
