import { resolve } from 'node:path';
import { RequestError, type ClientApp } from '@agentclientprotocol/sdk';
import type { CommandExit, GuardedPlane } from '../../execution/plane.ts';
import { asAttacheError, AttacheError } from '../../protocol/errors.ts';
import { toolContent } from './contentText.ts';
import { commentKey, permissionOptions, permissionRequest } from './permission.ts';
import { TerminalTable } from './terminalTable.ts';
import type { TurnMapper } from './turnMapper.ts';
import { amount, fields, list, textOrNull, type Fields } from './wire.ts';

/** The turn that requests of the agent belong to. */
export interface OpenTurn {
  readonly plane: GuardedPlane;
  readonly mapper: TurnMapper;
}

export interface ClientHandlersOptions {
  readonly cwd: string;
  readonly sessionId: () => string | null;
  readonly turn: () => OpenTurn | null;
  readonly hearsComments: () => boolean;
  readonly takesParts: () => boolean;
  readonly log: (message: string) => void;
}

const defaultOutputBytes = 1024 * 1024;
const resourceNotFound = -32002;

type Handler = (params: Fields, options: ClientHandlersOptions, withdrawn: AbortSignal) => Promise<unknown>;

/** Answers the requests of an agent. All that acts goes through the guarded plane of the running turn. */
export function registerClientHandlers(app: ClientApp, options: ClientHandlersOptions): void {
  const terminals = new TerminalTable();
  const handlers: Readonly<Record<string, Handler>> = {
    'session/request_permission': requestPermission,
    'fs/read_text_file': readTextFile,
    'fs/write_text_file': writeTextFile,
    'terminal/create': (params) => createTerminal(params, options, terminals),
    'terminal/output': async (params) => terminalOutput(terminals, params),
    'terminal/wait_for_exit': async (params) => exitStatus(await terminals.get(params['terminalId']).exited),
    'terminal/kill': async (params) => {
      await terminals.get(params['terminalId']).kill();
      return {};
    },
    'terminal/release': async (params) => {
      await terminals.release(params['terminalId']);
      return {};
    },
  };
  for (const [method, handler] of Object.entries(handlers)) {
    // The SDK's own check would refuse a request for one field that is missing or new.
    app.onRequest(method, (params) => fields(params), ({ params, signal }) => answer(handler, params, options, signal));
  }
}

async function answer(handler: Handler, params: Fields, options: ClientHandlersOptions, withdrawn: AbortSignal): Promise<unknown> {
  const sessionId = options.sessionId();
  if (sessionId !== null && params['sessionId'] !== sessionId) throw RequestError.invalidParams(undefined, 'unknown session');
  try {
    return await handler(params, options, withdrawn);
  } catch (error) {
    throw asRequestError(error);
  }
}

function asRequestError(error: unknown): unknown {
  const known = asAttacheError(error);
  if (known === null) return error;
  const code = known.kind === 'not_found' ? resourceNotFound : known.code;
  return new RequestError(code, known.message, { kind: known.kind, next: known.data.next });
}

function openTurn(options: ClientHandlersOptions): OpenTurn {
  const turn = options.turn();
  if (turn === null) throw new AttacheError('turn_not_active', { message: 'No turn is running, so nothing may be read or done.' });
  return turn;
}

const requestPermission: Handler = async (params, options, withdrawn) => {
  const turn = options.turn();
  const offered = permissionOptions(params['options']);
  if (turn === null || offered.length === 0) {
    options.log(turn === null ? 'answered a permission request outside of a turn with cancelled' : 'answered a permission request without options with cancelled');
    return { outcome: { outcome: 'cancelled' } };
  }
  const toolCall = fields(params['toolCall']);
  const id = turn.mapper.toolCall(forCard(toolCall), false);
  const item = turn.mapper.tool(id);
  if (item === null) return { outcome: { outcome: 'cancelled' } };
  const words = { options: offered, cwd: options.cwd, words: toolContent(toolCall['content']).text, hearsComments: options.hearsComments(), takesParts: options.takesParts() };
  const decision = await turn.plane.requestPermission(permissionRequest(item, words), withdrawn);
  if (decision.outcome === 'cancelled') return { outcome: { outcome: 'cancelled' } };
  const chosen = offered.find((option) => option.optionId === decision.optionId);
  if (chosen?.kind === 'reject_once' || chosen?.kind === 'reject_always') turn.mapper.decline(id);
  const said = decision.comment === undefined ? {} : { _meta: { [commentKey]: decision.comment } };
  return { outcome: { outcome: 'selected', optionId: decision.optionId, ...said } };
};

/** A call that asks for permission has not ended, and the words of the request are not what the tool gives out. */
function forCard(toolCall: Fields): Fields {
  const { status: _status, content, ...rest } = toolCall;
  const shown = list(content).filter((entry) => fields(entry)['type'] !== 'content');
  return shown.length === 0 ? rest : { ...rest, content: shown };
}

const readTextFile: Handler = async (params, options) => {
  const { plane } = openTurn(options);
  const content = await plane.readText(pathIn(params, options.cwd), { line: amount(params['line']), limit: amount(params['limit']) });
  return { content };
};

const writeTextFile: Handler = async (params, options) => {
  const { plane, mapper } = openTurn(options);
  const content = textOrNull(params['content']);
  if (content === null) throw RequestError.invalidParams(undefined, 'content must be a text');
  const path = pathIn(params, options.cwd);
  const toolCallId = mapper.openTool(({ diffs, data }) => diffs.some((diff) => resolve(options.cwd, diff.path) === path) || data.locations.some((place) => resolve(options.cwd, place.path) === path), 'edit');
  await plane.writeText(path, content, toolCallId);
  return {};
};

async function createTerminal(params: Fields, options: ClientHandlersOptions, terminals: TerminalTable): Promise<unknown> {
  const { plane, mapper } = openTurn(options);
  const command = textOrNull(params['command']) ?? '';
  if (command.trim() === '') throw RequestError.invalidParams(undefined, 'command must not be empty');
  const args = list(params['args']).map(String);
  const cwd = textOrNull(params['cwd']) ?? options.cwd;
  const toolCallId = mapper.openTool((item) => item.command !== null && (item.command === command || item.command === [command, ...args].join(' ')), 'execute');
  const spec = {
    command,
    // No arguments means a line for the shell: agents send `npm test` that way.
    args: args.length === 0 ? null : args,
    cwd: resolve(options.cwd, cwd),
    env: environment(params['env']),
    outputBytes: Math.floor(amount(params['outputByteLimit']) ?? defaultOutputBytes),
  };
  return { terminalId: terminals.add(await plane.createTerminal(spec, toolCallId)) };
}

function environment(value: unknown): Record<string, string> {
  const entries = list(value).flatMap((entry) => {
    const { name, value: content } = fields(entry);
    return typeof name === 'string' && typeof content === 'string' && /^[^=\0]+$/.test(name) && !content.includes('\0') ? [[name, content] as const] : [];
  });
  return Object.fromEntries(entries);
}

function terminalOutput(terminals: TerminalTable, params: Fields): unknown {
  const { text, truncated, exit } = terminals.get(params['terminalId']).output();
  return { output: text, truncated, ...(exit === null ? {} : { exitStatus: exitStatus(exit) }) };
}

const exitStatus = ({ exitCode, signal }: CommandExit): unknown => ({ exitCode, signal });

function pathIn(params: Fields, cwd: string): string {
  const path = textOrNull(params['path']) ?? '';
  if (path === '') throw RequestError.invalidParams(undefined, 'path must not be empty');
  return resolve(cwd, path);
}
