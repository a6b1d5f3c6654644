import { approvedCount } from '../../protocol/approval/part.ts';
import type { Approval, ApprovalSubject } from '../../protocol/approval/state.ts';
import type { FileChange, ItemData, RevertNote } from '../../protocol/item/state.ts';
import type { Attachment } from '../../protocol/turn/attachment.ts';
import { hasContent } from '../../protocol/turn/content.ts';
import { code, fenced, inline, time } from './markdownText.ts';
import type { Transcript, TranscriptGrant, TranscriptItem, TranscriptTurn } from './transcript.ts';

const NOTE = 'Texts stand in fences just as they were; control characters are shown as signs, what looks like a secret as [secret]. Times are UTC. The JSON export has every character.';

/** The transcript for people: complete, and safe to open in any viewer, whatever an agent has written. */
export function transcriptMarkdown(transcript: Transcript): string {
  const { session, turns, grants, settled } = transcript;
  const parts = [
    `# ${inline(session.title) || 'Session'}`,
    NOTE,
    facts(transcript),
    ...(session.objective === '' ? [] : ['## Objective', fenced(session.objective, 'text')]),
    ...turns.flatMap(turnParts),
    ...(grants.length === 0 ? [] : ['## Rules', ...grants.flatMap(grantParts)]),
    settled ? 'End of the transcript.' : 'The session was not settled when this was written: a turn was queued or running.',
  ];
  return `${parts.join('\n\n')}\n`;
}

