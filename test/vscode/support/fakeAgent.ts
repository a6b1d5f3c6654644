import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { FakeLogEntry, FakeScript } from '../../agents/support/fakeScript.ts';
import { attache, extension } from './chat.ts';

/** A scripted agent that is chosen for new sessions until `dispose`. */
export class ChosenFakeAgent {
  readonly #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'att-fake-'));

  private get log(): string {
    return path.join(this.#folder, 'log.jsonl');
  }

  static async choose(script: FakeScript): Promise<ChosenFakeAgent> {
    const agent = new ChosenFakeAgent();
    const root = extension().extensionPath;
    fs.writeFileSync(path.join(agent.#folder, 'script.json'), JSON.stringify(script));
    const entry = { id: 'fake', label: 'Fake Agent', command: path.join(root, 'node_modules/.bin/node'), args: [path.join(root, 'test/agents/support/fakeAgentMain.ts'), path.join(agent.#folder, 'script.json'), agent.log] };
    await vscode.workspace.getConfiguration('attache').update('agents', [entry], vscode.ConfigurationTarget.Global);
    await (await attache()).core.memory.setAgentId('fake');
    return agent;
  }

  events(event: string): FakeLogEntry[] {
    if (!fs.existsSync(this.log)) return [];
    const text = fs.readFileSync(this.log, 'utf8');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as FakeLogEntry).filter((entry) => entry.event === event);
  }

  /** `id=choice` for every permission that was answered, in order. */
  permissions(): string[] {
    return this.events('permission').map((entry) => `${String(entry['id'])}=${String(entry['choice'])}`);
  }

  async dispose(): Promise<void> {
    await vscode.workspace.getConfiguration('attache').update('agents', undefined, vscode.ConfigurationTarget.Global);
    await (await attache()).core.memory.setAgentId('offline');
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}
