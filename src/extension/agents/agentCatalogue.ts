import { t } from '../../base/l10n.ts';
import type { AgentChoice } from '../../protocol/panel.ts';
import type { AgentSetting } from '../settings.ts';
import { findCommand } from './findCommand.ts';
import { OFFLINE_AGENT_ID, presets } from './presets.ts';

/** How to start an agent, before it is known in which folder. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface AgentEntry extends AgentChoice {
  readonly origin: 'builtIn' | 'preset' | 'setting';
  readonly detail: string;
  /** How to get it, when it is not there. */
  readonly install: string;
  /** Null: it is not installed. */
  readonly start: AgentCommand | null;
}

export interface CatalogueOptions {
  readonly offlineScript: string;
  readonly offlineData: string;
  readonly version: string;
  readonly configured: () => readonly AgentSetting[];
}

/** Every agent this window could start: the built-in one, those of the person's settings, and the well-known ones that are installed. */
export class AgentCatalogue {
  readonly #options: CatalogueOptions;
  #missing: ReadonlySet<string> = new Set();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  async list(): Promise<AgentEntry[]> {
    const own = await Promise.all(this.#options.configured().map(fromSetting));
    const taken = new Set(own.map((entry) => entry.agentId));
    const known = await Promise.all(presets.filter((preset) => !taken.has(preset.id)).map(fromPreset));
    const all = [this.#offline(), ...own, ...known];
    this.#missing = new Set(all.filter((entry) => !entry.installed).map((entry) => entry.agentId));
    return all;
  }

  /** As of the last `list`. */
  isInstalled(agentId: string): boolean {
    return !this.#missing.has(agentId);
  }

  async find(agentId: string): Promise<AgentEntry | undefined> {
    return (await this.list()).find((entry) => entry.agentId === agentId);
  }

  /** The name shown for an agent, also for one that is configured no more. */
  label(agentId: string): string {
    if (agentId === OFFLINE_AGENT_ID) return this.#offline().label;
    const named = this.#options.configured().find(({ id }) => id === agentId) ?? presets.find(({ id }) => id === agentId);
    return named?.label ?? agentId;
  }

  #offline(): AgentEntry {
    const { offlineScript, offlineData, version } = this.#options;
    return {
      agentId: OFFLINE_AGENT_ID,
      label: t('Offline Agent'),
      installed: true,
      origin: 'builtIn',
      detail: t('Built in: slash commands, no model, no network'),
      install: '',
      start: {
        command: process.execPath,
        args: [offlineScript],
        env: { ELECTRON_RUN_AS_NODE: '1', ATTACHE_OFFLINE_DATA: offlineData, ATTACHE_VERSION: version },
      },
    };
  }
}

async function fromSetting({ id, label, command, args, env }: AgentSetting): Promise<AgentEntry> {
  const file = await findCommand(command);
  return {
    agentId: id,
    label,
    installed: file !== null,
    origin: 'setting',
    detail: [command, ...args].join(' '),
    install: t('Install “{0}”, or correct it in the setting attache.agents.', command),
    start: file === null ? null : { command: file, args, env },
  };
}

async function fromPreset({ id, label, commands, args, install }: (typeof presets)[number]): Promise<AgentEntry> {
  const files = await Promise.all(commands.map((command) => findCommand(command)));
  const file = files.find((found) => found !== null) ?? null;
  return {
    agentId: id,
    label,
    installed: file !== null,
    origin: 'preset',
    detail: file ?? install,
    install,
    start: file === null ? null : { command: file, args, env: {} },
  };
}
