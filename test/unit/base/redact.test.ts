import assert from 'node:assert/strict';
import { commandText } from '../../../src/runtime/commandText.ts';
import { redactSecrets, secretValues } from '../../../src/base/redact.ts';
import { toolCallKey } from '../../../src/runtime/toolCallKey.ts';
import { itemKey } from '../../../src/protocol/ids.ts';

describe('redactSecrets', () => {
  for (const [text, secret] of [
    ['PGPASSWORD=demo-123 psql', 'demo-123'],
    ['curl -H "Authorization: Bearer abc.def-123456" x', 'abc.def-123456'],
    ['{"apiKey": "qwertz-99"}', 'qwertz-99'],
    ['using sk-abcdefghijklmnop1234', 'sk-abcdefghijklmnop1234'],
    ['postgres://me:hunter2@host/db', 'hunter2'],
    ...([
      'mysql -u root -pdemo-123', 'mysql --password demo-123', 'curl -u me:demo-123 http://x', 'curl --user=me:demo-123 x', "curl -H 'X-Api-Key: demo-123'", 'curl -H "Authorization: Bearer demo-123"', 'curl -H "authorization: bearer demo-123"',
      'curl -H Authorization:\\ Bearer\\ demo-123', 'export TOKEN="a b c demo-123"', "PGPASSWORD='my demo-123' psql", 'Authorization: token demo-123', 'Authorization: ApiKey x:demo-123', 'gh auth login --with-token demo-123', 'docker login -p demo-123 r',
      'sshpass -p demo-123 ssh x', 'https://tok-demo-123@github.com/x', 'Cookie: session=x; id=demo-123', 'set PASS=demo-123', 'DB_PASS=demo-123', 'PASSPHRASE=demo-123', 'AWS_SECRET_ACCESS_KEY=demo-123', "tool --api-key 'x demo-123'", 'Set-Cookie: a=demo-123',
    ].map((text) => [text, 'demo-123'] as const)),
    ['PGPASSWORD=ab psql', 'ab'],
    ['Bearer abc', 'abc'],
    ['token: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc', 'eyJhbGciOiJIUzI1NiJ9'],
  ] as const) {
    it(`C35 takes the secret out of ${text}`, () => {
      assert.ok(!redactSecrets(text).includes(secret), redactSecrets(text));
    });
  }

  it('C35 takes out given values, wherever they are', () => {
    const env = { FAKE_KEY: 'open-sesame', HOME: '/root' };
    assert.deepEqual(secretValues(env), ['open-sesame']);
    assert.equal(redactSecrets('x open-sesame y /root', secretValues(env)), 'x [secret] y /root');
  });

  it('C35 takes out each of several, also behind a name that tells nothing', () => {
    assert.equal(redactSecrets('url=https://x.test/?token=abc123&key=def456 a=b=secret=ghi789'), 'url=https://x.test/?token=[secret]&key=[secret] a=b=secret=[secret]');
  });

  it('does not hold its process up, whatever a program prints: no text takes more than the time it needs to be read', () => {
    for (const piece of ['a.', 'a-', 'key=', 'key.', 'a', 'bearer ', 'a://', 'a://b:', 'sk-', 'secret "', 'a_key: ', ' ', 'key ', 'eyJ', 'token"\t', '-p ', ' -u a', '--key ', ' --key "', 'cookie: ', 'https://a1', 'bearer\\ ', "token='", 'mysql -p']) {
      assert.ok(redactSecrets(piece.repeat(30_000)).length > 0);
    }
  });

  it('leaves ordinary words alone', () => {
    for (const text of ['error: cannot read file /tmp/keyboard.ts (monkey 12)', 'listening with -p 8080 on http://localhost:3000/x', 'git clone ssh://git@github.com/x', 'npm test --bypass yes', 'a compass: north', 'basic use']) assert.equal(redactSecrets(text), text);
  });
});

describe('commandText', () => {
  it('quotes what a shell would take apart', () => {
    assert.equal(commandText(['/bin/bash', '-lc', "echo 'a b' && ls"]), String.raw`/bin/bash -lc 'echo '\''a b'\'' && ls'`);
  });
});

describe('toolCallKey', () => {
  it('is a key for every id', () => {
    for (const id of ['call_1', 'with space', 'ü', '', 'x'.repeat(5_000)]) assert.ok(itemKey.safeParse(toolCallKey(id)).success, id);
    assert.notEqual(toolCallKey('a b'), toolCallKey('a  b'));
  });
});
