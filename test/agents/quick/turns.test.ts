import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Item } from '../../../src/protocol/item/state.ts';
import { commandId } from '../../../src/protocol/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { expectRefusal } from '../../support/expectRefusal.ts';
import { JumpClock } from '../../support/jumpClock.ts';
import { isAlive } from '../../support/processes.ts';
import { newCommand } from '../../support/testHost.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { FakeScript, Step } from '../support/fakeScript.ts';
import { HostStory, outline, type StorySession, type StorySessionOptions } from '../support/hostStory.ts';

const texts = (items: readonly Item[], kind = 'agent_message'): string[] => items.filter(({ data }) => data.kind === kind).map(({ text }) => text);

describe('turns of an agent', () => {
  let story: HostStory;
  let count = 0;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(script: FakeScript | readonly Step[], options: Partial<StorySessionOptions> = {}): Promise<{ agent: FakeAgent; session: StorySession }> {
    const whole = 'length' in script ? { prompts: [{ steps: script }] } : script;
    const agent = fakeAgent(whole as FakeScript, story.gateway.folder('scripts'), `turns${String((count += 1))}`);
    return { agent, session: await story.session({ agent, ...options }) };
  }

  const started = (agent: FakeAgent): number => agent.events('prompt').at(-1)?.pid ?? 0;

  describe('C15 queued messages', () => {
    const call = (id: number): Step[] => [
      { toolCall: { toolCallId: `{{n}}-${String(id)}`, kind: 'read', title: 'Look', status: 'in_progress' } },
      { sleep: 120 },
      { toolUpdate: { toolCallId: `{{n}}-${String(id)}`, status: 'completed' } },
    ];
    const script: FakeScript = { prompts: [{ match: 'first', steps: [1, 2, 3, 4, 5].flatMap(call) }, { match: '.', steps: [{ text: 'ok' }] }] };

    it('are delivered once each, as edited, without the removed one', async () => {
      const { agent, session } = await play(script);
      await session.submit('first');
      await session.submit('A');
      const b = await session.submit('B');
      const c = await session.submit('C');
      const viewer = await story.viewer();
      await viewer.call('queue/edit', { commandId: newCommand(), turnId: b.turnId, text: 'B2', expectedRev: b.rev });
      await viewer.call('queue/remove', { commandId: newCommand(), turnId: c.turnId });
      await session.endOf(b);
      assert.deepEqual(agent.prompts(), ['first', 'A', 'B2']);
    });

    it('are kept after Stop and go on in order', async () => {
      const { agent, session } = await play(script);
      const first = await session.submit('first');
      const rest = [await session.submit('A'), await session.submit('B'), await session.submit('C')];
      await eventually('the first to run', () => agent.prompts().length === 1);
      await session.stopTurn(first);
      assert.equal((await session.endOf(first)).state, 'cancelled');
      assert.equal((await session.view()).session.queue.paused, true);
      assert.deepEqual(agent.prompts(), ['first']);
      await (await story.viewer()).call('queue/resume', { commandId: newCommand(), sessionId: session.sessionId });
      for (const turn of rest) assert.equal((await session.endOf(turn)).state, 'completed');
      assert.deepEqual(agent.prompts(), ['first', 'A', 'B', 'C']);
    });

    it('are neither lost nor doubled when the link is cut for a while', async () => {
      const { agent, session } = await play(script);
      const turns = [await session.submit('first'), await session.submit('A'), await session.submit('B'), await session.submit('C')];
      await eventually('the first to run', () => agent.prompts().length === 1);
      session.link.cut();
      await delay(1_000);
      await session.link.open();
      for (const turn of turns) assert.equal((await session.endOf(turn)).state, 'completed');
      assert.deepEqual(agent.prompts(), ['first', 'A', 'B', 'C']);
      assert.deepEqual((await session.items(turns[0]!)).filter(({ data }) => data.kind === 'tool_call').map(({ state }) => state), Array(5).fill('completed'));
    });
  });

  it('C17 two sessions stream at once and each keeps its own', async () => {
    const one = await play([{ lines: { count: 200, delayMs: 5 } }]);
    const two = await play([{ text: 'pong' }]);
    const long = await one.session.submit('go');
    const pongs = [];
    for (let round = 0; round < 5; round += 1) pongs.push(await two.session.endOf(await two.session.submit('ping')));
    assert.equal((await one.session.view()).session.status, 'busy');
    assert.equal((await one.session.endOf(long)).state, 'completed');
    assert.deepEqual(texts(await one.session.items(long)), [Array.from({ length: 200 }, (_, index) => `line ${String(index + 1)}\n`).join('')]);
    for (const turn of pongs) assert.deepEqual(texts(await two.session.items(turn)), ['pong']);
  });

  describe('C24 Stop', () => {
    it('ends a loop that ignores SIGINT, at once, and its file stops growing', async () => {
      const { session } = await play([{ terminal: { command: 'trap "" INT; while true; do echo tick >> loop.log; sleep 0.05; done' } }, { text: 'never' }], { approvals: { command: 'allow' } });
      const size = async (): Promise<number> => (await stat(join(story.folder, 'loop.log')).catch(() => null))?.size ?? 0;
      const turn = await session.submit('go');
      await eventually('the first tick', async () => (await size()) > 0);
      await session.stopTurn(turn);
      const ended = await session.endOf(turn);
      const last = await size();
      await delay(300);
      assert.equal(await size(), last);
      assert.equal(ended.state, 'cancelled');
      assert.match(ended.detail ?? '', /^Test Agent stopped\. Stopped as well: “trap/);
      const command = (await session.items(turn)).find(({ data }) => data.kind === 'command');
      assert.equal(command!.state, 'cancelled');
    });

    it('ends an agent that ignores it, and signals too, within nine seconds, with its tree, and says so', async () => {
      const clock = new JumpClock();
      const { agent, session } = await play({ onCancel: 'ignore', ignoreSigterm: true, prompts: [{ steps: [{ spawnChild: {} }, { hang: true }] }] }, { clock });
      const turn = await session.submit('go');
      await agent.waitFor('the child', (log) => log.some(({ event }) => event === 'child'));
      const tree = [started(agent), ...agent.events('child').flatMap((entry) => [Number(entry['child']), Number(entry['grandchild'])])];
      await session.stopTurn(turn);
      await agent.waitFor('the cancel', (log) => log.some(({ method }) => method === 'session/cancel'));
      assert.ok(tree.every(isAlive));
      // What is left of the nine seconds is the one between asking its processes to end and ending them.
      clock.jump(8_000);
      const ended = await session.endOf(turn);
      assert.equal(ended.state, 'cancelled');
      assert.match(ended.detail ?? '', /did not stop by itself and was ended/);
      await eventually('the tree to be gone', () => !tree.some(isAlive));
      // It was ended because it was wanted, so that no failure is shown beside the turn.
      await eventually('the end to be noticed', () => session.agentStates.at(-1)?.state !== 'running');
      assert.deepEqual(session.agentStates.at(-1), { state: 'none' });
      agent.rewrite({ prompts: [{ steps: [{ text: 'back' }] }] });
      assert.equal((await session.endOf(await session.submit('next'))).state, 'completed');
    });

    it('tells what a finished command left in the background, and ends it with the session', async () => {
      const { session } = await play([{ terminal: { command: 'sleep 600 & echo $! > background.pid' } }, { hang: true }], { approvals: { command: 'allow' } });
      const turn = await session.submit('go');
      const pid = Number(await eventually('the background job', async () => (await readFile(join(story.folder, 'background.pid'), 'utf8').catch(() => '')).trim() || undefined));
      await eventually('the command to end', async () => (await session.items(turn)).some(({ data, state }) => data.kind === 'command' && state === 'completed'));
      await session.stopTurn(turn);
      assert.match((await session.endOf(turn)).detail ?? '', /Not stopped: what “sleep 600 & echo .*” left running in the background/);
      assert.ok(isAlive(pid));
      await session.end();
      assert.ok(!isAlive(pid));
    });

    it('twice, and with nothing running, does no harm', async () => {
      const { session } = await play([{ lines: { count: 1000, delayMs: 5 } }]);
      const turn = await session.submit('go');
      await eventually('some text', async () => texts(await session.items(turn)).length > 0);
      await Promise.all([session.stopTurn(turn), session.stopTurn(turn)]);
      assert.equal((await session.endOf(turn)).state, 'cancelled');
      await session.stopTurn(turn);
      assert.ok((await session.items(turn)).every(({ state }) => state !== 'started'));
      assert.equal((await session.endOf(await session.submit('next'))).turnIdx, 2);
    });

    it('one command alone can be stopped, and the turn goes on', async () => {
      const { agent, session } = await play([{ terminal: { command: 'echo begun; sleep 600' } }, { text: 'after' }], { approvals: { command: 'allow' } });
      const turn = await session.submit('go');
      const running = await eventually('its output', async () => (await session.items(turn)).find(({ data, text }) => data.kind === 'command' && text.includes('begun')));
      await session.host.killCommand(running.itemId);
      assert.equal((await session.endOf(turn)).state, 'completed');
      assert.deepEqual(texts(await session.items(turn)), ['after']);
      assert.equal(agent.events('answer').length, 4);
    });
  });

  describe('C23 processes', () => {
    it('are all gone when the session ends, every time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { agent, session } = await play([{ spawnChild: { detached: round % 2 === 0, ignoreSigterm: true } }, { text: 'ok' }]);
        await session.endOf(await session.submit('go'));
        await agent.waitFor('the child', (log) => log.some(({ event }) => event === 'child'));
        const tree = [started(agent), ...agent.events('child').flatMap((entry) => [Number(entry['child']), Number(entry['grandchild'])])];
        assert.ok(tree.every(isAlive));
        await session.end();
        assert.deepEqual(tree.filter(isAlive), []);
      }
    });

    it('of an agent that dies are ended too', async () => {
      const { agent, session } = await play([{ spawnChild: {} }, { sleep: 200 }, { crash: { signal: 'SIGKILL' } }]);
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.state, 'failed');
      const tree = agent.events('child').flatMap((entry) => [Number(entry['child']), Number(entry['grandchild'])]);
      assert.equal(tree.length, 2);
      await eventually('the children to be gone', () => !tree.some(isAlive));
    });

    it('of a restarted agent are new ones in the same conversation', async () => {
      const { agent, session } = await play({ initialize: { agentCapabilities: { loadSession: true } }, replay: [{ text: 'old words' }], prompts: [{ steps: [{ text: 'ok' }] }] });
      await session.endOf(await session.submit('go'));
      const first = started(agent);
      await session.host.restartAgent();
      assert.ok(!isAlive(first));
      const turn = await session.endOf(await session.submit('again'));
      assert.deepEqual(outline(await session.items(turn)), ['user_message completed again', 'agent_message completed ok']);
      assert.deepEqual(session.agentStates.map(({ state }) => state), ['starting', 'running', 'none', 'starting', 'running']);
    });
  });

  it('C24 restarting the agent stops a running turn', async () => {
    const { session, agent } = await play({ initialize: { agentCapabilities: { loadSession: true } }, prompts: [{ match: 'go', steps: [{ text: 'at it' }, { hang: true }] }, { match: '.', steps: [{ text: 'ok' }] }] });
    const turn = await session.submit('go');
    await eventually('some text', async () => texts(await session.items(turn)).length > 0);
    const pid = started(agent);
    await session.host.restartAgent();
    assert.equal((await session.endOf(turn)).state, 'cancelled');
    assert.ok(!isAlive(pid));
    assert.equal((await session.endOf(await session.submit('next'))).state, 'completed');
  });

  it('A45 retiring the goal answers what is asked with cancelled, lets the turn return, and ends the host', async () => {
    const viewer = await story.viewer();
    const goalId = 'retired' as never;
    const { goal } = await viewer.call('goal/create', { commandId: newCommand(), workspace: story.folder, goalId, title: 'Retired' });
    const { session, agent } = await play([{ permission: { id: 'p' } }, { text: 'my result' }], { goal: 'retired' });
    const turn = await session.submit('go');
    const queued = await session.submit('queued');
    await session.pending();
    await viewer.call('goal/retire', { commandId: newCommand(), workspace: story.folder, goalId, expectedLifetime: goal.lifetime });
    assert.equal((await session.endOf(turn)).state, 'completed');
    assert.deepEqual(agent.permissions(), ['p=cancelled']);
    assert.deepEqual(texts(await session.items(turn)), ['my result']);
    assert.equal((await session.endOf(queued)).cause, 'stale_goal_instance');
    await eventually('the end of the host', () => session.ended.length > 0);
    assert.equal(isAlive(started(agent)), false);
  });

  it('a closed session ends its host and its agent', async () => {
    const { session, agent } = await play([{ text: 'ok' }]);
    await session.endOf(await session.submit('go'));
    await (await story.viewer()).call('session/close', { commandId: newCommand(), sessionId: session.sessionId });
    await eventually('the end of the host', () => session.ended.length > 0);
    assert.deepEqual(session.ended, ['session_closed']);
    assert.equal(isAlive(started(agent)), false);
  });

  it('a second window with the same identity is refused and starts nothing', async () => {
    const { session, agent } = await play([{ text: 'ok' }]);
    await session.endOf(await session.submit('go'));
    const copy = session.copy();
    await copy.link.open();
    copy.startHost();
    await eventually('the refusal', () => copy.ended.length > 0);
    assert.deepEqual(copy.ended, ['host_session_in_use']);
    assert.equal((await session.endOf(await session.submit('again'))).state, 'completed');
    assert.equal(agent.prompts().length, 2);
    await copy.end();
  });

  describe('R2 an agent that dies in mid-turn', () => {
    it('keeps what was shown, withdraws what was asked, and the next prompt works', async () => {
      const { session, agent } = await play({
        initialize: { agentCapabilities: { loadSession: false } },
        prompts: [{ steps: [{ text: 'half an ans' }, { toolCall: { toolCallId: 't', kind: 'read', title: 'Look', status: 'in_progress' } }, { permission: { id: 'p' } }] }],
      });
      const asked = await session.submit('go');
      await session.pending();
      process.kill(started(agent), 'SIGKILL');
      const turn = await session.endOf(asked);
      assert.equal(turn.state, 'failed');
      assert.equal(turn.cause, 'execution_unavailable');
      const items = await session.items(turn);
      assert.deepEqual(texts(items), ['half an ans']);
      assert.ok(items.every(({ state }) => state !== 'started'));
      const view = await session.view();
      assert.deepEqual(view.approvals.map(({ status }) => status), ['cancelled']);
      const last = session.agentStates.at(-1);
      assert.ok(last?.state === 'dead' && last.message.includes('SIGKILL') && last.next !== '');
      agent.rewrite({ initialize: { agentCapabilities: { loadSession: false } }, prompts: [{ steps: [{ text: 'back' }] }] });
      const next = await session.endOf(await session.submit('next'));
      assert.equal(next.state, 'completed');
      assert.match(texts(await session.items(next), 'notice').join(), /could not go on with the earlier conversation/);
    });

    it('says how it ended, with its last words and without its secrets', async () => {
      const { session } = await play([{ stderr: 'cannot use token=demo-123456 here' }, { sleep: 100 }, { crash: { code: 3 } }]);
      const turn = await session.endOf(await session.submit('go'));
      assert.match(turn.detail ?? '', /ended unexpectedly with code 3.*cannot use token=\[secret\]/);
    });
  });

  describe('a link that is lost', () => {
    it('for a moment costs nothing: the text is whole', async () => {
      const { session } = await play([{ lines: { count: 300, delayMs: 5 } }]);
      const turn = await session.submit('go');
      for (let round = 0; round < 5; round += 1) {
        await delay(100);
        session.link.cut();
        await delay(100);
        await session.link.open();
      }
      assert.equal((await session.endOf(turn)).state, 'completed');
      assert.deepEqual(texts(await session.items(turn)), [Array.from({ length: 300 }, (_, index) => `line ${String(index + 1)}\n`).join('')]);
    });

    it('B6 with the gateway killed: the turn goes on with the next one', async () => {
      const { session, agent } = await play([{ lines: { count: 100, delayMs: 10 } }, { permission: { id: 'p' } }, { text: 'after' }]);
      const turn = await session.submit('go');
      await eventually('some text', async () => texts(await session.items(turn)).length > 0);
      await story.gateway.kill9();
      await story.gateway.restart();
      await session.link.open();
      await session.decide((await session.pending())[0]!, 'allow');
      assert.equal((await session.endOf(turn)).state, 'completed');
      assert.deepEqual(agent.permissions(), ['p=allow']);
      assert.deepEqual(texts(await session.items(turn))[0], Array.from({ length: 100 }, (_, index) => `line ${String(index + 1)}\n`).join(''));
    });

    it('A46c for 25 seconds ends the agent; nothing is begun after 20', async () => {
      const clock = new JumpClock();
      const { session, agent } = await play([{ text: 'begun' }, { sleep: 600 }, { terminal: { command: 'touch cut-off.txt' } }, { hang: true }], { clock, approvals: { command: 'allow' } });
      const turn = await session.submit('go');
      await eventually('some text', async () => texts(await session.items(turn)).length > 0);
      const pid = started(agent);
      session.link.cut();
      clock.jump(20_000);
      await agent.waitFor('the refusal', (log) => log.some(({ event }) => event === 'answer'));
      assert.equal((agent.events('answer')[0]!['error'] as { data: { kind: string } }).data.kind, 'host_cut_off');
      assert.ok(isAlive(pid));
      clock.jump(5_000);
      await eventually('the agent to be gone', () => !isAlive(pid));
      await session.link.open();
      const ended = await session.endOf(turn);
      assert.equal(ended.cause, 'host_cut_off');
      await assert.rejects(readFile(join(story.folder, 'cut-off.txt')));
      agent.rewrite({ prompts: [{ steps: [{ text: 'back' }] }] });
      assert.equal((await session.endOf(await session.submit('next'))).state, 'completed');
    });
  });

  it('C06 a restarted window ends the turn, and Retry goes on in the same conversation', async () => {
    const { session, agent } = await play({ initialize: { agentCapabilities: { loadSession: true } }, loadOnly: 'known', prompts: [{ steps: [{ text: 'one' }, { permission: { id: 'p' } }, { text: 'two' }] }] });
    const turn = await session.submit('go');
    await session.pending();
    const pid = started(agent);
    await session.endHost();
    assert.ok(!isAlive(pid));
    const ended = await session.endOf(turn);
    assert.equal(ended.state, 'interrupted');
    assert.deepEqual((await session.view()).approvals.map(({ status }) => status), ['orphaned']);
    session.startHost();
    const { turn: again } = await (await story.viewer()).call('turn/retry', { commandId: commandId.parse('retry'), turnId: turn.turnId, clientTurnId: 'retry' as never });
    assert.equal((await session.through(again, 'allow')).state, 'completed');
    assert.deepEqual(texts(await session.items(again), 'notice'), []);
    assert.equal(agent.events('request').filter(({ method }) => method === 'session/load').length, 1);
  });

  it('C37 stopped in the middle of a tool call, resumed by a new window, told something else: the call is closed and all works', async () => {
    const { session, agent } = await play({
      initialize: { agentCapabilities: { loadSession: true } }, loadOnly: 'known',
      prompts: [{ match: 'look', steps: [{ toolCall: { toolCallId: 't', kind: 'execute', title: 'make', status: 'in_progress' } }, { terminal: { command: 'echo begun; sleep 600' } }, { hang: true }] }, { steps: [{ text: 'fine' }] }],
    }, { approvals: { command: 'allow' } });
    const turn = await session.submit('look');
    await eventually('its output', async () => (await session.items(turn)).some(({ data, text }) => data.kind === 'command' && text.includes('begun')));
    await session.stopTurn(turn);
    assert.equal((await session.endOf(turn)).state, 'cancelled');
    await session.endHost();
    session.startHost();
    const next = await session.endOf(await session.submit('and now?'));
    assert.equal(next.state, 'completed');
    assert.deepEqual(texts(await session.items(next)), ['fine']);
    assert.deepEqual((await session.items(turn)).flatMap(({ data, state, endedAt }) => (data.kind === 'tool_call' || data.kind === 'command' ? [[state, endedAt !== null]] : [])), [['cancelled', true], ['cancelled', true]]);
    assert.equal(agent.events('request').filter(({ method }) => method === 'session/load').length, 1);
  });

  describe('answers', () => {
    it('an agent that says nothing still has an answer', async () => {
      const { session } = await play([]);
      const turn = await session.endOf(await session.submit('go'));
      assert.deepEqual(texts(await session.items(turn)), ['The agent finished without a reply.']);
    });

    it('a refusal without words says so', async () => {
      const { session } = await play({ prompts: [{ steps: [], stopReason: 'refusal' }] });
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.stopReason, 'refusal');
      assert.deepEqual(texts(await session.items(turn)), ['The agent refused to go on.']);
    });

    it('one that is too long is kept whole and ended with a short one', async () => {
      const { session } = await play([{ hugeText: 300_000 }]);
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.state, 'completed');
      assert.deepEqual(texts(await session.items(turn)).map(({ length }) => length > 200_000), [true, false]);
    });

    it('the goal’s objective is given once, before the first prompt', async () => {
      await (await story.viewer()).call('goal/create', { commandId: newCommand(), workspace: story.folder, goalId: 'aim' as never, title: 'Aim', objective: 'Be brief.' });
      const { session, agent } = await play([{ text: 'ok' }], { goal: 'aim' });
      await session.endOf(await session.submit('one'));
      await session.endOf(await session.submit('two'));
      const blocks = agent.events('prompt').map((entry) => JSON.stringify(entry));
      assert.match(blocks[0]!, /Be brief\./);
      assert.doesNotMatch(blocks[1]!, /Be brief\./);
    });

    it('noise, unknown kinds, late updates and missing fields do no harm', async () => {
      const { session } = await play({
        prompts: [{
          steps: [
            { raw: 'starting up…' }, { raw: '{"half":' }, { raw: '[1,2]' }, { raw: '{"jsonrpc":"2.0"}' }, { update: { sessionUpdate: 'tomorrow', x: 1 } }, { update: {} },
            { toolCall: {} }, { toolUpdate: { toolCallId: 'unseen', status: 'exploded', kind: 'teleport', content: [{ type: 'hologram' }, null, 3] } },
            { update: { sessionUpdate: 'plan', entries: [{ content: 'a', status: 'odd', priority: 'odd' }, {}, null] } },
            { update: { sessionUpdate: 'agent_message_chunk', content: null } }, { text: 'still here' },
          ],
          afterEnd: [{ text: 'too late' }],
        }],
      });
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.state, 'completed');
      assert.deepEqual(texts(await session.items(turn)), ['still here']);
      assert.ok((await session.items(turn)).every(({ state }) => state !== 'started'));
    });

    it('a big output is cut in the middle and says how much', async () => {
      const { session, agent } = await play([{ terminal: { command: `${process.execPath} -e "process.stdout.write('0123456789abcde\\n'.repeat(65536))"` } }, { text: 'ok' }], { approvals: { command: 'allow' } });
      const turn = await session.endOf(await session.submit('go'));
      const command = (await session.items(turn)).find(({ data }) => data.kind === 'command')!;
      assert.ok(command.data.kind === 'command' && command.data.cut === 1024 * 1024 - 64_000);
      assert.ok(command.text.length < 65_000);
      const output = agent.events('answer').find(({ id }) => id === 'terminal:output')!['result'] as { output: string; truncated: boolean };
      assert.equal(output.output.length, 1024 * 1024);
      assert.equal(output.truncated, false);
    });
  });

  describe('what the agent offers', () => {
    const session0 = {
      modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code', description: 'writes' }] },
      configOptions: [{ id: 'effort', name: 'Effort', category: 'thought_level', type: 'select', currentValue: 'low', options: [{ value: 'low', name: 'Low' }, { value: 'high', name: 'High' }] }],
    };

    it('is shown, and can be chosen', async () => {
      const { session } = await play({ session: session0, prompts: [{ steps: [{ text: 'ok' }] }] });
      await session.host.startAgent();
      await eventually('the options', async () => (await session.view()).session.agent.options.length === 2);
      await session.host.setOption('mode', 'code');
      await eventually('the new mode', async () => (await session.view()).session.agent.options.find(({ id }) => id === 'mode')?.value === 'code');
    });

    it('a choice that is never answered is given up, and stays what it was', async () => {
      const clock = new JumpClock();
      const { session, agent } = await play({ silent: ['session/set_mode'], session: session0, prompts: [{ steps: [{ text: 'ok' }] }] }, { clock });
      await session.host.startAgent();
      const choosing = session.host.setOption('mode', 'code');
      await agent.waitFor('the choice', (log) => log.some(({ method }) => method === 'session/set_mode'));
      clock.jump(30_000);
      assert.match((await expectRefusal('execution_unavailable', choosing)).message, /did not take that choice/);
      assert.equal((await session.view()).session.agent.options.find(({ id }) => id === 'mode')?.value, 'ask');
    });

    it('tokens and title are taken over', async () => {
      const { session } = await play([
        { update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } } },
        { update: { sessionUpdate: 'session_info_update', title: 'A new name' } }, { text: 'ok' },
      ]);
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.usage?.costUsd, 0.5);
      const { session: view } = await session.view();
      assert.deepEqual([view.agent.contextUsed, view.agent.contextSize, view.title], [10, 100, 'A new name']);
    });
  });

  describe('an agent that does not start', () => {
    it('is named, with a next step, and the next turn tries again', async () => {
      const { session } = await play([], { agent: { command: '/no/such/agent', args: [] } });
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.cause, 'execution_unavailable');
      assert.match(turn.detail ?? '', /\/no\/such\/agent/);
      assert.equal(session.agentStates.at(-1)?.state, 'dead');
    });

    it('for lack of a sign-in says so in its own words', async () => {
      const { session } = await play({
        initialize: { authMethods: [{ id: 'login', name: 'Log in with Example', description: 'opens a browser' }] },
        errors: { 'session/new': { code: -32000, message: 'You are not logged in' } },
      });
      const turn = await session.endOf(await session.submit('go'));
      assert.equal(turn.cause, 'agent_authentication_required');
      assert.match(turn.detail ?? '', /You are not logged in/);
      assert.match(turn.detail ?? '', /Log in with Example \(opens a browser\)/);
    });

    it('a silent one is given up', async () => {
      const clock = new JumpClock();
      const { session, agent } = await play({ silent: ['initialize'] }, { clock });
      const starting = session.host.startAgent();
      await agent.waitFor('initialize', (log) => log.some(({ method }) => method === 'initialize'));
      clock.jump(60_000);
      assert.match((await expectRefusal('execution_unavailable', starting)).message, /did not answer initialize/);
    });
  });
});
