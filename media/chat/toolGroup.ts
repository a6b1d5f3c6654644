import type { Approval } from '../../src/protocol/approval/state.ts';
import type { Item } from '../../src/protocol/item/state.ts';
import type { ItemNode } from './transcript.ts';

/** What is shown for a tool call, so that one deed is told once: as its request, its command or its own row. */
interface ToolGroup {
  readonly showsRow: boolean;
  readonly requests: readonly Approval[];
  /** Those that were approved and then asked for again, since the file had changed. */
  readonly superseded: ReadonlySet<Approval>;
  readonly children: readonly ItemNode[];
}

export function toolGroup({ item, approvals, children }: ItemNode): ToolGroup {
  const adopted = new Map<ItemNode, Approval[]>();
  const requests = approvals.filter((approval) => {
    const command = children.find((child) => runs(child.item, approval));
    if (command !== undefined) adopted.set(command, [...(adopted.get(command) ?? []), approval]);
    return command === undefined;
  });
  const superseded = new Set(approvals.filter((approval) => children.some((child) => repeats(child, approval))));
  const works = children.some((child) => child.item.data.kind === 'edit' || child.item.data.kind === 'command');
  return {
    showsRow: approvals.length === 0 && !(works && item.textLength === 0 && item.state !== 'failed'),
    requests,
    superseded,
    children: children.filter((child) => !isToldBy(child, approvals)).map((child) => {
      const more = adopted.get(child);
      if (more !== undefined) return { ...child, approvals: [...more, ...child.approvals] };
      return approvals.some((approval) => repeats(child, approval)) ? { ...child, askedAgain: true } : child;
    }),
  };
}

/** The edit asks once more for what this request allowed already. */
const repeats = ({ item: { data }, approvals }: ItemNode, { subject, status }: Approval): boolean =>
  status === 'approved' && approvals.length > 0 && data.kind === 'edit' && subject.kind === 'edit' && subject.changes.some(({ path }) => path === data.change.path);

/** The command that was allowed by this request. */
const runs = ({ data }: Item, { subject, status }: Approval): boolean =>
  status === 'approved' && data.kind === 'command' && subject.kind === 'command' && subject.command === data.command && subject.cwd === data.cwd;

/** An edit that did exactly what its tool call's request said, without anything more to say. */
function isToldBy({ item, approvals: own }: ItemNode, approvals: readonly Approval[]): boolean {
  const { data, outcome, state } = item;
  if (data.kind !== 'edit' || own.length > 0 || outcome === 'unknown' || data.note !== undefined) return false;
  if (state !== 'started' && state !== 'completed') return false;
  return approvals.some(({ subject, status }) =>
    status === 'approved' && subject.kind === 'edit' && subject.changes.some(({ path, after }) => path === data.change.path && after === data.change.after));
}
