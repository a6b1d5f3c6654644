import { randomUUID } from 'node:crypto';
import { meaningOf } from '../../protocol/approval/meaning.ts';
import type { Approval } from '../../protocol/approval/state.ts';
import { AttacheError } from '../../protocol/errors.ts';
import { lspAnswer, lspExecuteParams, lspShow, type LspAnswer } from '../../protocol/gateway/lsp.ts';
import { commandId } from '../../protocol/ids.ts';
import type { GatewayCore } from '../core.ts';
import { invalidParams } from '../transport/rpcErrors.ts';
import type { ClientConnection } from './clientConnection.ts';
import { parseParams } from './parseParams.ts';

/** What `workspace/executeCommand` takes. */
export const LSP_COMMANDS = ['attache.approve', 'attache.reject', 'attache.show'] as const;

const SHOWN_CHARS = 16_000;
const MESSAGE_INFO = 3;
const NEVER = new AbortController().signal;

/** Carries out what a lens offers. An answer is recorded once; the window that runs the turn applies it. */
export async function executeCommand(core: GatewayCore, connection: ClientConnection, params: unknown): Promise<unknown> {
  const { command, arguments: args } = parseParams('workspace/executeCommand', lspExecuteParams, params);
  switch (command) {
    case 'attache.approve':
    case 'attache.reject':
      return answer(core, connection, command === 'attache.approve', parseParams(command, lspAnswer, args?.[0]));
    case 'attache.show': {
      const { approvalId } = parseParams(command, lspShow, args?.[0]);
      const { approval } = await core.handle(connection.principal, 'approval/get', { approvalId }, NEVER);
      return show(connection, approval);
    }
    default:
      throw invalidParams(`The gateway has no command “${command}”; it has ${LSP_COMMANDS.join(', ')}.`);
  }
}

async function answer(core: GatewayCore, { principal }: ClientConnection, approves: boolean, { approvalId, actionDigest, optionId, part }: LspAnswer): Promise<unknown> {
  // A folder that is only looked at takes no answers at all from here, not even a refusal.
  if (!principal.workspaces.some(({ trusted }) => trusted)) throw new AttacheError('workspace_untrusted');
  const { approval } = await core.handle(principal, 'approval/get', { approvalId }, NEVER);
  const option = approval.options.find((offered) => offered.optionId === optionId);
  if (option !== undefined && (meaningOf(approval, option) !== 'reject') !== approves) {
    throw new AttacheError('approval_option_unknown', { message: `“${option.name}” is no answer to ${approves ? 'approve' : 'reject'} with.` });
  }
  const key = commandId.parse(`lsp-${randomUUID()}`);
  const { outcome, approval: decided } = await core.handle(principal, 'approval/decide', { commandId: key, approvalId, optionId, actionDigest, ...(part === undefined ? {} : { part }) }, NEVER);
  return { outcome, approvalId, status: decided.status };
}

/** In the client's own message area, because a person asked for it; also as the answer, for clients that show it better. */
function show(connection: ClientConnection, approval: Approval): unknown {
  const text = shownText(approval);
  connection.send('window/showMessage', { type: MESSAGE_INFO, message: text });
  return { approvalId: approval.approvalId, status: approval.status, text };
}

function shownText({ title, subject, status }: Approval): string {
  const head = status === 'pending' ? title : `${title} (${status})`;
  if (subject.kind !== 'edit') return head;
  const files = subject.changes.map(({ label, lines, linesCut }) =>
    [`${label}:`, ...lines.map(({ t, text }) => (t === '@' ? text : `${t}${text}`)), ...(linesCut ? ['… (more than is shown here)'] : [])].join('\n'));
  const note = subject.mode === 'agentApplied' ? '\nThe agent writes this by itself once it is allowed.' : '';
  const text = `${head}${note}\n${files.join('\n')}`;
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}\n… (more than is shown here)` : text;
}
