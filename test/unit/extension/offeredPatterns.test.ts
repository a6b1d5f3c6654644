import assert from 'node:assert/strict';
import { offeredPatterns, type OfferFacts } from '../../../src/extension/grants/offeredPatterns.ts';
import { patternMeaning, patternText } from '../../../src/extension/grants/grantWords.ts';
import type { Approval, ApprovalSubject } from '../../../src/protocol/approval/state.ts';
import type { Digest } from '../../../src/protocol/ids.ts';
import type { FileChange } from '../../../src/protocol/item/state.ts';

const FACTS: OfferFacts = { workspace: '/w', permissionMode: 'ask', trusted: true, shell: 'posix' };
const ONCE: Approval['options'] = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
const command = (line: string, envNames: string[] = []): ApprovalSubject => ({ kind: 'command', command: line, cwd: '/w', envNames });
const change = (path: string): FileChange => ({ path, label: path, before: null, after: '0'.repeat(64) as Digest, added: 1, removed: 0, lines: [], linesCut: false });
const edit = (...paths: string[]): ApprovalSubject => ({ kind: 'edit', mode: 'hosted', changes: paths.map(change) });

function offers(subject: ApprovalSubject, facts: Partial<OfferFacts> = {}, options = ONCE): string[] | string {
  const offered = offeredPatterns({ subject, options, title: 'Title' }, { ...FACTS, ...facts });
  return 'why' in offered ? offered.why : offered.patterns.map((pattern) => `${patternText(pattern, '/w')}: ${patternMeaning(pattern)}`);
}

describe('rules that are offered', () => {
  it('state the words of a simple command, the narrowest first', () => {
    assert.deepEqual(offers(command('npm test')), ['npm test: Runs exactly these words, in /w', 'npm test …: Runs these words and whatever words follow them, in /w']);
    assert.deepEqual(offers(command('python x.py')), ['python x.py: Runs exactly these words, in /w']);
  });

  it('are none for what does not say what will run, with the reason', () => {
    for (const line of ['a && b', 'a; b', 'a | b', 'echo $(id)', 'echo `id`', 'a > b', 'X=1 a', 'a\nb', 'ls *']) assert.match(String(offers(command(line))), /chains, substitutes, redirects/, line);
    assert.match(String(offers(command('npm test', ['PATH']))), /changes variables \(PATH\)/);
    assert.match(String(offers(command('npm test'), { shell: 'windows' })), /Windows/);
    assert.match(String(offers({ kind: 'tool', toolKind: 'execute', detail: '' })), /does not say exactly/);
    assert.match(String(offers({ kind: 'plan', detail: '' })), /what you want/);
  });

  it('state the file or its folder of an edit, never the whole workspace, a protected file or one outside', () => {
    assert.deepEqual(offers(edit('/w/src/a.ts')), ['src/a.ts: Edits this one file: /w/src/a.ts', 'src/…: Edits every file below /w/src']);
    assert.deepEqual(offers(edit('/w/a.ts')), ['a.ts: Edits this one file: /w/a.ts']);
    assert.deepEqual(offers(edit('/w/src/a.ts', '/w/src/deep/b.ts')), ['src/…: Edits every file below /w/src']);
    assert.match(String(offers(edit('/w/src/a.ts', '/w/b.ts'))), /permission mode/);
    for (const path of ['/w/.git/config', '/w/.vscode/settings.json', '/w/.env.local']) assert.match(String(offers(edit(path))), /person decides/, path);
    assert.match(String(offers(edit('/other/a.ts'))), /outside/);
  });

  it('are none in a folder that is not trusted, in a session that always asks, and where nothing is allowed just once', () => {
    assert.match(String(offers(command('npm test'), { trusted: false })), /not trusted/);
    assert.match(String(offers(command('npm test'), { permissionMode: 'askAlways' })), /always asks/);
    assert.match(String(offers(command('npm test'), {}, [{ optionId: 'a', name: 'Always', kind: 'allow_always' }])), /just this once/);
  });
});
