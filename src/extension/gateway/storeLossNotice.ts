import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../base/event.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { GatewayCalls } from '../../client/gatewayClient.ts';
import { storeLossWords, type StoreLoss } from '../../protocol/gateway/storeLossWords.ts';
import { describeError, type RedactingChannel } from '../log.ts';
import type { GatewayConnection } from './gatewayConnection.ts';

export interface StoreLossNoticeOptions {
  readonly connection: GatewayConnection;
  readonly calls: GatewayCalls;
  readonly dataRoot: string;
  readonly log: RedactingChannel;
}

/** Its presence in the folder of the damaged files says that a window has told of them. */
const TOLD = 'told';
const SHOW = vscode.l10n.t('Show Kept Files');
const DOCTOR = vscode.l10n.t('Doctor');

/** Tells once that the store was damaged: in the first window that meets the gateway after it, and nowhere again. It waits for nobody. */
export class StoreLossNotice implements Disposable {
  readonly #options: StoreLossNoticeOptions;
  readonly #changed = new Emitter<void>();
  readonly #opened: Disposable;
  #told: StoreLoss | null = null;

  readonly onChanged = this.#changed.event;

  constructor(options: StoreLossNoticeOptions) {
    this.#options = options;
    this.#opened = options.connection.onOpened(() => void this.#look().catch((error: unknown) => options.log.warn(`the store's state could not be told: ${describeError(error)}`)));
  }

  /** The sentence for the chat of the window that tells it; null everywhere else. */
  get words(): string | null {
    return this.#told === null ? null : storeLossWords(this.#told);
  }

  dispose(): void {
    this.#opened.dispose();
  }

  async #look(): Promise<void> {
    const { storeOutcome } = await this.#options.calls.call('gateway/status', {});
    if (storeOutcome.kind === 'recovered' ? !this.#isFirst(storeOutcome) : this.#told === null) return;
    this.#told = storeOutcome.kind === 'recovered' ? storeOutcome : null;
    this.#changed.fire();
    if (storeOutcome.kind === 'recovered') await this.#tell(storeOutcome);
  }

  /** Several windows meet the new gateway at the same moment: one of them makes the file. */
  #isFirst({ keptIn }: StoreLoss): boolean {
    try {
      writeFileSync(path.join(this.#options.dataRoot, keptIn, TOLD), '', { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      this.#options.log.info(`damaged files are kept in ${keptIn}; not told here: ${describeError(error)}`);
      return false;
    }
  }

  async #tell(loss: StoreLoss): Promise<void> {
    const kept = path.join(this.#options.dataRoot, loss.keptIn);
    const chosen = await vscode.window.showWarningMessage(vscode.l10n.t('Attaché: {0} The damaged files are kept in {1}.', storeLossWords(loss), kept), SHOW, DOCTOR);
    if (chosen === SHOW) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path.join(kept, TOLD)));
    if (chosen === DOCTOR) await vscode.commands.executeCommand('attache.doctor');
  }
}
