import { t } from '../../base/l10n.ts';
import { isAutomaticKey } from '../../protocol/goal/automaticKey.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import { groupOf, groupTitle, newestFirst } from '../sessions/sessionGroups.ts';
import type { ShelfKind } from '../sessions/shelf.ts';

export type SectionId = 'needsYou' | 'working' | 'pinned' | 'removed' | 'archived' | 'closed';

/** One line of the tree. Each has an id that stays as long as what it stands for, wherever it moves. */
export type TreeNode =
  | { readonly kind: 'section'; readonly section: SectionId; readonly title: string; readonly children: readonly string[]; readonly count: number | null }
  | { readonly kind: 'goal'; readonly goal: Goal; readonly children: readonly string[]; readonly count: number }
  /** `alone`: its goal has no line of its own. */
  | { readonly kind: 'session'; readonly session: Session; readonly parent: string | null; readonly alone: boolean; readonly goal: Goal | undefined }
  /** Leads on; `shelf` set: what comes next is read first. */
  | { readonly kind: 'more'; readonly parent: string | null; readonly shelf: ShelfKind | null; readonly isLoading: boolean };

export interface TreeModel {
  readonly roots: readonly string[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

/** What was read of one shelf, and whether there is more. */
export interface ShelfFacts {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
}

export interface TreeFacts {
  readonly goals: readonly Goal[];
  /** Neither closed nor archived. */
  readonly sessions: readonly Session[];
  /** The same of folders that were removed from the window. */
  readonly removed: readonly Session[];
  readonly older: Pick<ShelfFacts, 'hasMore' | 'isLoading'>;
  /** Null: what was put away is not shown. */
  readonly putAway: { readonly archived: ShelfFacts; readonly closed: ShelfFacts } | null;
  /** When a session counts as last active, ms since 1970. */
  readonly at: (session: Session) => number;
  /** How many lines below a node are drawn; by the node's id, the root's is ''. */
  readonly shown: ReadonlyMap<string, number>;
}

/** Lines that are drawn below a node before the one that leads on. */
export const LINES = 100;

export const goalNodeId = ({ workspace, goalId }: Pick<Goal, 'workspace' | 'goalId'>): string => `goal:${workspace}\n${goalId}`;
const sectionNodeId = (section: SectionId): string => `section:${section}`;
const moreNodeId = (parent: string): string => `more:${parent}`;

/** What needs a person and what works stands first, whatever its goal; then what is pinned, then the goals with the rest of their sessions. */
export function treeModel(facts: TreeFacts): TreeModel {
  const builder = new Builder(facts);
  const groups = Map.groupBy(facts.sessions, groupOf);
  for (const group of ['needsYou', 'working'] as const) builder.section(group, groupTitle(group), groups.get(group) ?? []);
  const rest = groups.get('recent') ?? [];
  builder.section('pinned', t('Pinned'), rest.filter(({ pinned }) => pinned));
  builder.goals(rest.filter(({ pinned }) => !pinned));
  builder.section('removed', t('In folders that are not open'), facts.removed, 'bottom');
  if (facts.putAway !== null) {
    builder.shelf('archived', t('Archived'), facts.putAway.archived);
    builder.shelf('closed', t('Closed'), facts.putAway.closed);
  }
  return builder.model();
}

interface Line {
  readonly id: string;
  readonly at: number;
}

class Builder {
  readonly #facts: TreeFacts;
  readonly #nodes = new Map<string, TreeNode>();
  readonly #top: string[] = [];
  readonly #goalLines: Line[] = [];
  readonly #bottom: string[] = [];
  readonly #goalOf: ReadonlyMap<string, Goal>;
  /** Goals that have a line of their own. */
  readonly #lined: ReadonlySet<string>;

  constructor(facts: TreeFacts) {
    this.#facts = facts;
    this.#goalOf = new Map(facts.goals.map((goal) => [goalNodeId(goal), goal]));
    this.#lined = linedGoals(facts);
  }

  section(section: SectionId, title: string, sessions: readonly Session[], at: 'top' | 'bottom' = 'top'): void {
    if (sessions.length === 0) return;
    const id = sectionNodeId(section);
    this.#nodes.set(id, { kind: 'section', section, title, children: this.#below(id, sessions), count: sessions.length });
    (at === 'top' ? this.#top : this.#bottom).push(id);
  }

  /** Goals with the sessions that are nowhere else; a goal without a line of its own gives its place to its sessions. */
  goals(sessions: readonly Session[]): void {
    const groups = Map.groupBy(sessions, goalNodeId);
    for (const id of this.#lined) {
      const goal = this.#goalOf.get(id);
      if (goal === undefined) continue;
      const mine = groups.get(id) ?? [];
      groups.delete(id);
      this.#nodes.set(id, { kind: 'goal', goal, children: this.#below(id, mine), count: mine.length });
      this.#goalLines.push({ id, at: Math.max(goal.createdAt, ...mine.map(this.#facts.at)) });
    }
    for (const session of [...groups.values()].flat()) {
      this.#put(session, null);
      this.#goalLines.push({ id: session.sessionId, at: this.#facts.at(session) });
    }
  }

  /** Drawn closed at first; opening it reads its first page. */
  shelf(kind: 'archived' | 'closed', title: string, { sessions, hasMore, isLoading }: ShelfFacts): void {
    if (sessions.length === 0 && !hasMore) return;
    const id = sectionNodeId(kind);
    const children = this.#below(id, sessions);
    const isCut = children.length > 0 && this.#nodes.get(children.at(-1) ?? '')?.kind === 'more';
    if (!isCut && hasMore) children.push(this.#more(id, kind, isLoading));
    this.#nodes.set(id, { kind: 'section', section: kind, title, children, count: hasMore ? null : sessions.length });
    this.#bottom.push(id);
  }

  model(): TreeModel {
    const { older } = this.#facts;
    const lines = [...this.#goalLines].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
    const most = this.#most('');
    const roots = [...this.#top, ...lines.slice(0, most)];
    if (lines.length > most) roots.push(this.#more(null, null, false));
    else if (older.hasMore) roots.push(this.#more(null, 'older', older.isLoading));
    return { roots: [...roots, ...this.#bottom], nodes: this.#nodes };
  }

  #put(session: Session, parent: string | null): void {
    const id = goalNodeId(session);
    this.#nodes.set(session.sessionId, { kind: 'session', session, parent, alone: !this.#lined.has(id), goal: this.#goalOf.get(id) });
  }

  #below(parent: string, sessions: readonly Session[]): string[] {
    const most = this.#most(parent);
    const drawn = [...sessions].sort(newestFirst(this.#facts.at)).slice(0, most);
    for (const session of drawn) this.#put(session, parent);
    const ids: string[] = drawn.map(({ sessionId }) => sessionId);
    return sessions.length > most ? [...ids, this.#more(parent, null, false)] : ids;
  }

  #more(parent: string | null, shelf: ShelfKind | null, isLoading: boolean): string {
    const id = moreNodeId(parent ?? '');
    this.#nodes.set(id, { kind: 'more', parent, shelf, isLoading });
    return id;
  }

  #most(parent: string): number {
    return this.#facts.shown.get(parent) ?? LINES;
  }
}

/** A goal that has several sessions, or none and was made by a person. One with a single session, as every first message makes, would only double it. */
function linedGoals({ goals, sessions }: TreeFacts): Set<string> {
  const all = Map.groupBy(sessions, goalNodeId);
  const isLined = (goal: Goal): boolean => {
    const mine = all.get(goalNodeId(goal)) ?? [];
    if (mine.length === 0) return goal.state === 'live' && !isAutomaticKey(goal.goalId);
    return mine.length > 1 && mine.some((session) => groupOf(session) === 'recent' && !session.pinned);
  };
  return new Set(goals.filter(isLined).map(goalNodeId));
}
