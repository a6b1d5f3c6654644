import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as zod from 'zod';
import * as z from '../../../src/protocol/schema.ts';
import { repository } from '../../support/repository.ts';

const counted = (): { schema: ReturnType<typeof z.strictObject>; made: () => number } => {
  let made = 0;
  return {
    schema: z.strictObject({
      get key() {
        made += 1;
        return z.string().max(3).optional();
      },
    }),
    made: () => made,
  };
};

describe('schemas that are put off', () => {
  it('are made once, with the first question', () => {
    const { schema, made } = counted();
    const list = z.array(schema).min(1).max(2);
    assert.equal(made(), 0, 'nobody has asked for anything');
    assert.deepEqual(list.parse([{ key: 'abc' }]), [{ key: 'abc' }]);
    for (const wrong of [[], [{}, {}, {}], [{ key: 'abcd' }], [{ other: 1 }], {}]) assert.equal(list.safeParse(wrong).success, false);
    assert.ok(schema instanceof zod.ZodObject);
    assert.equal(made(), 1);
  });

  it('are the very ones that others are made of', () => {
    const part = z.literal(['one', 'two']);
    const whole = z.strictObject({ part, more: z.record(z.string(), part.nullable()) });
    assert.equal(whole.shape.part, z.made(part));
    assert.deepEqual([...whole.shape.part.values], ['one', 'two']);
    assert.deepEqual(whole.parse({ part: 'one', more: { a: null } }), { part: 'one', more: { a: null } });
  });

  it('are hardly made by loading the gateway', () => {
    const load = `await import('./src/gateway/createCore.ts'); await import('./src/gateway/process/runGateway.ts'); process.stdout.write(String((await import('./src/protocol/schema.ts')).schemasMade()))`;
    const made = Number(execFileSync(process.execPath, ['--input-type=module', '-e', load], { cwd: repository }).toString());
    assert.ok(made < 20, `${made} of them were made before anybody asked for one: which module does at its top level?`);
  });

  it('are all that the protocol is made of', () => {
    const own = fs.globSync('src/protocol/**/*.ts', { cwd: repository }).filter((file) => /from 'zod/.test(fs.readFileSync(path.join(repository, file), 'utf8')));
    assert.deepEqual(own.map((file) => file.replaceAll('\\', '/')), ['src/protocol/schema.ts']);
  });
});
