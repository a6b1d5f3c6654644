import { PROTOCOL_VERSION, RequestError, type ClientContext } from '@agentclientprotocol/sdk';
import type { Clock } from '../../base/clock.ts';
import { AttacheError } from '../../protocol/errors.ts';
import type { PromptCapabilities } from '../../protocol/session/state.ts';
import type { AgentLaunch, Restored } from '../agent.ts';
import { answerWithin } from './answerWithin.ts';
import { commentsCapability, partsCapability } from './permission.ts';
import { fields, list, text, textOrNull, type Fields } from './wire.ts';

export interface HandshakeOptions {
  readonly agent: ClientContext;
  readonly launch: AgentLaunch;
  readonly resume: string | null;
  readonly version: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

export interface Handshake {
  readonly agentInfo: unknown;
  readonly agentSessionId: string;
  readonly restored: Restored;
  /** The agent reads what a person says with a refusal from the outcome itself. */
  readonly hearsComments: boolean;
  /** The agent is sure to write through us what it was allowed. */
  readonly takesParts: boolean;
  /** What a prompt may hold besides text and links. */
  readonly prompts: PromptCapabilities;
  /** The answer to session/new, load or resume. */
  readonly session: unknown;
}

const authenticationRequired = -32000;
const initializeMs = 60_000;
const sessionMs = 120_000;

/** From a fresh connection to an open conversation: the earlier one when the agent can go on with it, else a new one. */
export async function shakeHands(options: HandshakeOptions): Promise<Handshake> {
  const { launch, version } = options;
  const initialized = fields(await ask(options, 'initialize', initializeMs, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'attache', title: 'Attaché', version },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, _meta: { [commentsCapability]: true } },
  }));
  const spoken = initialized['protocolVersion'];
  if (typeof spoken === 'number' && spoken !== PROTOCOL_VERSION) {
    throw new AttacheError('execution_unavailable', { message: `${launch.label} speaks version ${String(spoken)} of the Agent Client Protocol, which this version of Attaché does not.`, next: 'Update the older of the two.' });
  }
  try {
    const capabilities = fields(initialized['agentCapabilities']);
    const own = fields(capabilities['_meta']);
    const [hearsComments, takesParts] = [own[commentsCapability] === true, own[partsCapability] === true];
    const { image, embeddedContext } = fields(capabilities['promptCapabilities']);
    return { agentInfo: initialized['agentInfo'], hearsComments, takesParts, prompts: { image: image === true, embeddedContext: embeddedContext === true }, ...(await openConversation(options, initialized)) };
  } catch (error) {
    throw asStartError(error, launch, initialized['authMethods']);
  }
}

type Conversation = Omit<Handshake, 'agentInfo' | 'hearsComments' | 'takesParts' | 'prompts'>;

async function openConversation(options: HandshakeOptions, initialized: Fields): Promise<Conversation> {
  const earlier = options.resume === null ? null : await restore(options, options.resume, initialized);
  if (earlier !== null) return earlier;
  const session = await ask(options, 'session/new', sessionMs, { cwd: options.launch.cwd, mcpServers: [] });
  const agentSessionId = textOrNull(fields(session)['sessionId']) ?? '';
  if (agentSessionId === '' || agentSessionId.length > 2000) throw new AttacheError('execution_unavailable', { message: `${options.launch.label} opened a conversation without giving it an id.` });
  return { agentSessionId, restored: options.resume === null ? 'new' : 'lost', session };
}

/** Resuming sends nothing anew, so it is tried before loading. Null when the agent can do neither. */
async function restore(options: HandshakeOptions, sessionId: string, initialized: Fields): Promise<Conversation | null> {
  const capabilities = fields(initialized['agentCapabilities']);
  const resumes = fields(capabilities['sessionCapabilities'])['resume'];
  const ways = [
    ...(typeof resumes === 'object' && resumes !== null ? [{ method: 'session/resume', restored: 'resumed' } as const] : []),
    ...(capabilities['loadSession'] === true ? [{ method: 'session/load', restored: 'loaded' } as const] : []),
  ];
  for (const { method, restored } of ways) {
    try {
      const session = await ask(options, method, sessionMs, { sessionId, cwd: options.launch.cwd, mcpServers: [] });
      return { agentSessionId: sessionId, restored, session };
    } catch (error) {
      if (isAuthentication(error) || options.agent === null) throw error;
      options.log(`${method} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return null;
}

async function ask({ agent, clock, launch }: HandshakeOptions, method: string, ms: number, params: unknown): Promise<unknown> {
  return answerWithin({ clock, ms, late: `${launch.label} did not answer ${method} within ${String(ms / 1000)} seconds.` }, agent.request(method, params));
}

export const isAuthentication = (error: unknown): boolean => error instanceof RequestError && error.code === authenticationRequired;

/** The agent's own words, and its own ways to sign in. */
export function authenticationError(error: unknown, launch: AgentLaunch, methods: unknown): AttacheError {
  const words = error instanceof RequestError ? text(error.message, 2_000) : '';
  const ways = list(methods).map((entry) => {
    const { name, id, description } = fields(entry);
    const label = text(name, 200) || text(id, 200);
    const about = text(description, 500);
    return about === '' ? label : `${label} (${about})`;
  }).filter((way) => way !== '');
  return new AttacheError('agent_authentication_required', {
    message: `${launch.label} needs you to sign in${words === '' ? '' : `: ${words}`}`,
    ...(ways.length === 0 ? {} : { next: `Sign in with the agent’s own command, then restart the agent. It offers: ${ways.join('; ')}.` }),
  });
}

function asStartError(error: unknown, launch: AgentLaunch, methods: unknown): unknown {
  if (isAuthentication(error)) return authenticationError(error, launch, methods);
  if (error instanceof RequestError) return new AttacheError('execution_unavailable', { message: `${launch.label} could not open a conversation: ${text(error.message, 2_000)}` });
  return error;
}
