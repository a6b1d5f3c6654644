import fs from 'node:fs';
import path from 'node:path';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { repository } from '../repository.ts';
import { readProtocol, type Protocol } from './readProtocol.ts';
import { referencePage } from './referencePage.ts';

/** The generated files by their place in the repository. */
export function referenceFiles(protocol: Protocol = readProtocol()): Record<string, string> {
  return { 'docs/protocol.md': referencePage(protocol), 'docs/protocol.schema.json': `${JSON.stringify(jsonSchema(protocol), null, 2)}\n` };
}

/** Those that do not say what the schemas say now. */
export function driftedFiles(files = referenceFiles()): string[] {
  return Object.entries(files).filter(([name, text]) => !fs.existsSync(at(name)) || fs.readFileSync(at(name), 'utf8') !== text).map(([name]) => name);
}

export function writeReference(): string[] {
  const files = referenceFiles();
  const drifted = driftedFiles(files);
  for (const name of drifted) fs.writeFileSync(at(name), files[name] ?? '');
  return drifted;
}

const at = (name: string): string => path.join(repository, name);

function jsonSchema({ types, methods, notifications, clientNotifications }: Protocol): object {
  const byName = <T extends { readonly name: string }>(list: readonly T[]): [string, Omit<T, 'name'>][] => list.map(({ name, ...rest }) => [name, rest]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The Attaché gateway protocol, version 1',
    $comment: 'Written by npm run reference. Each of methods, notifications (of the gateway) and clientNotifications holds schemas; $defs has the named types.',
    methods: Object.fromEntries(byName(methods)),
    notifications: Object.fromEntries(byName(notifications)),
    clientNotifications: Object.fromEntries(byName(clientNotifications)),
    errors: Object.fromEntries(Object.entries(ERRORS).map(([kind, { code, retry, message, next }]) => [kind, { code, retry, message, next }])),
    limits: LIMITS,
    $defs: Object.fromEntries(types.map(({ name, schema }) => [name, schema])),
  };
}
