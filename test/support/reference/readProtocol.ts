import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as z from 'zod';
import { methods } from '../../../src/protocol/methods.ts';
import { made } from '../../../src/protocol/schema.ts';
import { clientNotifications } from '../../../src/protocol/subscription/clientNotifications.ts';
import { notifications } from '../../../src/protocol/subscription/notifications.ts';
import { repository } from '../repository.ts';
import { DocComments } from './docComments.ts';

/** The parts of JSON Schema that zod writes for this protocol. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly [more: string]: unknown;
}

export interface NamedType {
  readonly name: string;
  /** Relative to `src/protocol`. */
  readonly file: string;
  readonly schema: JsonSchema;
}

export interface Method {
  readonly name: string;
  readonly kind: 'query' | 'command' | 'host';
  readonly description: string;
  readonly params: JsonSchema;
  readonly result: JsonSchema;
}

export interface Notification {
  readonly name: string;
  readonly description: string;
  readonly params: JsonSchema;
}

export interface Protocol {
  readonly types: readonly NamedType[];
  readonly methods: readonly Method[];
  readonly notifications: readonly Notification[];
  /** What clients say without an answer. */
  readonly clientNotifications: readonly Notification[];
  commentAt(file: string, place: string): string | undefined;
}

/** Words between the extension and its page, and what stays inside of a process, are no part of the protocol. */
const PRIVATE = /^(panel|panelSchema)\.ts$/;

const load = createRequire(import.meta.url);

/** Reads every schema of `src/protocol` with the comments beside it. */
export function readProtocol(): Protocol {
  const root = path.join(repository, 'src/protocol');
  const files = fs.globSync('**/*.ts', { cwd: root }).map((file) => file.replaceAll('\\', '/')).filter((file) => !PRIVATE.test(file)).sort();
  const comments = new Map(files.map((file) => [file, new DocComments(file, fs.readFileSync(path.join(root, file), 'utf8'))]));
  const exported = files.map((file) => [file, load(path.join(root, file)) as Record<string, unknown>] as const);
  const schemas = new Schemas();
  for (const [file, names] of exported) for (const [name, value] of Object.entries(names)) if (value instanceof z.ZodType) schemas.name(value, name, file);
  const slot = (schema: z.ZodType, id: string): (() => JsonSchema) => schemas.slot(schema, id);
  const slots = Object.entries(methods).map(([name, { kind, params, result }]) => ({ name, kind, params: slot(params, `${name}#params`), result: slot(result, `${name}#result`) }));
  const words = (map: Readonly<Record<string, z.ZodType>>) => Object.entries(map).map(([name, params]) => ({ name, params: slot(params, `${name}#params`) }));
  const [said, heard] = [words(notifications), words(clientNotifications)];
  schemas.write();
  const placeOf = (name: string): { file: string; place: string } => placeOfEntry(exported, name);
  const described = (schema: JsonSchema, file: string, place: string): JsonSchema => describe(schema, place, (at) => comments.get(file)?.at(at));
  const explained = ({ name, params }: (typeof said)[number]): Notification => {
    const { file, place } = placeOf(name);
    return { name, description: comments.get(file)?.at(place) ?? '', params: described(params(), file, place) };
  };
  return {
    types: schemas.named().map(({ name, file, schema }) => ({ name, file, schema: described(schema, file, name) })),
    methods: slots.map(({ name, kind, params, result }) => {
      const { file, place } = placeOf(name);
      return { name, kind, description: comments.get(file)?.at(place) ?? '', params: described(params(), file, `${place}.params`), result: described(result(), file, `${place}.result`) };
    }),
    notifications: said.map(explained),
    clientNotifications: heard.map(explained),
    commentAt: (file, place) => comments.get(file)?.at(place),
  };
}

/** Which map of which file has a method or notification. */
function placeOfEntry(exported: readonly (readonly [string, Record<string, unknown>])[], name: string): { file: string; place: string } {
  for (const [file, names] of exported) {
    // `methods.ts` only collects the maps of the topics.
    if (file === 'methods.ts') continue;
    for (const [constant, value] of Object.entries(names)) {
      if (typeof value === 'object' && value !== null && !(value instanceof z.ZodType) && Object.hasOwn(value, name)) return { file, place: `${constant}.${name}` };
    }
  }
  throw new Error(`${name} is in no file of src/protocol`);
}

/** Turns schemas into JSON Schema together, so that they refer to each other by name. */
class Schemas {
  readonly #registry = z.registry<{ id: string }>();
  readonly #named = new Map<string, string>();
  #written: Readonly<Record<string, JsonSchema>> = {};

  name(planned: z.ZodType, name: string, file: string): void {
    const schema = made(planned);
    const other = this.#registry.get(schema)?.id;
    if (other !== undefined) throw new Error(`${name} in src/protocol/${file} is the very schema that is called ${other}: make it one of its own`);
    if (this.#named.has(name)) throw new Error(`two files of src/protocol export ${name}: ${this.#named.get(name) ?? ''} and ${file}`);
    this.#named.set(name, file);
    this.#registry.add(schema, { id: name });
  }

  /** The schema of one place of a method: a reference when it has a name of its own. */
  slot(planned: z.ZodType, id: string): () => JsonSchema {
    const schema = made(planned);
    const known = this.#registry.get(schema)?.id;
    if (known === undefined) this.#registry.add(schema, { id });
    const own = known ?? id;
    return () => (this.#named.has(own) ? { $ref: refTo(own) } : this.#of(own));
  }

  write(): void {
    const { schemas } = z.toJSONSchema(this.#registry, { io: 'input', uri: refTo }) as unknown as { schemas: Record<string, JsonSchema> };
    this.#written = schemas;
  }

  named(): NamedType[] {
    return [...this.#named].map(([name, file]) => ({ name, file, schema: this.#of(name) }));
  }

  #of(id: string): JsonSchema {
    const { $schema, $id, id: own, ...schema } = this.#written[id] ?? {};
    return schema;
  }
}

const refTo = (id: string): string => `#/$defs/${id}`;

/** Puts the comments into the schema, place by place. */
function describe(schema: JsonSchema, place: string, commentAt: (place: string) => string | undefined, isOwn = true): JsonSchema {
  const description = isOwn ? commentAt(place) : undefined;
  const inner = (value: JsonSchema, at: string, own = true): JsonSchema => describe(value, at, commentAt, own);
  const list = (values: readonly JsonSchema[]): JsonSchema[] => values.map((value, index) => inner(value, values.some(isNull) ? place : `${place}|${index}`, !values.some(isNull)));
  return {
    ...bounded(schema),
    ...(description === undefined ? {} : { description }),
    ...(schema.properties === undefined ? {} : { properties: Object.fromEntries(Object.entries(schema.properties).map(([name, value]) => [name, inner(value, `${place}.${name}`)])) }),
    ...(schema.items === undefined ? {} : { items: inner(schema.items, place, false) }),
    ...(schema.anyOf === undefined ? {} : { anyOf: list(schema.anyOf) }),
    ...(schema.oneOf === undefined ? {} : { oneOf: list(schema.oneOf) }),
    ...(typeof schema.additionalProperties === 'object' ? { additionalProperties: inner(schema.additionalProperties, place, false) } : {}),
  };
}

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** Every integer is a safe one; saying so in each place hides the bounds that mean something. */
function bounded(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(typeof minimum === 'number' && minimum !== Number.MIN_SAFE_INTEGER ? { minimum } : {}),
    ...(typeof maximum === 'number' && maximum !== Number.MAX_SAFE_INTEGER ? { maximum } : {}),
  };
}
