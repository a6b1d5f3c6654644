import path from 'node:path';
import { isWithin } from '../../execution/containment.ts';
import { matchesCommandRule, type ShellKind } from '../../runtime/commandRule.ts';
import type { ApprovalSubject } from '../../protocol/approval/state.ts';
import { isOpaqueTool } from '../../protocol/grant/opaqueTools.ts';
import type { GrantPattern } from '../../protocol/grant/state.ts';

/** A request as rules see it. */
export interface RuledRequest {
  readonly title: string;
  readonly subject: ApprovalSubject;
  readonly shell: ShellKind;
  /** Canonical real path. */
  readonly workspace: string;
  /** Whether a file may be changed by a rule at all. */
  readonly isOrdinary: (file: string) => boolean;
}

/** True when the pattern, and nothing but the pattern, allows all of what is asked. */
export function coversRequest(pattern: GrantPattern, request: RuledRequest): boolean {
  const { subject } = request;
  switch (pattern.kind) {
    case 'command':
      return subject.kind === 'command' && subject.cwd === pattern.cwd && matchesCommandRule(pattern, subject, request.shell);
    case 'edit':
      return subject.kind === 'edit' && isStatedInside(pattern.path, request.workspace) && subject.changes.every((change) => coversFile(pattern, change.path, request));
    case 'tool':
      return subject.kind === 'tool' && subject.toolKind === pattern.toolKind && request.title === pattern.title && !isOpaqueTool(pattern.toolKind);
  }
}

function coversFile(pattern: Extract<GrantPattern, { kind: 'edit' }>, file: string, { isOrdinary }: RuledRequest): boolean {
  if (pattern.match === 'file' ? file !== pattern.path : !file.startsWith(withSeparator(pattern.path))) return false;
  return isOrdinary(file);
}

/** A rule says no more than it can do: nothing outside of the workspace. */
const isStatedInside = (stated: string, workspace: string): boolean => path.resolve(stated) === stated && isWithin(workspace, stated);

const withSeparator = (folder: string): string => (folder.endsWith(path.sep) ? folder : folder + path.sep);
