import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Goal } from '../../protocol/goal/state.ts';
import { setContextKey } from '../contextKeys.ts';
import type { WindowMemory } from '../memory.ts';
import type { ShelfKind, Shelves } from '../sessions/shelf.ts';
import type { Workspaces } from '../sessions/workspaces.ts';
import { folderName } from '../sessions/sessionLook.ts';
import { SteadyOrder } from './steadyOrder.ts';
import { type ItemFacts, treeItem } from './treeItems.ts';
import { LINES, treeModel, type ShelfFacts, type TreeModel, type TreeNode } from './treeModel.ts';

export interface SessionTreeOptions {
  readonly shelves: Shelves;
  readonly workspaces: Workspaces;
  readonly memory: WindowMemory;
  readonly itemFacts: () => Omit<ItemFacts, 'now'>;
  /** The folder that “this folder” means now; null when there is none. */
  readonly folder: () => string | null;
  /** What else the lines say may have changed, for example which session the chat shows. */
  readonly onSurroundingsChanged: (listener: () => void) => Disposable;
  readonly wake: () => void;
  readonly failed: (error: unknown) => void;
}

const VIEWS = ['attache.sessions', 'attache.sessionsSide'] as const;
/** Many events at once are one look. */
const REFRESH_MS = 150;
/** How long ago something was is told anew at this pace, while somebody can see it. */
const AGES_MS = 60_000;
const SELECTED_MS = 2_000;
const EMPTY: TreeModel = { roots: [], nodes: new Map() };

