import { SerialQueue } from '../base/serialQueue.ts';
import type { AgentChoice, AgentState } from '../protocol/session/state.ts';

export interface AgentChoicesOptions {
  /** Rejects when the agent does not take it; else what the agent says of itself afterwards. */
  readonly apply: (choice: AgentChoice) => Promise<AgentState>;
  /** The agent did not take these; whoever asked is told. */
  readonly decline: (choices: AgentChoice[]) => void;
}

const keyOf = ({ id, value }: AgentChoice): string => JSON.stringify([id, value]);

/** Carries out what anybody chose for the agent: each wish once, one after the other, as long as it stands. */
export class AgentChoices {
  readonly #options: AgentChoicesOptions;
  readonly #queue = new SerialQueue();
  /** Wishes that were taken up. One that has been settled may be wished for again. */
  #taken: ReadonlySet<string> = new Set();

  constructor(options: AgentChoicesOptions) {
    this.#options = options;
  }

  /** To be called with all wishes that stand, whenever they may have changed. */
  take(wanted: readonly AgentChoice[]): void {
    const before = this.#taken;
    this.#taken = new Set(wanted.map(keyOf));
    for (const choice of wanted) if (!before.has(keyOf(choice))) void this.#queue.run(() => this.#carryOut(choice));
  }

  async #carryOut(choice: AgentChoice): Promise<void> {
    if (!this.#taken.has(keyOf(choice))) return;
    const { apply, decline } = this.#options;
    const state = await apply(choice).catch(() => null);
    // An agent that says yes and changes nothing would leave the wish standing for ever.
    if (state?.options.find(({ id }) => id === choice.id)?.value !== choice.value) decline([choice]);
  }
}
