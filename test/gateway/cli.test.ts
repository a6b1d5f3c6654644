import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Approval } from '../../src/protocol/approval/state.ts';
import type { Goal } from '../../src/protocol/goal/state.ts';
import type { SearchHit } from '../../src/protocol/session/commands.ts';
import type { Session } from '../../src/protocol/session/state.ts';
import type { Turn } from '../../src/protocol/turn/state.ts';
import { CliRun, type CliRunOptions } from '../support/cliRun.ts';
import { eventually } from '../support/eventually.ts';
import { GatewayHarness } from '../support/gatewayHarness.ts';
import type { TestClient } from '../support/testClient.ts';
import { key, startCommand, startMessage, submit, TestHost } from '../support/testHost.ts';

describe('attache, the command line', () => {
  let gateway: GatewayHarness;
  let editor: TestClient;
  let host: TestHost;
  let folder: string;
  let count = 0;
  before(async () => {
    gateway = await GatewayHarness.start();
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    folder = gateway.folder(`work-${++count}`);
    editor = await gateway.client({ folders: [folder] });
    host = await TestHost.start(editor, { workspace: folder });
  });
  afterEach(() => editor.close());

  const cli = (args: readonly string[], options: Partial<CliRunOptions> = {}): CliRun => new CliRun(args, { dataRoot: gateway.dataRoot, cwd: folder, ...options });
  const snapshot = async () => (await editor.call('session/get', { sessionId: host.sessionId })).snapshot;
  const shortName = (): string => host.sessionId.slice(-8);
  async function asked(command = 'make'): Promise<Approval> {
    await submit(editor, host.sessionId, 'work');
    await host.claim();
    await host.report(startMessage('m'), startCommand('c', command, folder));
    return host.ask(command, key('c'));
  }

  it('a message sent from it runs in the window that hosts the session, once for each key, also from stdin', async () => {
    const sent = await cli(['send', shortName(), 'fix', 'the', 'cart', '--key', 'one']).json<{ created: boolean; turn: Turn }>();
    assert.deepEqual([sent.created, sent.turn.text, sent.turn.origin, sent.turn.state], [true, 'fix the cart', 'cli', 'queued']);
    assert.equal((await host.claim())?.turnId, sent.turn.turnId);
    await host.complete('done');
    const again = await cli(['send', shortName(), 'fix the cart', '--key', 'one']).json<{ created: boolean; turn: Turn }>();
    assert.deepEqual([again.created, again.turn.turnId, again.turn.state], [false, sent.turn.turnId, 'completed']);
    await cli(['send', shortName(), 'something else', '--key', 'one']).fails(1, 'idempotency_conflict');
    const piped = await cli(['send', shortName(), '-'], { stdin: 'line one\nline two\n' }).json<{ turn: Turn }>();
    assert.equal(piped.turn.text, 'line one\nline two');
    await cli(['send', shortName(), '  ']).fails(2, 'usage');
    await cli(['send', shortName(), 'x', '--no-queue']).fails(1, 'turn_in_progress');
    assert.equal((await snapshot()).turns.length, 2);
  });

  it('--wait shows the turn to its end; what did not complete has its own exit code', async () => {
    const run = cli(['send', shortName(), 'work', '--wait']);
    await eventually('it is queued', async () => (await snapshot()).turns.length === 1);
    await host.claim();
    await host.report(startMessage('m', 'half '), { op: 'item.delta', itemKey: key('m'), text: 'whole' });
    await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } });
    assert.equal(await run.done, 0);
    const lines = run.lines<{ type: string; answer?: string; turn?: Turn }>();
    assert.deepEqual([lines.at(-2)?.type, lines.at(-1)?.type, lines.at(-1)?.answer, lines.at(-1)?.turn?.state], ['turn.ended', 'end', 'half whole', 'completed']);
    const failing = cli(['send', shortName(), 'work', '--wait'], { terminal: true });
    await eventually('it is queued', async () => (await snapshot()).turns.length === 2);
    await host.claim();
    await host.complete({ outcome: 'failed', code: 'execution_unavailable', message: 'the agent died', next: 'Restart it.' });
    assert.equal(await failing.done, 5);
    assert.match(failing.stdout, /failed.*the agent died/);
    const retried = await cli(['retry', shortName()]).json<{ turn: Turn }>();
    assert.deepEqual([retried.turn.origin, retried.turn.state], ['retry', 'queued']);
  });

  it('Ctrl+C ends only the wait, and says so', async () => {
    const run = cli(['send', shortName(), 'work', '--wait'], { terminal: true });
    await run.shows(/› work/);
    await host.claim();
    run.interrupt();
    assert.equal(await run.done, 130);
    assert.match(run.stderr, /Stopped waiting; the turn goes on\..*attache stop/);
    assert.equal((await host.renew()).turnState, 'running');
    await host.complete('later');
  });

  it('an approval raised in the window is answered here: shown exactly, asked, decided once', async () => {
    const approval = await asked('rm -rf build\u001b[2K\u200b && make');
    const listed = cli(['approvals'], { terminal: true });
    assert.equal(await listed.done, 0);
    assert.match(listed.stdout, new RegExp(approval.approvalId.slice(-6)));
    const no = cli(['approve', approval.approvalId.slice(-6)], { terminal: true });
    await no.shows(/Answer “Allow”\?/);
    assert.match(no.stdout, /rm -rf build␛\[2K\\u\{200b\} && make/);
    assert.ok(no.stdout.includes(folder));
    no.type('n\n');
    assert.equal(await no.done, 1);
    assert.match(no.stderr, /\[not_confirmed\]/);
    const yes = cli(['approve', approval.approvalId.slice(-6)], { terminal: true });
    // Typed before the question was there: no answer to it.
    yes.type('y\n');
    await yes.shows(/Answer “Allow”\?/);
    assert.equal((await editor.call('approval/get', { approvalId: approval.approvalId })).approval.status, 'pending');
    yes.type('y\n');
    assert.equal(await yes.done, 0);
    const { approval: decided } = await editor.call('approval/get', { approvalId: approval.approvalId });
    assert.deepEqual([decided.status, decided.optionId, decided.decidedBy?.by, decided.decidedBy?.clientKind], ['approved', 'yes', 'client', 'cli']);
    assert.equal((await cli(['approve', approval.approvalId]).json<{ outcome: string }>()).outcome, 'already');
    await cli(['reject', approval.approvalId]).fails(1, 'approval_already_decided');
    await host.complete('done');
  });

  it('without a terminal an approval needs --yes, a rejection does not; what the agent does not offer is refused with what it offers', async () => {
    const approval = await asked();
    await cli(['approve', approval.approvalId.slice(-6)]).fails(2, 'confirmation_needed');
    assert.match((await cli(['approve', approval.approvalId, '--option', 'maybe', '--yes']).fails(2, 'option_needed')).next, /yes \(Allow\), no \(Reject\)/);
    const { approval: rejected } = await cli(['reject', approval.approvalId, '--comment', 'not now']).json<{ approval: Approval }>();
    assert.deepEqual([rejected.status, rejected.comment], ['rejected', 'not now']);
    const second = await host.ask('make again');
    await cli(['approve', second.approvalId, '--yes']).json();
    assert.deepEqual((await cli(['approvals', '--all']).json<{ approvals: Approval[] }>()).approvals.map(({ status }) => status).sort(), ['approved', 'rejected']);
    await cli(['approve', 'nothing']).fails(3, 'not_found');
    await host.complete('done');
  });

  it('stop stops, waits for the end and says what was stopped', async () => {
    await cli(['stop', shortName()]).fails(1, 'nothing_running');
    await submit(editor, host.sessionId, 'work');
    await host.claim();
    const stopping = cli(['stop', shortName()]);
    await eventually('the host is told', async () => (await host.renew()).turnState === 'cancelling');
    await host.complete({ outcome: 'cancelled', detail: 'one command was ended' });
    const { turn } = await stopping.json<{ turn: Turn }>();
    assert.deepEqual([turn.state, turn.detail], ['cancelled', 'one command was ended']);
  });

  it('goals are made, retired and recreated, each life once', async () => {
    const made = await cli(['goal', 'new', 'Round the cart', '--goal', 'cart', '--objective', 'half to even']).json<{ goal: Goal }>();
    assert.deepEqual([made.goal.goalId, made.goal.lifetime, made.goal.objective], ['cart', 1, 'half to even']);
    await cli(['goal', 'new', 'Again', '--goal', 'cart']).fails(1, 'goal_exists');
    await cli(['goal', 'new', 'Wrong', '--goal', 'no key']).fails(2, 'usage');
    await cli(['goal', 'retire', 'cart']).fails(2, 'confirmation_needed');
    await cli(['goal', 'retire', 'cart', '--lifetime', '7', '--yes']).fails(1, 'goal_lifetime_changed');
    await cli(['goal', 'retire', 'cart', '--yes']).json();
    await cli(['goal', 'retire', 'none', '--yes']).fails(3, 'goal_not_registered');
    assert.equal((await cli(['goal', 'recreate', 'cart']).json<{ goal: Goal }>()).goal.lifetime, 2);
    const { goals } = await cli(['goals']).json<{ goals: Goal[] }>();
    assert.deepEqual(goals.map(({ goalId, lifetime }) => [goalId, lifetime]).sort(), [['cart', 2], ['goal', 1]]);
  });

  it('sessions are named, closed, deleted and brought back', async () => {
    await cli(['rename', shortName(), 'Cart rounding']).json();
    assert.equal((await cli(['sessions']).json<{ sessions: Session[] }>()).sessions[0]?.title, 'Cart rounding');
    const list = cli(['sessions'], { terminal: true, columns: 60 });
    assert.equal(await list.done, 0);
    assert.match(list.stdout, /ID.*STATE/);
    await cli(['close', shortName()]).json();
    assert.deepEqual((await cli(['sessions']).json<{ sessions: Session[] }>()).sessions, []);
    assert.equal((await cli(['sessions', '--all']).json<{ sessions: Session[] }>()).sessions.length, 1);
    await cli(['send', shortName(), 'too late']).fails(1, 'session_closed');
    await cli(['delete', shortName(), '--yes']).json();
    await cli(['watch', shortName()]).fails(3, 'not_found');
    assert.deepEqual((await cli(['sessions', '--deleted']).json<{ sessions: Session[] }>()).sessions.map(({ sessionId }) => sessionId), [host.sessionId]);
    assert.equal((await cli(['undelete', shortName()]).json<{ session: Session }>()).session.status, 'closed');
    await cli(['undelete', shortName()]).fails(3, 'not_found');
    await cli(['undelete', host.sessionId]).fails(3, 'not_found');
  });

  it('names that hold orders for a terminal never reach it as such, in no command and no form', async () => {
    const hostile = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.\u2066\u0090q\u009c\rDone';
    await editor.call('goal/create', { commandId: 'hostile-goal' as never, workspace: folder, goalId: 'evil' as never, title: hostile, objective: hostile });
    await editor.call('session/rename', { commandId: 'hostile-name' as never, sessionId: host.sessionId, title: hostile });
    await submit(editor, host.sessionId, hostile);
    await host.claim();
    await host.report(startMessage('m'), startCommand('c', hostile, folder));
    const approval = await host.ask(hostile, key('c'));
    const id = shortName();
    const runs = [['status'], ['goals'], ['sessions'], ['search', 'owned'], ['approvals'], ['approvals', approval.approvalId], ['rename', id, hostile], ['pin', id], ['watch', id], ['send', id, hostile], ['send', id, 'what', '--wait'], ['goal', 'recreate', hostile], ['goal', 'retire', 'evil'], ['close', id], ['delete', id], ['export', id, '--format', 'markdown'], ['export', hostile], ['watch', hostile]];
    for (const args of runs) {
      for (const form of [[], ['--json']]) {
        const run = cli([...args, ...form], { terminal: true });
        // Those that go on, or ask, end here.
        if (args[0] === 'watch' || args.includes('--wait')) await Promise.race([run.done, run.shows(/owned|what/)]);
        if (['retire', 'close', 'delete'].some((word) => args.includes(word))) await Promise.race([run.done, run.shows(/\? .*$/)]);
        run.interrupt();
        await run.done;
        const shown = run.stdout + run.stderr;
        assert.notEqual(shown, '', args.join(' '));
        assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u, [...args, ...form].join(' '));
      }
    }
  });

  it('sessions are pinned, put away and found again, and what is put away can still be named', async () => {
    const second = await TestHost.start(editor, { workspace: folder });
    await submit(editor, host.sessionId, 'count the pomegranates');
    await host.claim();
    await cli(['archive', shortName()]).fails(1, 'attached_session_turn_active');
    await host.complete('there are two pomegranates');
    await cli(['archive', shortName()]).json();
    const listed = async (...args: string[]): Promise<string[]> => (await cli(['sessions', ...args]).json<{ sessions: Session[] }>()).sessions.map(({ sessionId }) => sessionId);
    assert.deepEqual([await listed(), await listed('--archived')], [[second.sessionId], [host.sessionId]]);
    assert.equal((await cli(['rename', shortName(), 'Fruit']).json<{ session: Session }>()).session.title, 'Fruit');
    const found = await cli(['search', 'POMEGRANATES', 'two']).json<{ hits: SearchHit[] }>();
    assert.deepEqual(found.hits.map(({ sessionId, kind }) => [sessionId, kind]), [[host.sessionId, 'agent_message']]);
    const shown = cli(['search', 'pomegranates', '--limit', '1'], { terminal: true });
    assert.equal(await shown.done, 0);
    assert.match(shown.stdout, /Fruit.*answer[\s\S]*there are two pomegranates/);
    await cli(['search', 'x', '--limit', '0']).fails(2, 'usage');
    await cli(['unarchive', shortName()]).json();
    await cli(['pin', second.sessionId.slice(-8)]).json();
    await cli(['rename', shortName(), 'Fruit again']).json();
    assert.deepEqual(await listed(), [second.sessionId, host.sessionId], 'pinned first');
    assert.equal((await cli(['unpin', second.sessionId.slice(-8)]).json<{ session: Session }>()).session.pinned, false);
  });

  it('C35 an export has no secret of a command in it, unless it is asked for', async () => {
    const request = await asked('PGPASSWORD=demo-123 psql');
    await cli(['approve', request.approvalId, '--yes']).json();
    await host.complete('I used demo-123');
    for (const format of ['md', 'json', 'jsonl']) {
      const plain = cli(['export', shortName(), '--format', format]);
      assert.equal(await plain.done, 0);
      assert.doesNotMatch(plain.stdout, /demo-123/);
      assert.match(plain.stdout, /PGPASSWORD=\[secret\]|PGPASSWORD=\\\[secret\\\]/);
      const whole = cli(['export', shortName(), '--format', format, '--with-secrets']);
      assert.equal(await whole.done, 0);
      assert.match(whole.stdout, /demo-123/);
    }
  });

  it('an id that may be two sessions is refused with both', async () => {
    const other = await TestHost.start(editor, { workspace: folder });
    const error = await cli(['watch', host.sessionId.slice(0, 8)]).fails(2, 'ambiguous_id');
    assert.deepEqual((error.entity as { id: string }[]).map(({ id }) => id).sort(), [host.sessionId, other.sessionId].sort());
  });

  it('the folder is the named one, the nearest known one, or this one; foreign sessions are not found', async () => {
    const below = path.join(folder, 'src/deep');
    fs.mkdirSync(below, { recursive: true });
    assert.equal((await cli(['sessions'], { cwd: below }).json<{ workspace: string; sessions: Session[] }>()).workspace, folder);
    const elsewhere = gateway.folder('unknown');
    assert.deepEqual(await cli(['sessions'], { cwd: elsewhere }).json(), { workspace: elsewhere, sessions: [] });
    assert.equal((await cli(['sessions', '-C', folder], { cwd: elsewhere }).json<{ workspace: string }>()).workspace, folder);
    assert.equal((await cli(['sessions'], { cwd: below, env: { ATTACHE_WORKSPACE: below } }).json<{ workspace: string }>()).workspace, below);
    assert.equal((await cli(['sessions'], { cwd: folder, env: { ATTACHE_WORKSPACE: elsewhere } }).json<{ workspace: string }>()).workspace, folder);
    await cli(['send', host.sessionId, 'x'], { cwd: elsewhere }).fails(3, 'not_found');
  });

  it('commands that read have no trust, and --read-only takes it from the others', async () => {
    await cli(['goal', 'new', 'No', '--read-only']).fails(1, 'workspace_untrusted');
    await cli(['send', shortName(), 'no'], { env: { ATTACHE_READ_ONLY: '1' } }).fails(1, 'workspace_untrusted');
    assert.equal((await snapshot()).turns.length, 0);
  });

  it('status says what works and what needs you', async () => {
    await asked();
    const status = await cli(['status']).json<{ gateway: { pid: number; liveTurns: number }; pendingApprovals: number; sessions: number }>();
    assert.deepEqual([status.gateway.pid, status.pendingApprovals, status.sessions], [gateway.pid, 1, 1]);
    const shown = cli(['status'], { terminal: true });
    assert.equal(await shown.done, 0);
    assert.match(shown.stdout, /needs you \(1\)/);
    await host.complete('done');
  });

  it('gc shows what goes, and frees nothing without a yes', async () => {
    const plan = await cli(['gc', '--dry-run']).json<{ sessions: unknown[]; freed: boolean }>();
    assert.deepEqual([plan.sessions, plan.freed], [[], false]);
    await cli(['gc', '--up-to', 'much']).fails(2, 'usage');
  });

  it('export writes the whole transcript, and replaces no file unasked', async () => {
    await asked();
    await host.complete({ outcome: 'completed', stopReason: 'end_turn', message: { itemKey: key('m') } }).catch(() => host.complete('done'));
    const file = path.join(folder, 'out.md');
    await cli(['export', shortName(), '--output', 'out.md']).json();
    assert.match(fs.readFileSync(file, 'utf8'), /## Turn 1 · completed/);
    fs.writeFileSync(file, 'mine');
    await cli(['export', shortName(), '--output', file]).fails(1, 'file_exists');
    assert.equal(fs.readFileSync(file, 'utf8'), 'mine');
    await cli(['export', shortName(), '--output', file, '--force', '--format', 'json']).json();
    assert.equal((JSON.parse(fs.readFileSync(file, 'utf8')) as { format: string }).format, 'attache-transcript');
    await cli(['export', shortName(), '--output', path.join(folder, 'none/out.md')]).fails(1, 'file_failed');
    await cli(['export', shortName(), '--format', 'pdf']).fails(2, 'usage');
    assert.deepEqual(fs.readdirSync(folder).filter((name) => name.includes('.part')), []);
  });

  it('without a gateway: exit 4, and nothing was started', async () => {
    const nowhere = gateway.folder('no-gateway');
    for (const args of [['goals'], ['status'], ['send', 'x', 'y']]) await new CliRun(args, { dataRoot: nowhere, cwd: folder }).fails(4, 'gateway_unavailable');
    assert.deepEqual(fs.readdirSync(nowhere), []);
  });
});
