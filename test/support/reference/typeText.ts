import type { JsonSchema } from './readProtocol.ts';

/** A field or a variant as one row: `data.kind`, its type, what is said about it. */
export interface Row {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** A schema in a few words, with links to the types that have names. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return link(nameOf(schema.$ref));
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.map(typeText).join(' or ');
  if (schema.type === 'array') return arrayText(schema);
  if (schema.type === 'object') return objectText(schema);
  return schema.type === undefined ? 'anything' : `${schema.type}${bounds(schema)}`;
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

export const link = (name: string): string => `[${name}](#${name.toLowerCase()})`;

const code = (text: string): string => `\`${text}\``;

function arrayText(schema: JsonSchema): string {
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeText).join(', ')}]`;
  return `list of ${schema.items === undefined ? 'anything' : typeText(schema.items)}${span(schema['minItems'], schema['maxItems'])}`;
}

function objectText({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  if (typeof additionalProperties === 'object') return `map of ${typeText(additionalProperties)}`;
  const fields = Object.entries(properties).map(([name, value]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(value)}`);
  return `{ ${fields.join(', ')} }`;
}

function bounds(schema: JsonSchema): string {
  if (typeof schema['pattern'] === 'string') return ` ${code(schema['pattern'].replaceAll('|', '\\|'))}`;
  if (schema.type === 'string') return span(schema['minLength'], schema['maxLength'], ' chars');
  const above = schema['exclusiveMinimum'];
  return span(typeof above === 'number' ? above + 1 : schema['minimum'], schema['maximum']);
}

function span(from: unknown, to: unknown, unit = ''): string {
  if (typeof from === 'number' && typeof to === 'number') return ` (${from} to ${to}${unit})`;
  if (typeof to === 'number') return ` (at most ${to}${unit})`;
  return typeof from === 'number' && from > 0 ? ` (at least ${from}${unit})` : '';
}

/** The fields of an object, those of objects within it below them; of a union first what its variants share, then each by what tells it apart. */
export function rowsOf(schema: JsonSchema, textOf: (type: string) => string | undefined = () => undefined): Row[] {
  const variants = schema.oneOf ?? (schema.anyOf?.some(({ properties }) => properties !== undefined) === true ? schema.anyOf : undefined);
  if (variants !== undefined) return unionRows(variants, textOf);
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => fieldRows({ name, value, required: isRequired(schema, name), textOf }));
}

const isRequired = ({ required }: JsonSchema, name: string): boolean => required?.includes(name) === true;

interface Field {
  readonly name: string;
  readonly value: JsonSchema;
  readonly required: boolean;
  readonly textOf: (type: string) => string | undefined;
}

function fieldRows({ name, value, required, textOf }: Field): Row[] {
  const text = value.description ?? (value.$ref === undefined ? undefined : textOf(nameOf(value.$ref))) ?? '';
  const own = { name: `${name}${required ? '' : '?'}`, text };
  const [object, suffix] = value.type === 'array' && value.items !== undefined ? [value.items, '[]'] : [value, ''];
  if (object.properties === undefined || Object.keys(object.properties).length === 0) return [{ ...own, type: typeText(value) }];
  const inner = rowsOf(object, textOf).map((row) => ({ ...row, name: `${name}${suffix}.${row.name}` }));
  return [{ ...own, type: suffix === '' ? 'object' : `list of objects${span(value['minItems'], value['maxItems'])}` }, ...inner];
}

function unionRows(variants: readonly JsonSchema[], textOf: Field['textOf']): Row[] {
  const [first = {}] = variants;
  const names = Object.keys(first.properties ?? {});
  const schemaOf = (variant: JsonSchema, name: string): string => JSON.stringify([variant.properties?.[name], isRequired(variant, name)]);
  const shared = new Set(names.filter((name) => variants.every((variant) => schemaOf(variant, name) === schemaOf(first, name))));
  const tag = names.find((name) => new Set(variants.map((variant) => variant.properties?.[name]?.const)).size === variants.length && variants.every((variant) => variant.properties?.[name]?.const !== undefined));
  const common = names.filter((name) => shared.has(name)).flatMap((name) => fieldRows({ name, value: first.properties?.[name] ?? {}, required: isRequired(first, name), textOf }));
  return [...common, ...variants.map((variant) => variantRow(variant, tag, shared))];
}

function variantRow(variant: JsonSchema, tag: string | undefined, shared: ReadonlySet<string>): Row {
  if (variant.properties === undefined) return { name: '', type: typeText(variant), text: variant.description ?? '' };
  const fields = Object.entries(variant.properties).filter(([name]) => name !== tag && !shared.has(name));
  const type = fields.map(([name, value]) => `${name}${isRequired(variant, name) ? '' : '?'}: ${typeText(value)}`).join(', ');
  const name = tag === undefined ? '' : `${tag}${isRequired(variant, tag) ? '' : '?'} = ${JSON.stringify(variant.properties[tag]?.const)}`;
  return { name, type: tag === undefined && type !== '' ? `either { ${type} }` : type, text: withNotes(variant, fields) };
}

/** Notes on fields of a variant have no row of their own. */
function withNotes(variant: JsonSchema, fields: readonly (readonly [string, JsonSchema])[]): string {
  const notes = fields.filter(([, value]) => value.description !== undefined).map(([name, value]) => `${code(name)}: ${value.description ?? ''}`);
  return [variant.description, ...notes].filter((text) => text !== undefined).join(' ');
}