/** The sessions of this window's folders as a tree. It follows events; while nobody sees it, it does nothing. */
export class SessionTree implements vscode.TreeDataProvider<string>, Disposable {
  readonly #options: SessionTreeOptions;
  readonly #disposables = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<string[] | undefined>();
  readonly #views: readonly vscode.TreeView<string>[];
  readonly #shown = new Map<string, number>();
  readonly #order = new SteadyOrder();
  #model = EMPTY;
  #selected: { readonly ids: readonly string[]; readonly at: number } = { ids: [], at: Number.NEGATIVE_INFINITY };
  #around = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #ages: ReturnType<typeof setInterval> | null = null;
  /** Since it was last built something has changed. */
  #isStale = true;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(options: SessionTreeOptions) {
    this.#options = options;
    this.#views = VIEWS.map((id) => this.#disposables.add(vscode.window.createTreeView(id, { treeDataProvider: this, canSelectMany: true, showCollapseAll: true })));
    for (const view of this.#views) {
      this.#disposables.add(view.onDidChangeVisibility(() => this.#visibilityChanged()));
      this.#disposables.add(view.onDidChangeSelection(({ selection }) => {
        if (selection.length > 0) this.#selected = { ids: selection, at: performance.now() };
      }));
      this.#disposables.add(view.onDidExpandElement(({ element }) => void this.#expanded(element)));
    }
    this.#disposables.add(options.workspaces.onChanged(() => this.#soon()));
    this.#disposables.add(options.shelves.onChanged(() => this.#soon()));
    this.#disposables.add(options.onSurroundingsChanged(() => this.#soon()));
    this.#tellToggles();
  }

  get model(): TreeModel {
    if (this.#isStale) this.#build();
    return this.#model;
  }

  get oneFolder(): boolean {
    return this.#options.memory.flag('oneFolder');
  }

  get showsPutAway(): boolean {
    return this.#options.memory.flag('putAway');
  }

  /** What is selected, in the view that is seen. */
  get selection(): readonly string[] {
    const selected = (this.#views.find(({ visible }) => visible) ?? this.#views[0])?.selection ?? [];
    if (selected.length > 0) return selected;
    // While the editor reads changed lines anew it knows no selection.
    return performance.now() - this.#selected.at < SELECTED_MS ? this.#selected.ids.filter((id) => this.#model.nodes.has(id)) : [];
  }

  goal(id: string): Goal | undefined {
    const node = this.#model.nodes.get(id);
    return node?.kind === 'goal' || node?.kind === 'session' ? node.goal : undefined;
  }

  setBadge(pending: number): void {
    const tooltip = pending === 1 ? vscode.l10n.t('1 request waits') : vscode.l10n.t('{0} requests wait', pending);
    for (const view of this.#views) view.badge = pending === 0 ? undefined : { value: pending, tooltip };
  }

  get badge(): number {
    return this.#views[0]?.badge?.value ?? 0;
  }

  async toggle(flag: 'oneFolder' | 'putAway', value: boolean): Promise<void> {
    await this.#options.memory.setFlag(flag, value);
    this.#tellToggles();
    this.#refresh();
  }

  /** Draws or reads what comes next below a node. */
  async more(id: string): Promise<void> {
    const node = this.#model.nodes.get(id);
    if (node?.kind !== 'more') return;
    const parent = node.parent ?? '';
    this.#shown.set(parent, (this.#shown.get(parent) ?? LINES) + LINES);
    if (node.shelf !== null) await this.#read(node.shelf);
    this.#refresh();
  }

  getChildren(id?: string): string[] {
    if (id === undefined) {
      this.#options.wake();
      return [...this.model.roots];
    }
    const node = this.#model.nodes.get(id);
    return node?.kind === 'section' || node?.kind === 'goal' ? [...node.children] : [];
  }

  getTreeItem(id: string): vscode.TreeItem {
    const node = this.#model.nodes.get(id);
    return node === undefined ? new vscode.TreeItem('') : treeItem(id, node, { ...this.#options.itemFacts(), now: Date.now() });
  }

  getParent(id: string): string | undefined {
    const node = this.model.nodes.get(id);
    return node?.kind === 'session' || node?.kind === 'more' ? (node.parent ?? undefined) : undefined;
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#ages !== null) clearInterval(this.#ages);
    this.#disposables.dispose();
    this.#changed.dispose();
  }

  get #isVisible(): boolean {
    return this.#views.some(({ visible }) => visible);
  }

  /** Those whose sessions are shown. */
  get #folders(): string[] {
    const { workspaces, folder } = this.#options;
    const one = this.oneFolder ? folder() : null;
    return one === null ? workspaces.folders : workspaces.folders.filter((path) => path === one);
  }

  #visibilityChanged(): void {
    if (this.#ages !== null) clearInterval(this.#ages);
    this.#ages = this.#isVisible ? setInterval(() => this.#refresh(true), AGES_MS) : null;
    if (!this.#isVisible) return;
    this.#order.forget();
    this.#refresh();
  }

  /** The first opening of what was put away reads its first page. */
  async #expanded(id: string): Promise<void> {
    const node = this.#model.nodes.get(id);
    const [only] = node?.kind === 'section' ? node.children : [];
    if (node?.kind !== 'section' || node.children.length !== 1 || only === undefined || this.#model.nodes.get(only)?.kind !== 'more') return;
    await this.more(only).catch(this.#options.failed);
  }

  #soon(): void {
    this.#isStale = true;
    if (this.#timer !== null || !this.#isVisible) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#refresh();
    }, REFRESH_MS);
  }

  /** Pages of the newest are known already where a folder has more open sessions than its list holds. */
  async #read(kind: ShelfKind): Promise<void> {
    const shelf = this.#options.shelves[kind];
    const known = new Set(kind === 'older' ? this.#options.workspaces.listed.map(({ sessionId }) => sessionId) : []);
    const count = (): number => shelf.sessions(this.#folders).filter(({ sessionId }) => !known.has(sessionId)).length;
    const before = count();
    do await shelf.more(this.#folders); while (count() === before && shelf.hasMore(this.#folders));
  }

  /** Tells the editor which lines are others than before; all of them where the first level is, or what they say of their surroundings. */
  #refresh(all = false): void {
    const [before, around] = [this.#model, this.#around];
    this.#build();
    if (!this.#isVisible) return;
    if (all || around !== this.#around || before.roots.join('\0') !== this.#model.roots.join('\0')) return this.#changed.fire(undefined);
    const others = [...this.#model.nodes].filter(([id, node]) => isOther(node, before.nodes.get(id))).map(([id]) => id);
    if (others.length > 0) this.#changed.fire(others);
  }

  #build(): void {
    const { workspaces, itemFacts } = this.#options;
    const folders = this.#folders;
    const isIn = ({ workspace }: { readonly workspace: string }): boolean => folders.includes(workspace);
    const { listed } = workspaces;
    const known = new Set(listed.map(({ sessionId }) => sessionId));
    const older = this.#facts('older', folders);
    const sessions = [...listed.filter(isIn), ...older.sessions.filter(({ sessionId }) => !known.has(sessionId))];
    const isRemoved = ({ workspace }: { readonly workspace: string }): boolean => workspaces.isRemoved(workspace);
    this.#model = treeModel({
      goals: workspaces.goals.filter((goal) => isIn(goal) && !isRemoved(goal)),
      sessions: sessions.filter((session) => !isRemoved(session)),
      removed: sessions.filter(isRemoved),
      older: { ...older, hasMore: older.hasMore && workspaces.mayHaveOlder },
      putAway: this.showsPutAway ? { archived: this.#facts('archived', folders), closed: this.#facts('closed', folders) } : null,
      at: this.#order.at,
      shown: this.#shown,
    });
    const { current, manyFolders, windowId } = itemFacts();
    this.#around = JSON.stringify([current, manyFolders, windowId]);
    this.#isStale = false;
    for (const view of this.#views) this.#describe(view);
  }

  #facts(kind: ShelfKind, folders: readonly string[]): ShelfFacts {
    const shelf = this.#options.shelves[kind];
    return { sessions: shelf.sessions(folders), hasMore: folders.length > 0 && shelf.hasMore(folders), isLoading: shelf.isLoading };
  }

  /** Says in the view's title which folder it is narrowed to. */
  #describe(view: vscode.TreeView<string>): void {
    const folder = this.oneFolder ? this.#options.folder() : null;
    view.description = folder === null ? '' : folderName(folder);
  }

  #tellToggles(): void {
    setContextKey('attache.oneFolder', this.oneFolder);
    setContextKey('attache.putAwayShown', this.showsPutAway);
  }
}

/** Sessions and goals are replaced when they change, never changed. */
function isOther(node: TreeNode, before: TreeNode | undefined): boolean {
  if (before === undefined) return false;
  const [now, then] = [Object.entries(node), before as unknown as Record<string, unknown>];
  return now.some(([key, value]) => (Array.isArray(value) ? value.join('\0') !== (then[key] as unknown[] | undefined)?.join('\0') : value !== then[key]));
}
