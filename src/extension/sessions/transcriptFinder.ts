import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import type { SearchHit } from '../../protocol/session/commands.ts';
import type { Session } from '../../protocol/session/state.ts';

/** A place in a session where the words occur. */
export interface FoundPlace {
  readonly hit: SearchHit;
  readonly session: Session;
}

export interface Findings {
  readonly text: string;
  readonly places: readonly FoundPlace[];
  readonly isLooking: boolean;
  /** There is more to be looked at; `more` goes on. */
  readonly hasMore: boolean;
}

const QUIET_MS = 200;
/** Then it waits to be asked for more. */
const ENOUGH = 40;
/** One session must not fill the list: the others may be the one that is meant. */
const PER_SESSION = 3;
const NOTHING: Findings = { text: '', places: [], isLooking: false, hasMore: false };

/** Looks for what is typed in the titles and transcripts of some folders. A newer text ends the search for an older one, at the gateway, too. */
export class TranscriptFinder implements Disposable {
  readonly #calls: Pick<GatewayCalls, 'call'>;
  readonly #folders: readonly string[];
  readonly #changed = new Emitter<Findings>();
  #findings = NOTHING;
  #search: Search | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  readonly onChanged = this.#changed.event;

  constructor(calls: Pick<GatewayCalls, 'call'>, folders: readonly string[]) {
    this.#calls = calls;
    this.#folders = folders;
  }

  get findings(): Findings {
    return this.#findings;
  }

  /** Begins when nothing was typed for a moment. */
  look(typed: string): void {
    const text = typed.trim();
    if (text === this.#findings.text) return;
    this.#stop();
    this.#tell({ ...NOTHING, text, isLooking: text !== '' });
    if (text === '') return;
    this.#timer = setTimeout(() => {
      this.#search = { text, stop: new AbortController(), ahead: this.#folders.map((workspace) => ({ workspace, cursor: undefined })) };
      void this.#run(this.#search, ENOUGH);
    }, QUIET_MS);
  }

  more(): void {
    if (this.#search === null || this.#findings.isLooking) return;
    this.#tell({ ...this.#findings, isLooking: true });
    void this.#run(this.#search, this.#findings.places.length + ENOUGH);
  }

  dispose(): void {
    this.#stop();
    this.#changed.dispose();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#search?.stop.abort();
    this.#search = null;
  }

  async #run(search: Search, enough: number): Promise<void> {
    try {
      while (search === this.#search && search.ahead.length > 0 && this.#findings.places.length < enough) await this.#step(search);
      if (search === this.#search) this.#tell({ ...this.#findings, isLooking: false, hasMore: search.ahead.length > 0 });
    } catch {
      // Without a gateway there is nothing to find; the list says by itself that the link is cut.
      if (search === this.#search) this.#tell({ ...this.#findings, isLooking: false, hasMore: false });
    }
  }

  /** One answer of the gateway. */
  async #step(search: Search): Promise<void> {
    const [next] = search.ahead;
    if (next === undefined) return;
    const { workspace, cursor } = next;
    const page = await this.#calls.call('session/search', { workspace, text: search.text, limit: ENOUGH, ...(cursor === undefined ? {} : { cursor }) }, search.stop.signal);
    if (page.next === null) search.ahead.shift();
    else search.ahead[0] = { workspace, cursor: page.next };
    if (search !== this.#search) return;
    const sessions = new Map(page.sessions.map((session) => [session.sessionId, session]));
    const places = page.hits.flatMap((hit) => {
      const session = sessions.get(hit.sessionId);
      return session === undefined ? [] : [{ hit, session }];
    });
    if (places.length > 0) this.#tell({ ...this.#findings, places: fewOfEach([...this.#findings.places, ...places]) });
  }

  #tell(findings: Findings): void {
    this.#findings = findings;
    this.#changed.fire(findings);
  }
}

interface Search {
  readonly text: string;
  readonly stop: AbortController;
  /** What is still to be looked at. */
  readonly ahead: { readonly workspace: string; readonly cursor: string | undefined }[];
}

function fewOfEach(places: readonly FoundPlace[]): FoundPlace[] {
  const counts = new Map<string, number>();
  return places.filter(({ hit }) => {
    const count = (counts.get(hit.sessionId) ?? 0) + 1;
    counts.set(hit.sessionId, count);
    return count <= PER_SESSION;
  });
}
