import { ErrorCodes, ResponseError, type Message } from 'vscode-jsonrpc/node';
import { AttacheError, type ErrorData } from '../../protocol/errors.ts';

/** Failures of the calling convention itself keep JSON-RPC's numbers; `kind` names them like every other failure. */
interface CallFailure {
  readonly kind: 'parse_error' | 'invalid_request' | 'server_not_initialized' | 'method_not_found' | 'invalid_params' | 'internal_error' | 'request_cancelled';
  readonly retry: 'never';
  readonly next: string;
}

/** LSP's own number for a request whose caller gave it up. */
const REQUEST_CANCELLED = -32800;
/** LSP's own number for a request before `initialize`. */
const SERVER_NOT_INITIALIZED = -32002;

const callFailure = (code: number, message: string, kind: CallFailure['kind'], next: string): ResponseError<CallFailure> =>
  new ResponseError(code, message, { kind, retry: 'never', next });

export const invalidParams = (message: string): ResponseError<CallFailure> =>
  callFailure(ErrorCodes.InvalidParams, message, 'invalid_params', 'This is a fault of the client: report it.');

export const methodNotFound = (method: string): ResponseError<CallFailure> =>
  callFailure(ErrorCodes.MethodNotFound, `The gateway knows no request “${method.slice(0, 100)}”.`, 'method_not_found', 'Update the client or the gateway.');

export const invalidRequest = (message: string): ResponseError<CallFailure> =>
  callFailure(ErrorCodes.InvalidRequest, message, 'invalid_request', 'This is a fault of the client: report it.');

export const serverNotInitialized = (): ResponseError<CallFailure> =>
  callFailure(SERVER_NOT_INITIALIZED, 'The client has not sent “initialize” yet.', 'server_not_initialized', 'Send “initialize” first.');

export const requestCancelled = (): ResponseError<CallFailure> =>
  callFailure(REQUEST_CANCELLED, 'The wait for this answer was given up.', 'request_cancelled', 'Nothing.');

export const internalError = (): ResponseError<CallFailure> =>
  callFailure(ErrorCodes.InternalError, 'The gateway could not carry that out.', 'internal_error', 'Run “Attaché: Doctor” and look at the gateway’s log.');

export const refusal = (error: AttacheError): ResponseError<ErrorData> => new ResponseError(error.code, error.message, error.data);

export const errorAnswer = (id: unknown, error: ResponseError<unknown>): unknown => ({
  jsonrpc: '2.0',
  id: typeof id === 'string' || typeof id === 'number' ? id : null,
  error: error.toJson(),
});

/** Said before a connection is closed whose stream cannot be read on. */
export const streamFailure = (tooLarge: boolean): unknown =>
  errorAnswer(null, tooLarge
    ? refusal(new AttacheError('too_large'))
    : callFailure(ErrorCodes.ParseError, 'The stream is not made of JSON-RPC messages.', 'parse_error', 'Open a new connection.'));

export const replyTooLarge = (message: Message): unknown => errorAnswer('id' in message ? message.id : null, refusal(new AttacheError('too_large')));
