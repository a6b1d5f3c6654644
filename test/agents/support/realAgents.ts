import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { agentCacheFolder, ensurePackage } from './agentCache.ts';

export type RealAgentName = 'codex' | 'opencode' | 'claude';

/** Everything a client needs to start a real agent against the scripted model server. */
export type RealAgent = {
  readonly name: RealAgentName;
  readonly command: string;
  readonly args: readonly string[];
  /** Only what differs from the caller's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Private HOME: holds the agent's configuration and its stored conversations. */
  readonly home: string;
  /** Removes the home; the agent's processes have to be gone. */
  dispose(): Promise<void>;
};

export type RealAgentOptions = {
  readonly modelPort: number;
  /** False: the agent's own settings let it do everything without asking. */
  readonly asks?: boolean;
  /** Reuse the home of an earlier process to continue its conversations. */
  readonly home?: string;
};

type Recipe = {
  readonly packageName: string;
  readonly version: string;
  readonly binary: string;
  readonly args: readonly string[];
  /** The binary is a script for Node. */
  readonly isScript?: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** What depends on the place of the home and of the model. */
  readonly placedEnv?: (home: string, modelPort: number) => Record<string, string>;
  configure(home: string, modelPort: number, asks: boolean): Promise<void>;
};

const platform = `${process.platform === 'win32' ? 'win32' : process.platform}-${process.arch}`;
const opencodePlatform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const exe = process.platform === 'win32' ? '.exe' : '';

const recipes: Readonly<Record<RealAgentName, Recipe>> = {
  codex: {
    packageName: `@zed-industries/codex-acp-${platform}`,
    version: '0.16.0',
    binary: `bin/codex-acp${exe}`,
    args: [],
    env: { FAKE_KEY: 'x' },
    configure: configureCodex,
  },
  opencode: {
    packageName: `opencode-${opencodePlatform}`,
    version: '1.18.33',
    binary: `bin/opencode${exe}`,
    args: ['acp'],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    configure: configureOpencode,
  },
  claude: {
    packageName: '@agentclientprotocol/claude-agent-acp',
    version: '0.101.0',
    binary: 'dist/index.js',
    args: [],
    isScript: true,
    env: {
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_AUTH_TOKEN: '',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
      // Set in some containers: it makes the agent ask its engine for rights that root must not have.
      IS_SANDBOX: '',
    },
    placedEnv: (home, modelPort) => ({
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${String(modelPort)}`,
    }),
    configure: configureClaude,
  },
};

const node = resolve(import.meta.dirname, '../../../node_modules/.bin/node');

export const realAgentNames: readonly RealAgentName[] = ['codex', 'opencode', 'claude'];

/** Installs the agent when the cache lacks it (the only step that needs a network) and configures a private home. */
export async function realAgent(name: RealAgentName, options: RealAgentOptions): Promise<RealAgent> {
  const recipe = recipes[name];
  const folder = await ensurePackage(recipe.packageName, recipe.version);
  const home = options.home ?? (await freshHome(name));
  await recipe.configure(home, options.modelPort, options.asks ?? true);
  return {
    name,
    home,
    command: recipe.isScript === true ? node : join(folder, recipe.binary),
    args: recipe.isScript === true ? [join(folder, recipe.binary), ...recipe.args] : recipe.args,
    env: { ...recipe.env, ...recipe.placedEnv?.(home, options.modelPort), HOME: home, USERPROFILE: home, ...xdgFolders(home) },
    dispose: () => rm(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Under the cache folder and never under /tmp: codex refuses to keep its helper files in a temp folder. */
async function freshHome(name: string): Promise<string> {
  const home = join(agentCacheFolder(), 'homes', `${name}-${String(process.pid)}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`);
  await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

function xdgFolders(home: string): Record<string, string> {
  return {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
  };
}

async function configureCodex(home: string, modelPort: number, asks: boolean): Promise<void> {
  const lines = [
    // A name the agent knows: for others it warns in front of every reply.
    'model = "gpt-5.3-codex"',
    'model_provider = "fake"',
    // Every change and every command that does more than look asks; the agent's own sandbox, which needs
    // bubblewrap and decides otherwise what asks, is left out.
    `approval_policy = "${asks ? 'untrusted' : 'never'}"`,
    'sandbox_mode = "danger-full-access"',
    'check_for_update_on_startup = false',
    '',
    '[analytics]',
    'enabled = false',
    '',
    '[model_providers.fake]',
    'name = "Fake"',
    `base_url = "http://127.0.0.1:${String(modelPort)}/v1"`,
    'env_key = "FAKE_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    '',
  ];
  await mkdir(join(home, '.codex'), { recursive: true });
  await writeFile(join(home, '.codex', 'config.toml'), lines.join('\n'));
}

async function configureOpencode(home: string, modelPort: number, asks: boolean): Promise<void> {
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'fake/fake-model',
    small_model: 'fake/fake-model',
    enabled_providers: ['fake'],
    provider: {
      fake: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `http://127.0.0.1:${String(modelPort)}/v1`, apiKey: 'x' },
        models: { 'fake-model': { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
      },
    },
    permission: asks ? { bash: 'ask', edit: 'ask' } : { bash: 'allow', edit: 'allow' },
  };
  const folder = join(home, '.config', 'opencode');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'opencode.json'), JSON.stringify(config, null, 2));
}

async function configureClaude(home: string, _modelPort: number, asks: boolean): Promise<void> {
  const folder = join(home, '.claude');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), JSON.stringify({ permissions: asks ? { defaultMode: 'default' } : { defaultMode: 'acceptEdits', allow: ['Bash'] } }));
}
