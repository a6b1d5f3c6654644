import assert from 'node:assert/strict';
import type { ApprovalSubject } from '../../../src/protocol/approval/state.ts';
import type { GrantPattern } from '../../../src/protocol/grant/state.ts';
import { LIMITS } from '../../../src/protocol/limits.ts';
import { CoreHarness, refused, rejection, WORKSPACE, type Loose, type TestClient } from './support/coreHarness.ts';
import { command, commandItem, digestOf, hex, Story } from './support/story.ts';

type Subject = Loose<ApprovalSubject>;
type Pattern = Loose<GrantPattern>;

const words = (argv: string[], match: 'exact' | 'prefix' = 'exact', cwd = WORKSPACE): Pattern => ({ kind: 'command', match, argv, cwd });
const edit = (...paths: string[]): Subject => ({
  kind: 'edit', mode: 'hosted', changes: paths.map((path) => ({ path, label: path, before: null, after: digestOf('x'), added: 1, removed: 0, lines: [], linesCut: false })),
});
const file = (path: string): Pattern => ({ kind: 'edit', match: 'file', path });
const folder = (path: string): Pattern => ({ kind: 'edit', match: 'folder', path });
const tool = (toolKind: string): Subject => ({ kind: 'tool', toolKind, detail: '{}' });

