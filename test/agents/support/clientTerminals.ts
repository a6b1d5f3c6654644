import { spawn, type ChildProcess } from 'node:child_process';
import type {
  CreateTerminalRequest,
  CreateTerminalResponse,
  TerminalExitStatus,
  TerminalOutputResponse,
} from '@agentclientprotocol/sdk';

type Terminal = { readonly child: ChildProcess; readonly exited: Promise<TerminalExitStatus>; output: string };

/** Terminals of the recording client: real child processes, each in a process group of its own. */
export class ClientTerminals {
  readonly #terminals = new Map<string, Terminal>();

  create({ command, args, cwd }: CreateTerminalRequest): CreateTerminalResponse {
    const terminalId = `terminal-${String(this.#terminals.size + 1)}`;
    const shell = args === undefined || args.length === 0;
    const child = spawn(command, args ?? [], { cwd: cwd ?? undefined, shell, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise<TerminalExitStatus>((resolve) => {
      child.on('error', () => resolve({ exitCode: 127, signal: null }));
      child.on('close', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const terminal: Terminal = { child, exited, output: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => void (terminal.output += text));
    }
    this.#terminals.set(terminalId, terminal);
    return { terminalId };
  }

  async output(terminalId: string): Promise<TerminalOutputResponse> {
    const { child, output, exited } = this.#get(terminalId);
    const ended = child.exitCode !== null || child.signalCode !== null;
    return { output, truncated: false, exitStatus: ended ? await exited : null };
  }

  async waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return this.#get(terminalId).exited;
  }

  kill(terminalId: string): Record<string, never> {
    const { child } = this.#get(terminalId);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
    return {};
  }

  killAll(): void {
    for (const id of this.#terminals.keys()) this.kill(id);
  }

  #get(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) throw new Error(`no terminal ${terminalId}`);
    return terminal;
  }
}
