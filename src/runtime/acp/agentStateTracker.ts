import { Emitter } from '../../base/event.ts';
import type { AgentCommand, AgentOption, AgentState, PromptCapabilities } from '../../protocol/session/state.ts';
import { configOptions, modelOption, modeOption, type OfferedOption, type OptionTarget } from './agentOptions.ts';
import { amount, fields, firstWithin, list, text, type Fields } from './wire.ts';

/** What the agent says about itself, across turns. */
export class AgentStateTracker {
  readonly #changed = new Emitter<AgentState>();
  #mode: OfferedOption | null = null;
  #model: OfferedOption | null = null;
  #config: readonly OfferedOption[] = [];
  #state: AgentState = { name: null, version: null, options: [], commands: [], contextUsed: null, contextSize: null };
  #costUsd: number | null = null;

  readonly onChanged = this.#changed.event;

  get state(): AgentState {
    return this.#state;
  }

  /** The cost of the conversation so far, null when the agent does not tell it in US dollars. */
  get costUsd(): number | null {
    return this.#costUsd;
  }

  setInfo(info: unknown, prompts: PromptCapabilities): void {
    const { name, title, version } = fields(info);
    this.#set({ prompts, name: text(title, 500) || text(name, 500) || null, version: text(version, 200) || null });
  }

  /** From the answer to session/new, load or resume. */
  setSession(answer: unknown): void {
    const { modes, models, configOptions: config } = fields(answer);
    this.#mode = modeOption(modes);
    this.#model = modelOption(models);
    if (config === undefined) this.#setOptions();
    else this.setConfig(config);
  }

  setConfig(value: unknown): void {
    this.#config = configOptions(value);
    this.#setOptions();
  }

  /** True when the update was about the agent and not about the turn. */
  apply(update: Fields): boolean {
    switch (update['sessionUpdate']) {
      case 'available_commands_update':
        this.#set({ commands: commands(update['availableCommands']) });
        return true;
      case 'current_mode_update':
        this.choose('mode', text(update['currentModeId'], 500));
        return true;
      case 'config_option_update':
        this.setConfig(update['configOptions']);
        return true;
      case 'usage_update':
        this.#setUsage(update);
        return true;
      default:
        return false;
    }
  }

  target(id: string): OptionTarget | null {
    return this.#all().find(({ option }) => option.id === id)?.target ?? null;
  }

  /** Records a choice that was made. */
  choose(id: string, value: string): void {
    const chosen = (offered: OfferedOption): OfferedOption => (offered.option.id === id ? { ...offered, option: { ...offered.option, value } } : offered);
    this.#mode = this.#mode && chosen(this.#mode);
    this.#model = this.#model && chosen(this.#model);
    this.#config = this.#config.map(chosen);
    this.#setOptions();
  }

  /** Config options that stand for the mode or the model take the place of the older ways to say it. */
  #all(): OfferedOption[] {
    const has = (category: string): boolean => this.#config.some(({ option }) => option.category === category);
    return [
      ...(this.#mode !== null && !has('mode') ? [this.#mode] : []),
      ...(this.#model !== null && !has('model') ? [this.#model] : []),
      ...this.#config,
    ];
  }

  #setOptions(): void {
    this.#set({ options: boundedOptions(this.#all().map(({ option }) => option)) });
  }

  #setUsage(update: Fields): void {
    const cost = fields(update['cost']);
    if (cost['currency'] === 'USD') this.#costUsd = amount(cost['amount']);
    this.#set({ contextUsed: amount(update['used']), contextSize: amount(update['size']) });
  }

  #set(change: Partial<AgentState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#changed.fire(next);
  }
}

// All of it is told with every change of the session.
const maxCommandChars = 128 * 1024;
const maxOptionChars = 128 * 1024;

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

/** Without their descriptions where these take too much, then without the last ones. */
function boundedOptions(options: readonly AgentOption[]): AgentOption[] {
  if (sizeOf(options) <= maxOptionChars) return [...options];
  const bare = options.map((option) => ({ ...option, choices: option.choices.map(({ value, name }) => ({ value, name })) }));
  return firstWithin(bare, maxOptionChars, sizeOf);
}

function commands(value: unknown): AgentCommand[] {
  const all = list(value).slice(0, 500).flatMap((entry) => {
    const given = fields(entry);
    const name = text(given['name'], 200);
    if (name === '') return [];
    const hint = text(fields(given['input'])['hint'], 500);
    return [{ name, description: text(given['description'], 2_000), ...(hint === '' ? {} : { hint }) }];
  });
  return firstWithin(all, maxCommandChars, sizeOf);
}
