import type { LogLevel, LogOutputChannel, ViewColumn, Event } from 'vscode';
import { inOneLine, told } from '../base/l10n.ts';
import type { Logger } from '../base/logger.ts';
import { AttacheError } from '../protocol/errors.ts';
import { redactSecrets } from '../base/redact.ts';

const readable = (value: unknown): string => (value instanceof Error ? (value.stack ?? value.message) : typeof value === 'string' ? value : JSON.stringify(value) ?? '');

/** Attaché's output channel. Nothing gets into it but through redaction, whoever writes. */
export class RedactingChannel implements LogOutputChannel, Logger {
  readonly #channel: LogOutputChannel;

  constructor(channel: LogOutputChannel) {
    this.#channel = channel;
  }

  get name(): string {
    return this.#channel.name;
  }

  get logLevel(): LogLevel {
    return this.#channel.logLevel;
  }

  get onDidChangeLogLevel(): Event<LogLevel> {
    return this.#channel.onDidChangeLogLevel;
  }

  trace(message: string, ...more: unknown[]): void {
    this.#channel.trace(line(message, more));
  }

  debug(message: string, ...more: unknown[]): void {
    this.#channel.debug(line(message, more));
  }

  info(message: string, ...more: unknown[]): void {
    this.#channel.info(line(message, more));
  }

  warn(message: string, ...more: unknown[]): void {
    this.#channel.warn(line(message, more));
  }

  error(message: string | Error, ...more: unknown[]): void {
    this.#channel.error(line(message, more));
  }

  append(text: string): void {
    this.#channel.append(redactSecrets(text));
  }

  appendLine(text: string): void {
    this.#channel.appendLine(redactSecrets(text));
  }

  replace(text: string): void {
    this.#channel.replace(redactSecrets(text));
  }

  clear(): void {
    this.#channel.clear();
  }

  show(column?: ViewColumn | boolean, preserveFocus?: boolean): void {
    this.#channel.show(typeof column === 'boolean' ? column : preserveFocus);
  }

  hide(): void {
    this.#channel.hide();
  }

  dispose(): void {
    this.#channel.dispose();
  }
}

const line = (message: string | Error, more: readonly unknown[]): string => redactSecrets([message, ...more].map(readable).join(' '));

/** For the log, in English. */
export const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** For people, in their language: what is wrong. */
export const describeToPeople = (error: unknown): string => told(describeError(error));

/** For people, in their language: what is wrong and, where it is known, the next step. */
export const explain = (error: unknown): string =>
  (error instanceof AttacheError ? inOneLine(told(error.message), told(error.data.next)) : describeToPeople(error));
