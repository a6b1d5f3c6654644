import type { ResponseError } from 'vscode-jsonrpc/node';
import * as rpcErrors from '../../../src/gateway/transport/rpcErrors.ts';
import { HELLO_METHOD } from '../../../src/protocol/envelope.ts';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import type { JsonSchema, Method, NamedType, Notification, Protocol } from './readProtocol.ts';
import { link, rowsOf, typeText, type Row } from './typeText.ts';

const KINDS = [
  ['command', 'Commands', 'Change state. Each carries `commandId`, or a key of its own: the same key with the same parameters gives the stored answer, with others `idempotency_conflict`. A command is answered when its first effect is durably committed.'],
  ['query', 'Queries', 'Write nothing.'],
  ['host', 'Host commands', 'Only for the executor that is bound to the session, after `host/register` on the same connection.'],
] as const;

const GROUPS: readonly (readonly [number, string])[] = [
  [10, 'connection'], [11, 'access'], [12, 'goal, session, turn'], [13, 'approvals'], [14, 'idempotency'], [15, 'load'], [16, 'execution'],
];

/** The reference page, from nothing but the schemas, the catalogue of errors and the limits. */
export function referencePage(protocol: Protocol): string {
  const plainTexts = new Map(plain(protocol).map(({ name, schema }) => [name, schema.description]));
  const rows = (schema: JsonSchema): Row[] => rowsOf(schema, (name) => plainTexts.get(name));
  return `${[
    INTRODUCTION,
    ...KINDS.map(([kind, title, text]) => section(title, text, protocol.methods.filter((method) => method.kind === kind).map((method) => methodText(method, rows)))),
    section('Notifications from the gateway', 'A plain LSP client that has used no method of ours is sent none of them.', protocol.notifications.map((word) => wordText(word, rows))),
    section('Notifications to the gateway', '', protocol.clientNotifications.map((word) => wordText(word, rows))),
    LSP,
    section('Events', 'What `event/batch` carries. Scopes are one session and one workspace folder; each counts its events from 1 without a gap.', events(protocol).map((type) => typeSection(type, rows))),
    section('Types', 'Every object is closed: a field that is not listed is refused in a request. A name with `?` may be absent.', others(protocol).map((type) => typeSection(type, rows))),
    section('Ids and other plain values', '', [table(plain(protocol).map(plainRow), ['name', 'form', ''])]),
    errorSection(),
    limitSection(protocol),
  ].join('\n').replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

const INTRODUCTION = `# The gateway protocol, version 1

<!-- Written by \`npm run reference\` from src/protocol. Do not edit: a test compares. -->

JSON-RPC 2.0 in the frames of the Language Server Protocol, over the socket or pipe that the gateway's descriptor file names, or over the stdio of
\`attache-gateway --stdio\`. The same as JSON Schema: [protocol.schema.json](protocol.schema.json).

The first frame of a connection is \`${HELLO_METHOD}\` with ${link('helloParams')}, answered by ${link('helloResult')}; the stdio pump sends it for its
client. Any LSP client then goes on with \`initialize\`; others may use every request at once.
`;

const LSP = `## For plain LSP clients

\`initialize\`, \`shutdown\`, \`exit\` as LSP has them; the answer to \`initialize\` repeats version, gateway id, epoch and limits under
\`capabilities.experimental.attache\`. Before \`initialize\` every request of a client that came through the stdio pump is refused with -32002, after
\`shutdown\` with -32600. Notifications that are not known are ignored.

| request | what it does |
|---|---|
| \`textDocument/codeLens\` | the open edit requests about a file: for each place a lens that says what waits, then one for each answer |
| \`textDocument/codeAction\` | the same as commands, for the lines of \`range\` |
| \`workspace/executeCommand\` | \`attache.approve\`, \`attache.reject\` with one argument ${link('lspAnswer')}, answered \`{ outcome, approvalId, status }\`; \`attache.show\` with ${link('lspShow')} |

The gateway sends \`workspace/codeLens/refresh\` to clients that support it and \`window/showMessage\` after \`attache.show\`, and no other request of any kind.
`;

function section(title: string, text: string, parts: readonly string[]): string {
  return `## ${title}\n\n${paragraph(text)}${parts.join('\n')}`;
}

const paragraph = (text: string): string => (text === '' ? '' : `${text}\n\n`);

type Rows = (schema: JsonSchema) => Row[];

function methodText({ name, description, params, result }: Method, rows: Rows): string {
  return `### ${name}\n\n${paragraph(description)}${part('params', params, rows(params))}${part('result', result, rows(result))}`;
}

const wordText = ({ name, description, params }: Notification, rows: Rows): string => `### ${name}\n\n${paragraph(description)}${table(rows(params))}`;

function part(title: string, schema: JsonSchema, rows: readonly Row[]): string {
  if (schema.$ref !== undefined) return `**${title}** ${typeText(schema)}\n\n`;
  return rows.length === 0 ? `**${title}** none\n\n` : `**${title}**\n\n${table(rows)}`;
}

function table(rows: readonly Row[], head: readonly [string, string, string] = ['field', 'type', '']): string {
  if (rows.length === 0) return '';
  return `| ${head.join(' | ')} |\n|---|---|---|\n${rows.map(({ name, type, text }) => `| ${name === '' ? '' : `\`${name}\``} | ${type} | ${text.replaceAll('|', '\\|')} |\n`).join('')}\n`;
}

const isPlain = ({ schema }: NamedType): boolean => schema.properties === undefined && schema.oneOf === undefined && schema.anyOf === undefined;
const isEvent = ({ name }: NamedType): boolean => /Event$/.test(name);
const isLsp = ({ name }: NamedType): boolean => /^lsp.*Params$/.test(name);

const events = ({ types }: Protocol): NamedType[] => types.filter(isEvent);
const plain = ({ types }: Protocol): NamedType[] => types.filter(isPlain).sort(byName);
const others = ({ types }: Protocol): NamedType[] => types.filter((type) => !isPlain(type) && !isEvent(type) && !isLsp(type)).sort(byName);
const byName = (a: NamedType, b: NamedType): number => (a.name < b.name ? -1 : 1);

function typeSection({ name, schema }: NamedType, rows: Rows): string {
  const own = rows(schema);
  return `### ${name}\n\n${paragraph(schema.description ?? '')}${own.length === 0 ? `${typeText(schema)}\n\n` : table(own)}`;
}

const plainRow = ({ name, schema }: NamedType): Row => ({ name, type: `<a id="${name.toLowerCase()}"></a>${typeText(schema)}`, text: schema.description ?? '' });

function errorSection(): string {
  const rows = (group: number): string => Object.entries(ERRORS).filter(([, { code }]) => Math.floor(code / 100) === group)
    .sort(([, a], [, b]) => a.code - b.code).map(([kind, { code, retry, message, next }]) => `| ${code} | \`${kind}\` | ${retry} | ${message} ${next} |\n`).join('');
  const own = GROUPS.map(([group, title]) => `### ${group}xx ${title}\n\n${ERROR_HEAD}${rows(group)}\n`);
  return section('Errors', ERROR_TEXT, [...own, `### JSON-RPC and LSP\n\n${ERROR_HEAD}${callFailures().map(({ code, message, data }) => `| ${code} | \`${data?.kind ?? ''}\` | never | ${message} ${data?.next ?? ''} |\n`).join('')}\n`]);
}

const ERROR_HEAD = '| code | kind | retry | for people |\n|---|---|---|---|\n';
const ERROR_TEXT = 'Every refusal has a kind and a number of its own. `error.data` is `{ kind, retry, next, retryAfterMs?, entity? }`: `retry` is `never`, `same_command`, `after_ms`, `resync` or `reauth`; `next` is the next step for a person; `entity` is what the refusal is about, as it stands now.';

type CallFailure = ResponseError<{ readonly kind: string; readonly next: string }>;

function callFailures(): CallFailure[] {
  const parse = (rpcErrors.streamFailure(false) as { error: CallFailure }).error;
  return [
    parse, rpcErrors.invalidRequest('The request may not be sent at this time.'), rpcErrors.methodNotFound('…'), rpcErrors.invalidParams('The parameters are not as expected.'),
    rpcErrors.internalError(), rpcErrors.serverNotInitialized(), rpcErrors.requestCancelled(),
  ];
}

function limitSection({ commentAt }: Protocol): string {
  const rows = Object.entries(LIMITS).map(([name, value]) => ({ name, type: String(value), text: commentAt('limits.ts', `LIMITS.${name}`) ?? '' }));
  return section('Limits', 'In the answer to hello. Bytes, milliseconds or counts as named.', [table(rows, ['limit', 'value', ''])]);
}
