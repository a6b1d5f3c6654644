import assert from 'node:assert/strict';
import { RedactingChannel } from '../../../src/extension/log.ts';

const SECRET = 'demo-123-secret';
const TEXT = `PGPASSWORD=${SECRET} psql`;

/** A channel that keeps what gets through. The editor's own cannot be read back. */
function recording(): { readonly channel: RedactingChannel; readonly lines: string[] } {
  const lines: string[] = [];
  const take = (name: string) => (text: string) => void lines.push(`${name} ${text}`);
  const names = ['trace', 'debug', 'info', 'warn', 'error', 'append', 'appendLine', 'replace'] as const;
  const given = Object.fromEntries(names.map((name) => [name, take(name)])) as unknown as ConstructorParameters<typeof RedactingChannel>[0];
  return { channel: new RedactingChannel(given), lines };
}

describe('the output channel', () => {
  it('C35 lets no secret through, by whichever of its ways it is written', () => {
    const { channel, lines } = recording();
    for (const way of ['trace', 'debug', 'info', 'warn', 'error', 'append', 'appendLine', 'replace'] as const) channel[way](TEXT);
    assert.deepEqual(lines, ['trace', 'debug', 'info', 'warn', 'error', 'append', 'appendLine', 'replace'].map((way) => `${way} PGPASSWORD=[secret] psql`));
  });

  it('C35 nor in what is written along with a line: errors with their stack, objects, and what stands in two parts', () => {
    const { channel, lines } = recording();
    channel.error(new Error(TEXT));
    channel.warn('failed:', new Error(TEXT), { token: SECRET, nested: [{ apiKey: SECRET }] }, 7);
    channel.info('password:', SECRET);
    assert.doesNotMatch(lines.join('\n'), new RegExp(SECRET));
    assert.match(lines[0]!, /^error Error: PGPASSWORD=\[secret\] psql\n {4}at /);
    assert.match(lines[1]!, /^warn failed: Error: .*[^]*\{"token":\[secret\].* 7$/);
    assert.equal(lines[2], 'info password: [secret]');
  });
});
