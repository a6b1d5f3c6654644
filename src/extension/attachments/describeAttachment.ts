import { basename, relative, sep } from 'node:path';
import { t } from '../../base/l10n.ts';
import { isWithin } from '../../execution/containment.ts';
import type { ComposerAttachment } from '../../protocol/panelAttachment.ts';
import type { PromptCapabilities } from '../../protocol/session/state.ts';
import { type DraftAttachment, type Lines, MAX_INCLUDED } from './draftAttachment.ts';
import { isPicture, isTextType } from './fileKind.ts';

/** What bears on how an attachment is given to the agent. */
export interface AttachmentFacts {
  /** The session's folder, or where it would begin; null: not known yet. */
  readonly workspace: string | null;
  readonly agentLabel: string;
  /** Null: the agent has never been started, so nobody knows. */
  readonly prompts: PromptCapabilities | null;
}

/** Relative to the session's folder with `/`, absolute outside of it. */
export function pathFor(path: string, workspace: string | null): string {
  if (workspace === null || !isWithin(workspace, path)) return path;
  return relativePath(workspace, path) || '.';
}

/** The way from a folder to a path, with `/`. */
export const relativePath = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');

const withLines = (label: string, lines: Lines | null): string => {
  if (lines === null) return label;
  return lines.first === lines.last ? `${label}:${lines.first}` : `${label}:${lines.first}-${lines.last}`;
};

/** As people name it. */
export function nameOf({ kind, name, path, lines }: DraftAttachment, workspace: string | null): string {
  if (path === null) return name;
  if (kind === 'symbol') return name;
  const label = pathFor(path, workspace);
  return kind === 'folder' && !label.endsWith('/') ? `${label}/` : withLines(label, lines);
}

const KB = 1024;

/** Bytes for people. */
export function sizeWords(size: number): string {
  if (size < KB) return t('{0} bytes', size);
  return size < KB * KB ? t('{0} KB', round(size / KB)) : t('{0} MB', round(size / KB / KB));
}

const round = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0));

/** How it is shown, with all that is to be known before it is sent. */
export function describeAttachment(draft: DraftAttachment, facts: AttachmentFacts): ComposerAttachment {
  const { id, kind, digest, mimeType, token } = draft;
  return {
    id, kind, token, name: nameOf(draft, facts.workspace), detail: detailOf(draft, facts),
    problem: problemOf(draft, facts), warning: warningsOf(draft, facts).join(' ') || null,
    digest: isPicture(mimeType) ? digest : null,
  };
}

function detailOf(draft: DraftAttachment, { workspace }: AttachmentFacts): string {
  const { kind, path, lines, size, digest, name } = draft;
  const where = path === null ? name : pathFor(path, workspace);
  const much = size === null ? '' : ` (${sizeWords(size)})`;
  switch (kind) {
    case 'folder':
      return t('The path of the folder {0}: the agent looks into it itself.', where);
    case 'picture':
      return t('The picture {0}{1}', where, much);
    case 'selection':
    case 'symbol':
      return lines === null ? t('The selected text of {0}{1}', where, much) : t('Lines {0} to {1} of {2}, as they were when you added them{3}', lines.first, lines.last, where, much);
    case 'problems':
      return t('The problems listed when you added them{0}', much);
    case 'terminal':
      return t('The text selected in the terminal{0}', much);
    case 'changes':
      return t('The uncommitted changes when you added them{0}', much);
    case 'file':
      if (digest !== null) return t('The content of {0}{1}', where, much);
      return isIncluded(draft) ? t('The content of {0} as it is when you send{1}', where, much) : t('The path of {0}{1}', where, much);
  }
}

const isIncluded = ({ size }: DraftAttachment): boolean => size !== null && size <= MAX_INCLUDED;

function warningsOf(draft: DraftAttachment, { workspace, agentLabel, prompts }: AttachmentFacts): string[] {
  const { kind, path, size, mimeType, digest } = draft;
  const warnings: string[] = [];
  if (path !== null && mayHoldSecrets(path)) warnings.push(t('Files of this name often hold secrets. The agent gets it as it is.'));
  if (path !== null && workspace !== null && !isWithin(workspace, path)) warnings.push(t('It is outside of the session’s folder.'));
  if (kind === 'file' && path !== null && digest === null && size !== null && size > MAX_INCLUDED) warnings.push(t('It is too large to be included ({0}): only its path is sent.', sizeWords(size)));
  if (prompts !== null && path !== null && isPicture(mimeType) && !prompts.image) warnings.push(t('{0} takes no pictures: only its path is sent.', agentLabel));
  return warnings;
}

function problemOf({ path, mimeType, digest }: DraftAttachment, { agentLabel, prompts }: AttachmentFacts): string | null {
  if (prompts === null || path !== null || digest === null || isTextType(mimeType)) return null;
  if (isPicture(mimeType)) return prompts.image ? null : t('{0} takes no pictures.', agentLabel);
  return prompts.embeddedContext ? null : t('{0} takes no files of this kind.', agentLabel);
}

const SECRET = /^\.env(?:$|[.\-_])|\.(?:pem|key|p12|pfx|jks|keystore)$|^id_(?:rsa|dsa|ecdsa|ed25519)$|^\.(?:npmrc|netrc|pgpass|htpasswd)$|^credentials(?:$|\.)|^secrets?\./i;

/** By its name: private keys, files of variables and of passwords. */
export const mayHoldSecrets = (path: string): boolean => SECRET.test(basename(path));