function facts({ session, turns }: Transcript): string {
  const items = turns.flatMap((turn) => turn.items);
  const approvals = items.flatMap((item) => item.approvals);
  const rows: [string, string][] = [
    ['Session', code(session.sessionId)],
    ['Folder', code(session.workspace)],
    ['Goal', `${inline(session.goalTitle)} (${code(session.goalId)}, life ${session.lifetime})`],
    ['Agent', code(session.agentId)],
    ['Mode', code(session.sessionMode)],
    ['Begun', time(session.createdAt)],
    ['Closed', time(session.closedAt)],
    ['Holds', `${turns.length} turns, ${items.length} items, ${approvals.length} requests for consent`],
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function turnParts(turn: TranscriptTurn): string[] {
  const about = [
    `Turn ${code(turn.turnId)}, from ${code(turn.origin)}, key ${code(turn.clientTurnId)}`,
    `queued ${time(turn.queuedAt)}, started ${time(turn.startedAt)}, ended ${time(turn.endedAt)}`,
    ...(turn.retryOf === null ? [] : [`again after ${code(turn.retryOf)}`]),
    ...(turn.stopReason === null ? [] : [`stop reason ${code(turn.stopReason)}`]),
    ...(turn.cause === null ? [] : [`cause ${code(turn.cause)}`]),
    ...(turn.usage === null ? [] : [`usage ${code(JSON.stringify(turn.usage))}`]),
  ];
  return [
    `## Turn ${turn.turnIdx} · ${turn.state}`,
    about.map((line) => `- ${line}`).join('\n'),
    ...(turn.detail === null ? [] : [fenced(turn.detail, 'text')]),
    ...turn.items.flatMap(itemParts),
  ];
}

function itemParts(item: TranscriptItem): string[] {
  const outcome = item.outcome === 'unknown' ? ' · outcome unknown' : '';
  const below = item.parentId === null ? '' : `, under ${code(item.parentId)}`;
  return [
    `### ${headline(item.data)} · ${item.state}${outcome}`,
    `- Item ${code(item.itemId)}${below}, ${time(item.startedAt)} to ${time(item.endedAt)}`,
    ...dataParts(item),
    ...(item.text === '' ? [] : [fenced(item.text, infoOf(item.data))]),
    ...item.approvals.flatMap(approvalParts),
  ];
}

function infoOf(data: ItemData): string {
  if (data.kind === 'agent_message' || data.kind === 'user_message') return 'markdown';
  return data.kind === 'command' ? 'console' : 'text';
}

function headline(data: ItemData): string {
  switch (data.kind) {
    case 'user_message':
      return 'Message';
    case 'agent_message':
      return 'Agent';
    case 'thought':
      return 'Thought';
    case 'plan':
      return 'Plan';
    case 'tool_call':
      return `Tool ${code(data.toolKind)} ${inline(data.title)}`;
    case 'edit':
      return `Edit ${code(data.change.label)}`;
    case 'command':
      return 'Command';
    case 'approval':
      return 'Request';
    case 'notice':
      return `Notice (${data.level})`;
    case 'error':
      return `Error ${code(data.code)}`;
    default:
      return inline((data as { kind: string }).kind);
  }
}

function dataParts({ data }: TranscriptItem): string[] {
  switch (data.kind) {
    case 'user_message':
      return attachmentParts(data.attachments);
    case 'agent_message':
      return attachmentParts(data.pictures);
    case 'plan':
      return [fenced(data.entries.map(({ status, content }) => `[${status === 'completed' ? 'x' : status === 'in_progress' ? '~' : ' '}] ${content}`).join('\n'), 'text')];
    case 'tool_call':
      return [
        ...(data.locations.length === 0 ? [] : [data.locations.map(({ path, line }) => `- ${code(line === undefined ? path : `${path}:${line}`)}`).join('\n')]),
        ...(data.input === undefined ? [] : ['Input:', fenced(data.input, 'text')]),
        ...(data.changes ?? []).flatMap(changeParts),
        ...attachmentParts(data.pictures),
      ];
    case 'edit':
      return [`- ${data.mode === 'hosted' ? 'written through Attaché' : 'written by the agent itself'}${note(data.note)}`, ...changeParts(data.change)];
    case 'command':
      return [`- in ${code(data.cwd)}, ${ending(data)}${environment(data.envNames)}${note(data.note)}`, fenced(data.command, 'sh')];
    case 'error':
      return [`- ${inline(data.next)}`];
    case 'notice':
      return [...(data.code === undefined ? [] : [`- ${code(data.code)}`]), ...(data.revert === undefined ? [] : revertParts(data.revert))];
    default:
      return [];
  }
}

const attachmentParts = (attachments: readonly Attachment[] = []): string[] => (attachments.length === 0 ? [] : [attachments.map(attachmentPart).join('\n')]);

function attachmentPart(attachment: Attachment): string {
  const { name, source } = attachment;
  const from = source === undefined ? '' : `, from ${code(source.lines === undefined ? source.path : `${source.path}:${source.lines.first}-${source.lines.last}`)}`;
  return `- attached ${code(name)}${from}, ${hasContent(attachment) ? `${attachment.mimeType}, ${attachment.size} bytes, ${code(attachment.digest)}` : `the name of the ${attachment.link} only`}`;
}

function revertParts({ files, by: { clientId, windowId, clientKind } }: RevertNote): string[] {
  const state = (digest: string | null): string => (digest === null ? 'no file' : code(digest));
  const lines = files.map(({ path, before, after }) => `- ${code(path)}: from ${state(before)} to ${state(after)}`);
  return [`- by: kind ${code(clientKind)}, client ${code(clientId)}, window ${code(windowId)}`, lines.join('\n')];
}

const note = (text: string | undefined): string => (text === undefined ? '' : `; ${inline(text)}`);

const environment = (names: readonly string[]): string => (names.length === 0 ? '' : `, with ${names.map(code).join(', ')} set`);

function ending({ exitCode, signal, cut }: Extract<ItemData, { kind: 'command' }>): string {
  const end = signal !== null ? `ended by ${code(signal)}` : exitCode !== null ? `exit code ${exitCode}` : 'no exit code';
  return cut === 0 ? end : `${end}, ${cut} characters of its output left out`;
}

function changeParts(change: FileChange): string[] {
  const from = change.before === null ? 'a new file' : `from ${code(change.before)}`;
  const cut = change.linesCut ? '; more lines than are shown' : '';
  return [
    `- ${code(change.path)}: +${change.added} −${change.removed}, ${from} to ${code(change.after)}${cut}`,
    ...(change.lines.length === 0 ? [] : [fenced(change.lines.map(({ t, text }) => `${t}${text}`).join('\n'), 'diff')]),
  ];
}

function approvalParts(approval: Approval): string[] {
  const options = approval.options.map(({ optionId, name, kind }) => `${inline(name)} (${code(optionId)}, ${kind})`).join(', ');
  const lines = [
    `Request ${code(approval.approvalId)}, asked ${time(approval.createdAt)}${approval.expiresAt === null ? '' : `, expires ${time(approval.expiresAt)}`}: ${inline(approval.title)}`,
    `options: ${options}`,
    ...(approval.subject.from === undefined ? [] : [`asked by a sub-agent: ${inline(approval.subject.from)}`]),
    `action ${code(approval.actionDigest)}`,
    ...decision(approval),
  ];
  return [
    `#### Consent: ${approval.status}`,
    lines.map((line) => `- ${line}`).join('\n'),
    ...subjectParts(approval.subject),
    ...(approval.comment === null ? [] : ['Comment:', fenced(approval.comment, 'text')]),
  ];
}

/** Who decided, when, from where, and by which rule: the audit. */
function decision(approval: Approval): string[] {
  const { optionId, options, decidedBy, decidedAt, cause } = approval;
  const chosen = options.find((option) => option.optionId === optionId);
  const answer = optionId === null ? [] : [`answer: ${inline(chosen?.name ?? '')} (${code(optionId)}) at ${time(decidedAt)}`];
  const client = decidedBy === null ? [] : [
    `decided by: ${inline(decidedBy.by)}${by('kind', decidedBy.clientKind)}${by('client', decidedBy.clientId)}${by('window', decidedBy.windowId ?? null)}${by('rule', decidedBy.rule)}`,
  ];
  const closed = cause === null ? [] : [`closed because: ${code(cause)}${optionId === null ? ` at ${time(decidedAt)}` : ''}`];
  return [...answer, ...partly(approval), ...client, ...closed];
}

/** Which changes of an edit were approved, where it was not all of them; counted from 1 as in the diff above. */
function partly(approval: Approval): string[] {
  const count = approvedCount(approval);
  if (count === null || approval.subject.kind !== 'edit') return [];
  const { changes } = approval.subject;
  const files = (approval.part ?? []).map((places, at) => `${code(changes[at]?.label ?? '')}: ${places.length === 0 ? 'none' : places.map((place) => place + 1).join(', ')}`);
  return [`only ${count.chosen} of ${count.of} changes: ${files.join('; ')}`];
}

const by = (name: string, value: string | null): string => (value === null ? '' : `, ${name} ${code(value)}`);

function subjectParts(subject: ApprovalSubject): string[] {
  switch (subject.kind) {
    case 'edit':
      return subject.changes.flatMap(changeParts);
    case 'command':
      return [`- in ${code(subject.cwd)}${environment(subject.envNames)}`, fenced(subject.command, 'sh')];
    case 'tool':
    case 'plan':
    case 'question':
      return [fenced(subject.detail, 'text')];
    default:
      return [fenced(JSON.stringify(subject), 'json')];
  }
}

/** What a rule allows, stated exactly, and who made it. */
function grantParts({ grantId, agentId, sessionId, pattern, createdAt, createdBy, approvalId, revokedAt }: TranscriptGrant): string[] {
  const lines = [
    `allows ${code(agentId)} in ${sessionId === null ? 'every session of the folder' : `session ${code(sessionId)}`}`,
    `made ${time(createdAt)} by client, kind ${code(createdBy.clientKind)}${by('client', createdBy.clientId)}${by('window', createdBy.windowId)}, in answer to request ${code(approvalId)}`,
    ...(revokedAt === null ? [] : [`revoked ${time(revokedAt)}`]),
  ];
  return [`### Rule ${code(grantId)}`, lines.map((line) => `- ${line}`).join('\n'), fenced(JSON.stringify(pattern, null, 2), 'json')];
}
