import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ERRORS } from '../../../src/protocol/errors.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { methods } from '../../../src/protocol/methods.ts';
import { sessionEvent, workspaceEvent } from '../../../src/protocol/subscription/events.ts';
import { clientNotifications } from '../../../src/protocol/subscription/clientNotifications.ts';
import { notifications } from '../../../src/protocol/subscription/notifications.ts';
import { raisedErrorKinds, reservedErrorKinds } from '../../support/reference/errorKinds.ts';
import { readProtocol, type JsonSchema, type Protocol } from '../../support/reference/readProtocol.ts';
import { driftedFiles, referenceFiles } from '../../support/reference/reference.ts';
import { repository } from '../../support/repository.ts';

const headings = (page: string): string[] => [...page.matchAll(/^### (\S+)$/gm)].map(([, name = '']) => name);
const sorted = (names: Iterable<string>): string[] => [...names].sort();
const eventTypes = (): string[] => [sessionEvent, workspaceEvent].flatMap(({ options }) => options.map(({ shape }) => shape.type.value));

describe('the protocol reference', () => {
  let protocol: Protocol;
  let page: string;
  let schema: { readonly methods: object; readonly notifications: object; readonly clientNotifications: object; readonly errors: object; readonly limits: object; readonly $defs: Record<string, JsonSchema> };
  before(() => {
    protocol = readProtocol();
    page = fs.readFileSync(path.join(repository, 'docs/protocol.md'), 'utf8');
    schema = JSON.parse(fs.readFileSync(path.join(repository, 'docs/protocol.schema.json'), 'utf8')) as typeof schema;
  });

  it('B19 says what the schemas say: else run "npm run reference" and commit docs/protocol.md and docs/protocol.schema.json', () => {
    assert.deepEqual(driftedFiles(referenceFiles(protocol)), []);
  });

  it('B19 has every registered name, and no other', () => {
    const types = protocol.types.map(({ name }) => name);
    const messages = [methods, notifications, clientNotifications].flatMap((words) => Object.keys(words));
    assert.deepEqual(sorted(headings(page).filter((name) => name.includes('/'))), sorted(messages));
    for (const name of headings(page).filter((heading) => !heading.includes('/') && !/^\d\dxx$|^JSON-RPC$/.test(heading))) assert.ok(types.includes(name), name);
    for (const name of types.filter((type) => !/^lsp.*Params$/.test(type))) assert.ok(page.includes(`### ${name}\n`) || page.includes(`<a id="${name.toLowerCase()}">`), name);
    assert.deepEqual(sorted(new Set([...page.matchAll(/^\| `type = "([^"]+)"`/gm)].map(([, type = '']) => type))), sorted(new Set(eventTypes())));
    assert.deepEqual(sorted([...page.matchAll(/^\| \d{4} \| `([a-z_]+)`/gm)].map(([, kind = '']) => kind)), sorted(Object.keys(ERRORS)));
    assert.deepEqual(sorted([...page.slice(page.indexOf('## Limits')).matchAll(/^\| `(\w+)` \| \d+ \|/gm)].map(([, name = '']) => name)), sorted(Object.keys(LIMITS)));
    const words = [[schema.methods, methods], [schema.notifications, notifications], [schema.clientNotifications, clientNotifications]] as const;
    for (const [written, registered] of words) assert.deepEqual(sorted(Object.keys(written)), sorted(Object.keys(registered)));
    assert.deepEqual([sorted(Object.keys(schema.errors)), sorted(Object.keys(schema.limits)), sorted(Object.keys(schema.$defs))], [sorted(Object.keys(ERRORS)), sorted(Object.keys(LIMITS)), sorted(types)]);
  });

  it('explains every method, notification and type', () => {
    const silent = [...protocol.methods, ...protocol.notifications, ...protocol.clientNotifications].filter(({ description }) => description === '').map(({ name }) => name);
    assert.deepEqual(silent, [], 'each needs a doc comment of one sentence in src/protocol');
    assert.deepEqual(protocol.types.filter(({ schema: { description } }) => description === undefined).map(({ name }) => name), []);
  });

  it('leads nowhere into the void', () => {
    const anchors = new Set([...headings(page).map((name) => name.toLowerCase()), ...[...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
    assert.deepEqual([...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, to = '']) => to).filter((to) => !anchors.has(to)), []);
    const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name);
    assert.ok(refs.length > 100);
    assert.deepEqual(refs.filter((name) => schema.$defs[name] === undefined), []);
  });

  it('is JSON Schema that says the same as the schemas it comes from', () => {
    const { $defs } = schema;
    const back = (name: string): z.ZodType => z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs } as Parameters<typeof z.fromJSONSchema>[0]);
    const location = back('fileLocation');
    assert.equal(location.safeParse({ path: '/a', line: 3 }).success, true);
    assert.equal(location.safeParse({ path: '/a', line: -1 }).success, false);
    assert.equal(location.safeParse({ path: '/a', more: 1 }).success, false);
    assert.equal(back('sessionId').safeParse(`ses_${'0'.repeat(26)}`).success, true);
    assert.equal(back('sessionId').safeParse(`trn_${'0'.repeat(26)}`).success, false);
    const change = { type: 'item.delta', seq: 1, at: 1, causedBy: { clientId: 'c' }, itemId: `itm_${'0'.repeat(26)}`, turnId: `trn_${'0'.repeat(26)}`, rev: 1, offset: 0, text: 'x' };
    assert.equal(back('sessionEvent').safeParse(change).success, true);
    assert.equal(back('sessionEvent').safeParse({ ...change, seq: 0 }).success, false);
  });
});

describe('the catalogue of errors', () => {
  it('B19 has every kind that is raised, and every kind of it is raised somewhere or is marked', () => {
    const raised = raisedErrorKinds();
    assert.ok(raised.size > 50);
    assert.deepEqual(sorted(Object.keys(ERRORS)).filter((kind) => !raised.has(kind) && !reservedErrorKinds.has(kind)), [], 'nothing in src raises these');
    assert.deepEqual(sorted(reservedErrorKinds).filter((kind) => raised.has(kind) || !Object.hasOwn(ERRORS, kind)), [], 'marked without need');
  });

  it('gives each condition a number of its own', () => {
    const codes = Object.values(ERRORS).map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length);
  });
});
