/** One kind of test, by how far from the code it looks. */
export interface Distance {
  readonly name: string;
  readonly about: string;
  readonly files: readonly string[];
  /** For one test. */
  readonly timeoutMs: number;
  /** For the whole distance. */
  readonly limitMs: number;
  /** Where the tests run: this project's own Node, or inside VS Code's extension host. */
  readonly inside: 'node' | 'extensionHost';
  /** Tries again of a test that failed, where the timing of other processes is in play. Each is named in the summary. */
  readonly retries?: number;
  /** Left out unless asked for by name. */
  readonly onRequest?: boolean;
}

const minute = 60_000;

export const distances: readonly Distance[] = [
  { name: 'unit', about: 'pure code and the architecture', files: ['test/unit/**/*.test.ts', 'test/architecture.test.ts'], timeoutMs: 20_000, limitMs: 8 * minute, inside: 'node' },
  { name: 'gateway', about: 'a real gateway over its socket', files: ['test/gateway/**/*.test.ts'], timeoutMs: minute, limitMs: 14 * minute, inside: 'node', retries: 1 },
  { name: 'agents', about: 'a real agent, offline', files: ['test/agents/quick/**/*.test.ts'], timeoutMs: 2 * minute, limitMs: 8 * minute, inside: 'node', retries: 1 },
  { name: 'panel', about: 'the chat page alone in a browser', files: ['test/panel/**/*.test.ts'], timeoutMs: minute, limitMs: 10 * minute, inside: 'node', retries: 1 },
  { name: 'vscode', about: 'inside a real extension host', files: ['test/vscode/**/*.test.ts'], timeoutMs: minute, limitMs: 12 * minute, inside: 'extensionHost', retries: 1 },
  { name: 'e2e', about: 'the real workbench in a browser', files: ['test/e2e/**/*.test.ts'], timeoutMs: 3 * minute, limitMs: 14 * minute, inside: 'node', retries: 1 },
  { name: 'agents:full', about: 'every real agent, offline', files: ['test/agents/facts.test.ts', 'test/agents/full/**/*.test.ts'], timeoutMs: 3 * minute, limitMs: 12 * minute, inside: 'node', retries: 1, onRequest: true },
];
