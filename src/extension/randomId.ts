import { randomBytes } from 'node:crypto';
import type { CommandId } from '../protocol/ids.ts';

/** 128 random bits in hex. */
export const randomHex = (): string => randomBytes(16).toString('hex');

/** Names one command of a person: a repeat under the same id is not done twice. */
export const newCommandId = (): CommandId => randomHex() as CommandId;
