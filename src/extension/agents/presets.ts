/** An agent that many people use: how it is started when it is installed, and how a person installs it. */
export interface AgentPreset {
  readonly id: string;
  readonly label: string;
  /** Programs to look for on PATH, the preferred one first. */
  readonly commands: readonly string[];
  readonly args: readonly string[];
  readonly install: string;
  readonly url: string;
}

export const OFFLINE_AGENT_ID = 'offline';

export const presets: readonly AgentPreset[] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    commands: ['claude-agent-acp', 'claude-code-acp'],
    args: [],
    install: 'npm install -g @zed-industries/claude-agent-acp',
    url: 'https://www.npmjs.com/package/@zed-industries/claude-agent-acp',
  },
  {
    id: 'codex',
    label: 'Codex',
    commands: ['codex-acp'],
    args: [],
    install: 'npm install -g @zed-industries/codex-acp',
    url: 'https://www.npmjs.com/package/@zed-industries/codex-acp',
  },
  {
    id: 'gemini',
    label: 'Gemini CLI',
    commands: ['gemini'],
    args: ['--experimental-acp'],
    install: 'npm install -g @google/gemini-cli',
    url: 'https://www.npmjs.com/package/@google/gemini-cli',
  },
  {
    id: 'opencode',
    label: 'OpenCode',
    commands: ['opencode'],
    args: ['acp'],
    install: 'npm install -g opencode-ai',
    url: 'https://www.npmjs.com/package/opencode-ai',
  },
];
