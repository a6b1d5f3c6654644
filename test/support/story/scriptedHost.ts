import { asAttacheError } from '../../../src/protocol/errors.ts';
import * as ids from '../../../src/protocol/ids.ts';
import type { Approval } from '../../../src/protocol/approval/state.ts';
import type { ReportOp, TurnResult } from '../../../src/protocol/host/commands.ts';
import type { ResultOf } from '../../../src/protocol/methods.ts';
import { attachParams, digestOf, goalKey, key, newClaim, newCommand, newHostSession, newRun, OPTIONS, startCommand } from '../testHost.ts';
import type { StoryClient } from './storyClient.ts';

export type Claimed = Extract<ResultOf<'host/claim'>, { claimed: true }>;

/** An executor that does as it is told, on a client that outlives its links: it registers on each new one before anything else. */
export class ScriptedHost {
  readonly client: StoryClient;
  readonly folder: string;
  sessionId!: ids.SessionId;
  readonly #hostRunId = newRun();
  readonly #hostSessionId = newHostSession();
  #reportSeq = 0;

  constructor(client: StoryClient, folder: string) {
    this.client = client;
    this.folder = folder;
  }

  /** Makes the goal and a session of it, and is its host from then on. */
  async attach(goal = 'goal'): Promise<void> {
    const { client, folder } = this;
    await client.do('goal/create', { commandId: newCommand(), workspace: folder, goalId: goalKey(goal), title: 'The goal' });
    const { session } = await client.do('session/attach', attachParams({ workspace: folder, goal, hostSessionId: this.#hostSessionId }));
    this.sessionId = session!.sessionId;
    client.beforeMirrors = () => this.#register();
    // A link that is lost here registers by itself when it is back.
    await this.#register().catch((error: unknown) => {
      if (asAttacheError(error)?.kind !== 'connection_closed') throw error;
    });
  }

  async claim(): Promise<Claimed> {
    const claimId = newClaim();
    for (;;) {
      const answer = await this.client.do('host/claim', { ...this.#target, claimId, waitSeconds: 60 });
      this.#reportSeq = 0;
      if (answer.claimed) return answer;
      await this.client.changed.next();
    }
  }

  async report({ claimId }: Claimed, ...ops: ReportOp[]): Promise<void> {
    this.#reportSeq += 1;
    await this.client.do('host/report', { ...this.#target, claimId, reportSeq: this.#reportSeq, ops });
  }

  /** Asks for consent to a command, which is item `c` of the turn. */
  async ask(claimed: Claimed, command: string): Promise<Approval> {
    const subject = { kind: 'command', command, cwd: this.folder, envNames: [] } as const;
    await this.report(claimed, startCommand('c', command, this.folder));
    const { approval } = await this.client.do('approval/request', {
      commandId: newCommand(), sessionId: this.sessionId, claimId: claimed.claimId, title: command, subject: { ...subject, envNames: [] },
      options: [...OPTIONS], actionDigest: digestOf(subject), itemKey: key('c'),
    });
    return approval;
  }

  begin(claimed: Claimed, { approvalId, actionDigest }: Approval): Promise<void> {
    return this.report(claimed, { op: 'effect.begin', itemKey: key('c'), approvalId, actionDigest });
  }

  async complete({ claimId, turn }: Claimed, result: TurnResult): Promise<void> {
    const completionId = ids.completionId.parse(`done-${claimId}`);
    await this.client.do('host/complete', { ...this.#target, turnId: turn.turnId, claimId, completionId, lastReportSeq: this.#reportSeq, result });
  }

  /** A refused report has no number. */
  forgetReport(): void {
    this.#reportSeq -= 1;
  }

  get #target(): { sessionId: ids.SessionId; hostRunId: ids.HostRunId } {
    return { sessionId: this.sessionId, hostRunId: this.#hostRunId };
  }

  async #register(): Promise<void> {
    await this.client.calls.call('host/register', { ...this.#target, hostSessionId: this.#hostSessionId, hostSurface: 'vscode' });
  }
}
