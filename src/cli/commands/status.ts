import path from 'node:path';
import { everyApproval } from '../../client/everyApproval.ts';
import { everySession } from '../../client/everySession.ts';
import { storeLossWords } from '../../protocol/gateway/storeLossWords.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../failure.ts';
import { attention, bold, dim, type Line } from '../output/spans.ts';
import { pairs } from '../output/table.ts';
import { bytes, duration } from '../output/times.ts';
import { stateOf } from '../render/sessionText.ts';
import { shortId } from '../ids.ts';

export const status: Command = {
  name: 'status',
  usage: '',
  summary: 'Say whether the gateway runs, what works, and what needs you',
  about: ['Never starts a gateway: exit 4 when none runs.'],
  options: {},
  examples: ['attache status', 'attache status --json | jq .gateway.liveTurns'],
  access: 'read',
  neverStarts: true,
  run: async ({ attach, output, dataRoot, clock }) => {
    const { calls, workspace } = await attach();
    const gateway = await calls.call('gateway/status', {});
    const sessions = await everySession(calls, { workspace });
    const approvals = await everyApproval(calls, { workspace, status: 'pending' });
    const needy = sessions.filter(({ pendingApprovals, status: state }) => pendingApprovals > 0 || state === 'busy');
    const { storeOutcome } = gateway;
    const ids = sessions.map(({ sessionId }) => sessionId);
    await output.answer({ dataRoot, workspace, gateway, sessions: sessions.length, pendingApprovals: approvals.length }, () => [
      [bold('Gateway'), ` ${gateway.version}, process ${gateway.pid}, up for ${duration(clock.now() - gateway.startedAt)}`],
      ...pairs([
        ['Data', dataRoot],
        ['Runs on', `Node ${gateway.nodeVersion}, ${bytes(gateway.rssBytes)} of memory`],
        ['Store', `${bytes(gateway.storeBytes)}, schema ${gateway.schemaVersion}`],
        ['Clients', `${gateway.connections}`],
        ['Turns', `${gateway.liveTurns} live`],
        ['Requests', gateway.pendingApprovals === 0 ? 'none waits' : attention(`${gateway.pendingApprovals} wait`)],
      ], '  '),
      ...(storeOutcome.kind === 'recovered' ? [['  ', attention(storeLossWords(storeOutcome))], ['  ', `The damaged files are kept in ${path.join(dataRoot, storeOutcome.keptIn)}.`]] satisfies Line[] : []),
      [],
      [bold('Folder'), ` ${workspace}`, dim(`  ${sessions.length} open sessions`)],
      ...needy.map((session): Line => ['  ', bold(shortId(session.sessionId, ids)), '  ', stateOf(session), `  ${session.title}`]),
    ]);
    return EXIT.ok;
  },
};