describe('grants', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
    await story.run();
  });
  afterEach(() => gw.close());

  const ask = (subject: Subject, on = story) => on.ask(subject, { byRule: true });
  const remember = async (subject: Subject, pattern: Pattern, scope: 'session' | 'workspace' = 'workspace', by: TestClient = story.host) => {
    const { approvalId, actionDigest } = await story.ask(subject);
    return by.call('approval/decide', { commandId: by.command(), approvalId, actionDigest, optionId: 'allow', remember: { scope, pattern } });
  };
  const rules = async (by = story.host, more: { sessionId?: string; includeRevoked?: boolean } = {}) => (await by.call('grant/list', { workspace: WORKSPACE, ...more })).grants;
  const revoke = (grantId: string, by = story.host) => by.call('grant/revoke', { commandId: by.command(), grantId });
  const decidedBy = (approval: { readonly status: string; readonly decidedBy: { readonly by: string; readonly rule: string | null } | null }) => [approval.status, approval.decidedBy?.by, approval.decidedBy?.rule];
  const mode = (permissionMode: 'ask' | 'askAlways' | 'acceptEdits' | 'readOnly') => story.host.call('session/configure', { commandId: story.host.command(), sessionId: story.sessionId, changes: { permissionMode } });

  it('a permission that is remembered answers the next equal request at once, and the answer names it', async () => {
    const { approval, grant } = await remember(command('npm test'), words(['npm', 'test']));
    assert.ok(grant !== undefined);
    assert.deepEqual([approval.status, approval.decidedBy?.by, grant.approvalId, grant.createdBy, grant.uses], ['approved', 'client', approval.approvalId, { clientId: 'window of goal', windowId: 'window of goal', clientKind: 'editor' }, 0]);
    assert.deepEqual(gw.workspaceEvents().filter(({ type }) => type === 'grant.updated').length, 1);
    const asked = await ask(command('npm test'));
    assert.deepEqual([...decidedBy(asked), asked.optionId], ['approved', 'grant', grant.grantId, 'allow']);
    assert.deepEqual(gw.sessionEvents(story.sessionId).filter((event) => 'approval' in event && event.approval.approvalId === asked.approvalId).map(({ type }) => type), ['approval.requested', 'approval.updated']);
    assert.deepEqual((await rules()).map(({ grantId, uses, lastUsedAt }) => [grantId, uses, lastUsedAt]), [[grant.grantId, 1, gw.clock.now()]]);
    assert.equal(story.snapshot().session.pendingApprovals, 0);
    gw.restart();
    await story.reconnect();
    assert.equal((await ask(command('npm test'))).status, 'approved');
  });

  it('is made by nothing but a permission of this once or always, and with a pattern that covers what was shown', async () => {
    const pending = await story.ask(command('npm test'));
    const decide = (optionId: string, pattern: Pattern, approval = pending) => story.host.call('approval/decide', {
      commandId: story.host.command(), approvalId: approval.approvalId, actionDigest: approval.actionDigest, optionId, remember: { scope: 'workspace', pattern },
    });
    await refused(gw, 'grant_not_possible', () => decide('deny', words(['npm', 'test'])));
    await refused(gw, 'grant_not_possible', () => decide('allow', file(`${WORKSPACE}/a`)));
    for (const wide of [words(['npm', 'run']), words(['npm']), words(['npm', 'test'], 'exact', '/w'), words(['npm', 'test', 'x'], 'prefix')]) await refused(gw, 'grant_too_wide', () => decide('allow', wide));
    const question = await story.ask({ kind: 'question', detail: '?' });
    await refused(gw, 'grant_not_possible', () => decide('allow', words(['npm', 'test']), question));
    const secret = await story.ask(command('curl -H Authorization:abcdef123456 x'));
    await refused(gw, 'grant_not_possible', () => decide('allow', words(['curl', '-H', 'Authorization:abcdef123456', 'x']), secret));
    assert.deepEqual(await rules(), []);
  });

  it('one rule for the same thing: it is given back, also to a repeat of the command', async () => {
    const first = await remember(command('npm test'), words(['npm', 'test']));
    const again = await remember(command('npm test'), words(['npm', 'test']));
    assert.equal(again.grant?.grantId, first.grant?.grantId);
    const narrower = await remember(command('npm test'), words(['npm', 'test']), 'session');
    assert.notEqual(narrower.grant?.grantId, first.grant?.grantId);
    const pending = await story.ask(command('npm test'));
    const once = { commandId: 'once', approvalId: pending.approvalId, actionDigest: pending.actionDigest, optionId: 'allow', remember: { scope: 'workspace' as const, pattern: words(['npm', 'test'], 'prefix') } };
    assert.deepEqual(await story.host.call('approval/decide', once), await story.host.call('approval/decide', once));
    const late = await story.host.call('approval/decide', { ...once, commandId: 'twice', remember: { scope: 'workspace', pattern: words(['npm'], 'prefix') } });
    assert.deepEqual([late.outcome, late.grant, (await rules()).length], ['already', undefined, 3]);
  });

  it('a request that no rule may answer is asked about', async () => {
    await remember(command('npm test'), words(['npm', 'test']));
    assert.equal((await story.ask(command('npm test'))).status, 'pending');
    assert.equal((await story.ask(command('npm test'), { byRule: false })).status, 'pending');
    const always = [{ optionId: 'a', name: 'A', kind: 'allow_always' as const }, { optionId: 'n', name: 'N', kind: 'reject_once' as const }];
    assert.equal((await story.ask(command('npm test'), { byRule: true, options: always })).status, 'pending', 'what an agent stores for good is not chosen by a rule');
  });

  it('commands match by their words alone: every other form asks', async () => {
    await remember(command('npm run build'), words(['npm', 'run'], 'prefix'));
    for (const line of ['npm run build', 'npm run test -- --watch', "npm run 'a; b'"]) assert.equal((await ask(command(line))).status, 'approved', line);
    const others = ['npm run build && rm x', 'npm run build; rm x', 'npm run $(rm x)', 'npm run `rm x`', 'npm run build > f', 'npm run a\nrm x', 'A=b npm run build', 'npm run $X', 'npm run *', 'npm runner', 'npm'];
    for (const line of others) assert.equal((await ask(command(line))).status, 'pending', line);
    assert.equal((await ask({ ...command('npm run build'), cwd: `${WORKSPACE}/sub` } as Subject)).status, 'pending', 'another folder');
    assert.equal((await ask({ ...command('npm run build'), envNames: ['PATH'] } as Subject)).status, 'pending', 'a changed variable');
  });

  it('edits match by file or folder, all of them or none; never protected paths or what is outside', async () => {
    await remember(edit(`${WORKSPACE}/src/a.ts`), folder(`${WORKSPACE}/src`));
    await remember(edit(`${WORKSPACE}/README.md`), file(`${WORKSPACE}/README.md`));
    for (const paths of [['/src/b.ts'], ['/src/deep/c.ts', '/src/d.ts'], ['/README.md']]) assert.equal((await ask(edit(...paths.map((path) => WORKSPACE + path)))).status, 'approved', String(paths));
    const others = [['/src2/a.ts'], ['/src'], ['/README.md.bak'], ['/src/a.ts', '/README.md'], ['/src/a.ts', '/x'], ['/src/../x'], ['/src/.git/config'], ['/src/.GIT/hooks/x'], ['/src/.env'], ['/src/.env.local'], ['/src/.vscode/tasks.json'], ['/src/./a.ts'], ['/src//a.ts']];
    for (const paths of others) assert.equal((await ask(edit(...paths.map((path) => WORKSPACE + path)))).status, 'pending', String(paths));
    assert.equal((await ask(edit('/etc/passwd'))).status, 'pending');
  });

  it('no rule can be made for a protected path, the whole disk, or a folder that the edit is not in', async () => {
    for (const [path, pattern] of [['/.git/config', folder(`${WORKSPACE}/.git`)], ['/.env', file(`${WORKSPACE}/.env`)], ['/a', folder(`${WORKSPACE}/b`)], ['/a', file(`${WORKSPACE}/b`)]] as const) {
      assert.equal((await rejection(() => remember(edit(WORKSPACE + path), pattern))).kind, 'grant_too_wide', path);
    }
    assert.equal((await rejection(() => remember(edit('/etc/passwd'), folder('/')))).kind, 'grant_too_wide');
    for (const path of ['/', '/w', `${WORKSPACE}/../demo`, `${WORKSPACE}/`, 'demo', '']) assert.ok(['grant_too_wide', 'ZodError'].includes(await remember(edit(`${WORKSPACE}/a`), folder(path)).then(() => 'made', (error: Error & { kind?: string }) => error.kind ?? error.name)), path);
    await remember(edit(`${WORKSPACE}/a`), folder(WORKSPACE));
    assert.equal((await ask(edit('/etc/passwd'))).status, 'pending');
  });

  it('tools match by kind and exact title; what runs or writes unseen is never remembered', async () => {
    await remember(tool('fetch'), { kind: 'tool', toolKind: 'fetch', title: 'May I?' });
    assert.equal((await ask(tool('fetch'))).status, 'approved');
    assert.equal((await story.ask(tool('fetch'), { byRule: true, title: 'May I? ' })).status, 'pending');
    assert.equal((await ask(tool('other'))).status, 'pending');
    for (const kind of ['execute', 'Execute', 'edit', 'delete', 'move', 'switch_mode']) assert.equal((await rejection(() => remember(tool(kind), { kind: 'tool', toolKind: kind, title: 'May I?' }))).kind, 'grant_too_wide', kind);
  });

  it('counts for one agent in one folder, and one of a session for that session only', async () => {
    await remember(command('npm test'), words(['npm', 'test']), 'session');
    await remember(command('ls'), words(['ls']));
    const second = await Story.begin(gw, { hostSessionId: hex('second') });
    await second.run();
    assert.deepEqual([(await ask(command('npm test'), second)).status, (await ask(command('ls'), second)).status], ['pending', 'approved']);
    assert.deepEqual([(await rules(story.host, { sessionId: second.sessionId })).length, (await rules(story.host, { sessionId: story.sessionId })).length], [1, 2]);
    gw.store.run('UPDATE sessions SET agentId = ? WHERE sessionId = ?', 'another', second.sessionId);
    assert.equal((await ask(command('ls'), second)).status, 'pending');
    gw.store.run('UPDATE sessions SET agentId = ? WHERE sessionId = ?', 'offline', second.sessionId);
    gw.store.run('UPDATE grants SET workspace = ?', '/w/demo/sub');
    assert.equal((await ask(command('ls'), second)).status, 'pending', 'another folder');
  });

  it('never counts in an untrusted folder', async () => {
    await remember(command('ls'), words(['ls']));
    const { host } = story;
    story.host = gw.client(host.principal.clientId, 'editor', [{ path: WORKSPACE, trusted: false }]);
    await refused(gw, 'attached_session_host_mismatch', () => ask(command('ls')));
    Object.assign(host.principal, { workspaces: [{ path: WORKSPACE, trusted: false }] });
    story.host = host;
    await refused(gw, 'workspace_untrusted', () => ask(command('ls')));
  });

  it('revoked: nothing more is answered by it, and what it had allowed and has not begun does not begin', async () => {
    const { grant } = await remember(command('touch a.txt'), words(['touch', 'a.txt']));
    await story.report([commandItem('c'), commandItem('d')]);
    const [begun, late] = [await ask(command('touch a.txt')), await ask(command('touch a.txt'))];
    const begin = ({ approvalId, actionDigest }: typeof begun, itemKey: string) => story.report([{ op: 'effect.begin', itemKey, approvalId, actionDigest }]);
    await begin(begun, 'c');
    const { grant: revoked } = await revoke(grant?.grantId ?? '', gw.client('cli', 'cli'));
    assert.equal(revoked.revokedAt, gw.clock.now());
    assert.equal((await rejection(() => begin(late, 'd'))).kind, 'approval_required');
    assert.equal((await ask(command('touch a.txt'))).status, 'pending');
    assert.deepEqual([(await rules()).length, (await rules(story.host, { includeRevoked: true })).length], [0, 1]);
    const rows = gw.dump(['receipts']);
    assert.deepEqual((await revoke(grant?.grantId ?? '')).grant.revokedAt, revoked.revokedAt);
    assert.deepEqual(gw.dump(['receipts']), rows, 'revoking again changes nothing');
    await refused(gw, 'not_found', () => revoke(grant?.grantId ?? '', gw.client('foreign', 'cli', [{ path: '/w/other', trusted: true }])));
  });

  it('a rule that comes later answers nothing that is already waiting, and a person still may', async () => {
    const waiting = await ask(command('npm test'));
    const { grant } = await remember(command('npm test'), words(['npm', 'test']));
    assert.equal((await story.host.call('approval/get', { approvalId: waiting.approvalId })).approval.status, 'pending');
    await revoke(grant?.grantId ?? '');
    assert.deepEqual(decidedBy((await story.decide(waiting, 'deny')).approval), ['rejected', 'client', null]);
  });

  it('what a session remembers goes with it', async () => {
    await remember(command('npm test'), words(['npm', 'test']), 'session');
    await story.complete(story.snapshot().session.activeTurnId ?? '');
    await story.host.call('session/delete', { commandId: 'd', sessionId: story.sessionId });
    assert.deepEqual(await rules(story.host, { includeRevoked: true }), []);
    await gw.clock.advance(LIMITS.undeleteMs);
    await story.host.call('goal/create', { commandId: 'g', workspace: WORKSPACE, title: 'wakes the housekeeping' });
    await gw.clock.advance(1000);
    assert.deepEqual(gw.dump()['grants'], []);
  });

  it('a folder holds only so many', async () => {
    await remember(command('npm test'), words(['npm', 'test']));
    const row = gw.store.get<Record<string, string | number | null>>('SELECT * FROM grants') ?? {};
    for (let n = 1; n < LIMITS.grants; n++) gw.store.insert('grants', { ...row, grantId: `grt_${String(n).padStart(26, '0')}` });
    const pending = await story.ask(command('ls'));
    await refused(gw, 'grant_not_possible', () => story.host.call('approval/decide', {
      commandId: 'x', approvalId: pending.approvalId, actionDigest: pending.actionDigest, optionId: 'allow', remember: { scope: 'workspace', pattern: words(['ls']) },
    }));
    assert.equal((await rules()).length, LIMITS.grants);
  });

  describe('and the permission mode', () => {
    const auto = (optionId: string) => ({ auto: { optionId, rule: 'policy:attache.approvals.edit' } });

    it('readOnly refuses what may change something, whatever setting or grant allows it, also where the agent offers no refusal', async () => {
      await remember(command('ls'), words(['ls']));
      await mode('readOnly');
      for (const subject of [command('ls'), edit(`${WORKSPACE}/a`), tool('execute'), tool('other')]) {
        assert.deepEqual(decidedBy(await story.ask(subject, { byRule: true, ...auto('allow') })), ['rejected', 'mode', 'mode:readOnly'], subject.kind);
      }
      const only = [{ optionId: 'a', name: 'A', kind: 'allow_once' as const }, { optionId: 'never', name: 'N', kind: 'reject_always' as const }];
      const asked = await story.ask(command('ls'), { options: only });
      assert.deepEqual([asked.status, asked.optionId], ['rejected', null]);
      assert.equal((await rejection(() => story.decide(asked, 'a'))).kind, 'approval_closed');
      for (const kind of ['read', 'search', 'think', 'fetch']) assert.equal((await ask(tool(kind))).status, 'pending', kind);
      assert.equal((await ask({ kind: 'question', detail: '?' })).status, 'pending');
    });

    it('askAlways asks, whatever setting or grant allows it; a setting that refuses still does', async () => {
      await remember(command('ls'), words(['ls']));
      await mode('askAlways');
      assert.equal((await story.ask(command('ls'), { byRule: true, ...auto('allow') })).status, 'pending');
      assert.deepEqual(decidedBy(await story.ask(command('ls'), { byRule: true, ...auto('deny') })), ['rejected', 'policy', 'policy:attache.approvals.edit']);
    });

    it('acceptEdits allows edits inside of the folder, and asks about protected paths, commands and what no rule may answer', async () => {
      await mode('acceptEdits');
      assert.deepEqual(decidedBy(await ask(edit(`${WORKSPACE}/a`, `${WORKSPACE}/src/b`))), ['approved', 'mode', 'mode:acceptEdits']);
      for (const path of [`${WORKSPACE}/.env`, `${WORKSPACE}/.git/hooks/pre-commit`, '/etc/passwd']) assert.equal((await ask(edit(`${WORKSPACE}/a`, path))).status, 'pending', path);
      assert.equal((await story.ask(edit(`${WORKSPACE}/a`))).status, 'pending', 'a conflict');
      assert.equal((await ask(command('ls'))).status, 'pending');
      assert.deepEqual(decidedBy(await story.ask(edit(`${WORKSPACE}/a`), { byRule: true, ...auto('deny') })), ['rejected', 'policy', 'policy:attache.approvals.edit']);
    });

    it('ask, the default, keeps to settings and grants', async () => {
      assert.deepEqual(decidedBy(await story.ask(edit(`${WORKSPACE}/a`), auto('allow'))), ['approved', 'policy', 'policy:attache.approvals.edit']);
      assert.equal((await ask(edit(`${WORKSPACE}/a`))).status, 'pending');
    });

    it('what a rule has allowed does not begin once the mode forbids it; what a person allowed does', async () => {
      await story.report([commandItem('a'), commandItem('b'), commandItem('c')]);
      const byPerson = await story.ask(command('touch a.txt'));
      await story.decide(byPerson, 'allow');
      await remember(command('touch a.txt'), words(['touch', 'a.txt']));
      const [byGrant, byPolicy] = [await ask(command('touch a.txt')), await story.ask(command('touch a.txt'), auto('allow'))];
      await mode('askAlways');
      const begin = ({ approvalId, actionDigest }: typeof byPerson, itemKey: string) => story.reportAs(seq, [{ op: 'effect.begin', itemKey, approvalId, actionDigest }]);
      let seq = 2;
      for (const approval of [byGrant, byPolicy]) await refused(gw, 'approval_required', () => begin(approval, 'b'));
      await begin(byPerson, 'a');
      await mode('ask');
      seq = 3;
      await begin(byGrant, 'b');
    });
  });
});
