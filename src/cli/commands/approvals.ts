import { everyApproval } from '../../client/everyApproval.ts';
import type { Approval, ApprovalOption } from '../../protocol/approval/state.ts';
import type { Session } from '../../protocol/session/state.ts';
import type { Command, Given, OptionSpecs } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CliFailure, EXIT } from '../failure.ts';
import type { Attached } from '../gateway/attached.ts';
import { shortId } from '../ids.ts';
import { bold, dim, good, type Line } from '../output/spans.ts';
import { table } from '../output/table.ts';
import { ago } from '../output/times.ts';
import { askedFor, plainApprove, plainReject, requestLines, verdict } from '../render/approvalText.ts';
import { allSessions, findApproval, findSession, newCommandId } from '../sessions.ts';

export const approvals: Command = {
  name: 'approvals',
  usage: '[id]',
  summary: 'List the requests that wait for an answer, or show one whole',
  options: {
    session: { type: 'string', value: 'SESSION', about: 'Only those of one session' },
    all: { type: 'boolean', about: 'Answered and withdrawn ones, too' },
  },
  examples: ['attache approvals', 'attache approvals 7q1x0c', 'attache approvals --all --json'],
  access: 'read',
  run: async (context, given) => {
    const attached = await context.attach();
    const [typed] = given.positionals;
    if (typed !== undefined) {
      const approval = await findApproval(attached, typed);
      await context.output.answer({ approval }, () => [...requestLines(approval, []), ['  ', ...verdict(approval)]]);
      return EXIT.ok;
    }
    const { calls, workspace } = attached;
    const session = given.text('session');
    const only = session === undefined ? {} : { sessionId: (await findSession(attached, session)).sessionId };
    const found = await everyApproval(calls, { workspace, ...only, ...(given.flag('all') ? {} : { status: 'pending' }) });
    const sessions = await allSessions(calls, workspace);
    await context.output.answer({ workspace, approvals: found }, () => (found.length === 0 ? [[`Nothing waits for an answer in ${workspace}.`]] : approvalTable(found, sessions, context.clock.now(), context.output.width)));
    return EXIT.ok;
  },
};

function approvalTable(found: readonly Approval[], sessions: readonly Session[], now: number, width: number): Line[] {
  const ids = found.map(({ approvalId }) => approvalId);
  const rows = found.map((approval): Line => [
    bold(shortId(approval.approvalId, ids)), askedFor(approval), sessions.find(({ sessionId }) => sessionId === approval.sessionId)?.title ?? approval.sessionId,
    { ...dim(''), text: approval.status }, dim(ago(approval.createdAt, now)),
  ]);
  return table([{ head: 'ID' }, { head: 'ASKS TO', min: 20 }, { head: 'SESSION', min: 10 }, { head: 'STATE' }, { head: 'SINCE' }], rows, width);
}

const OPTIONS: OptionSpecs = {
  option: { type: 'string', value: 'ID', about: 'One of the agent’s own answers, by its id' },
  comment: { type: 'string', value: 'TEXT', about: 'Said to the agent with the answer' },
  yes: { type: 'boolean', short: 'y', about: 'Do not ask' },
};

export const approve: Command = {
  name: 'approve',
  usage: '<id>',
  summary: 'Allow what an agent asks for, once',
  about: ['Shows exactly what is decided and asks, unless --yes is given. The first answer counts, from whichever client; a request that was changed, withdrawn or answered otherwise is refused.'],
  options: OPTIONS,
  examples: ['attache approve 7q1x0c', 'attache approve 7q1x0c --option allow_always --yes'],
  access: 'write',
  run: (context, given) => decide(context, given, plainApprove),
};

export const reject: Command = {
  name: 'reject',
  usage: '<id>',
  summary: 'Reject what an agent asks for',
  options: OPTIONS,
  examples: ['attache reject 7q1x0c --comment "Use the test database"'],
  access: 'write',
  run: (context, given) => decide(context, given, plainReject),
};

async function decide(context: Parameters<Command['run']>[0], given: Given, plain: (approval: Approval) => ApprovalOption | undefined): ReturnType<Command['run']> {
  const attached = await context.attach();
  const { output } = context;
  const approval = await findApproval(attached, given.positionals[0] ?? '');
  const option = chosen(approval, given.text('option'), plain);
  const isAgreed = given.flag('yes') || approval.status !== 'pending';
  if (!isAgreed && !output.isJson) await output.lines(requestLines(approval, await aboutOf(attached, approval)));
  // To reject is safe, so that a script may do it without a person.
  const isSafe = plain === plainReject && given.text('option') === undefined && context.input.isTTY !== true;
  await confirm(context, isAgreed || isSafe, [`Answer “${option.name}”?`]);
  const comment = given.text('comment');
  const result = await attached.calls.call('approval/decide', {
    commandId: newCommandId(), approvalId: approval.approvalId, optionId: option.optionId, actionDigest: approval.actionDigest, ...(comment === undefined ? {} : { comment }),
  });
  await output.answer(result, () => [result.outcome === 'already' ? [dim('The same answer had been given: '), ...verdict(result.approval)] : [good(result.approval.status), ` “${option.name}” · ${askedFor(result.approval)}`]]);
  return EXIT.ok;
}

function chosen(approval: Approval, typed: string | undefined, plain: (approval: Approval) => ApprovalOption | undefined): ApprovalOption {
  const found = typed === undefined ? plain(approval) : approval.options.find(({ optionId }) => optionId === typed);
  if (found !== undefined) return found;
  const next = `Choose one with --option: ${approval.options.map(({ optionId, name }) => `${optionId} (${name})`).join(', ')}.`;
  throw new CliFailure('option_needed', { ...(typed === undefined ? {} : { message: `The agent offers no answer “${typed}”.` }), next, entity: approval.options });
}

async function aboutOf({ calls }: Attached, { sessionId, createdAt }: Approval): Promise<(readonly [string, string])[]> {
  const { snapshot: { session } } = await calls.call('session/get', { sessionId });
  return [['Agent', session.agentId], ['Session', `${session.title} (${shortId(sessionId, [])})`], ['Folder', session.workspace], ['Asked', new Date(createdAt).toLocaleTimeString()]];
}
