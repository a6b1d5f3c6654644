import * as zod from 'zod';

export type { infer, input } from 'zod';

/**
 * zod, put off: what is written here as a schema is only a plan until somebody asks something of it, and is made then, once, with all it is made of.
 * The protocol has some 1,750 schemas; a process uses a few of them, and making them all would be a third of its start.
 */
interface Plan {
  make: (() => object) | null;
  made: object | null;
}

const MADE = Symbol('made');

/** What gives one schema from another. Anything else is asked of the schema itself. */
const CHAINED: ReadonlySet<PropertyKey> = new Set(['brand', 'exclude', 'int', 'length', 'max', 'min', 'nonnegative', 'nullable', 'nullish', 'omit', 'optional', 'partial', 'pick', 'positive', 'regex', 'trim']);

let count = 0;

/** How many schemas have been made so far in this process. */
export const schemasMade = (): number => count;

const handler: ProxyHandler<Plan> = {
  get: (plan, name) => {
    if (name === MADE) return madeOf(plan);
    if (plan.made === null && CHAINED.has(name)) return (...args: unknown[]) => planned(() => ask(madeOf(plan), name, args));
    const value: unknown = Reflect.get(madeOf(plan), name);
    return typeof value === 'function' && name !== 'constructor' ? value.bind(plan.made) as unknown : value;
  },
  has: (plan, name) => Reflect.has(madeOf(plan), name),
  getPrototypeOf: (plan) => Reflect.getPrototypeOf(madeOf(plan)),
};

function madeOf(plan: Plan): object {
  if (plan.made !== null) return plan.made;
  count += 1;
  [plan.made, plan.make] = [plan.make?.() ?? {}, null];
  return plan.made;
}

const planned = (make: () => object): object => new Proxy<Plan>({ make, made: null }, handler);

const ask = (schema: object, name: PropertyKey, args: readonly unknown[]): object => (Reflect.get(schema, name) as (...args: unknown[]) => object).apply(schema, args.map(made));

/** The value with the schema itself in place of each plan in it. */
export function made<T>(value: T): T;
export function made(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const own = (value as { readonly [MADE]?: unknown })[MADE];
  if (own !== undefined) return own;
  if (Array.isArray(value)) return value.map(made);
  return Object.getPrototypeOf(value) === Object.prototype ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, made(each) as unknown])) : value;
}

function putOff<F extends (...args: never[]) => object>(make: F): F {
  return ((...args: unknown[]) => planned(() => (make as unknown as (...args: unknown[]) => object)(...args.map(made)))) as unknown as F;
}

export const string = putOff(zod.string);
export const number = putOff(zod.number);
export const boolean = putOff(zod.boolean);
export const unknown = putOff(zod.unknown);
export const literal = putOff(zod.literal);
const enumeration = putOff(zod.enum);
export { enumeration as enum };
export const array = putOff(zod.array);
export const tuple = putOff(zod.tuple);
export const record = putOff(zod.record);
export const object = putOff(zod.object);
export const strictObject = putOff(zod.strictObject);
export const union = putOff(zod.union);
export const discriminatedUnion = putOff(zod.discriminatedUnion);
