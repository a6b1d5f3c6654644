import assert from 'node:assert/strict';
import type { Turn } from '../../../src/protocol/turn/state.ts';
import { eventually } from '../../support/eventually.ts';
import { follow } from '../../support/follow.ts';
import { node, PROGRESS_BAR, PROGRESS_BAR_SHOWN, READS_FROM_TERMINAL } from '../support/commandCases.ts';
import { CommandRounds } from '../support/commandRounds.ts';
import { fakeAgent, type FakeAgent } from '../support/fakeAgent.ts';
import type { Step } from '../support/fakeScript.ts';
import { HostStory, type StorySession } from '../support/hostStory.ts';

describe('commands of an agent', () => {
  let story: HostStory;
  let count = 0;

  before(async () => {
    story = await HostStory.start();
  });
  after(() => story.stop());

  async function play(steps: readonly Step[]): Promise<{ agent: FakeAgent; session: StorySession }> {
    const agent = fakeAgent({ prompts: [{ steps: [...steps, { text: 'done' }] }] }, story.gateway.folder('scripts'), `command${String((count += 1))}`);
    return { agent, session: await story.session({ agent, approvals: { command: 'allow' } }) };
  }

  const outputs = (agent: FakeAgent): string[] => agent.events('answer').filter(({ id }) => String(id).endsWith(':output')).map((entry) => (entry['result'] as { output: string }).output);

  /** Every event of the turn, as the log holds it. */
  async function playLogged(steps: readonly Step[]): Promise<{ agent: FakeAgent; session: StorySession; turn: Turn; events: string[] }> {
    const { agent, session } = await play(steps);
    const viewer = await story.viewer();
    const { id } = await follow(viewer, session.sessionId);
    const turn = await session.endOf(await session.submit('go'));
    await eventually('the end of the turn in the log', () => viewer.events(id).some((event) => event.type === 'turn.ended'));
    return { agent, session, turn, events: viewer.events(id).map((event) => JSON.stringify(event)) };
  }

  it('C26 five hundred frames of a coloured progress bar end as one line, for the card, for the agent, and in the log', async () => {
    const { agent, session, turn, events } = await playLogged([{ terminal: { id: 'bar', ...node(PROGRESS_BAR) } }, { terminal: { id: 'next', command: 'echo plain' } }]);
    const shown = (await session.items(turn)).filter(({ data }) => data.kind === 'command').map(({ text }) => text);
    assert.deepEqual(shown, [PROGRESS_BAR_SHOWN, 'plain\n']);
    assert.deepEqual(outputs(agent), shown);
    const size = events.reduce((sum, event) => sum + event.length, 0);
    assert.ok(events.length > 10 && size < 50_000, `${String(size)} characters in ${String(events.length)} events`);
    assert.ok(events.every((event) => !/\\u001b|\\r/.test(event.replaceAll(/"command":"(?:[^"\\]|\\.)*"|"title":"(?:[^"\\]|\\.)*"/g, ''))));
  });

  it('C25 short, chained and multi-line commands give all of their output and their own end', async () => {
    const commands: readonly (readonly [string, readonly string[] | undefined, string, number])[] = [
      ['printf ok', undefined, 'ok', 0], ['true', undefined, '', 0], ["mkdir -p src && cd src && printf '✅ done'", undefined, '✅ done', 0],
      [process.execPath, ['-e', 'console.log(1)\nconsole.log(2)\nprocess.exitCode = 7'], '1\n2\n', 7], ['read x; echo "got $x"', undefined, 'got \n', 0],
    ];
    const { agent, session } = await play(commands.map(([command, args]) => ({ terminal: { command, ...(args === undefined ? {} : { args }) } })));
    const turn = await session.endOf(await session.submit('go'));
    assert.deepEqual(outputs(agent), commands.map(([, , output]) => output));
    const ended = (await session.items(turn)).flatMap(({ data, text }) => (data.kind === 'command' ? [[text, data.exitCode]] : []));
    assert.deepEqual(ended, commands.map(([, , output, code]) => [output, code]));
  });

  it('C24 C25 every kind of command three times in one turn, and every kind of work is stopped', async () => {
    const rounds = new CommandRounds(story);
    await rounds.run(3);
    await rounds.stopLoop();
    await rounds.stopAtCard();
    await rounds.stopWithJob();
    await rounds.stopDeaf();
    assert.deepEqual(rounds.tally, { commands: 24, stops: 4 });
  });

  // Elsewhere nothing is said about it.
  if (process.platform === 'linux') it('C25 a command that waits for input on a terminal of its own is shown as waiting, and is stopped from its card alone: the agent is told, the turn goes on', async () => {
    const { agent, session } = await play([{ terminal: { id: 'reader', command: READS_FROM_TERMINAL } }, { terminal: { id: 'next', command: 'echo next' } }]);
    const asked = await session.submit('go');
    const waiting = await eventually('the command to be shown as waiting', async () => (await session.items(asked)).find(({ data }) => data.kind === 'command' && data.waitsForInput === true), 30_000);
    await session.host.killCommand(waiting.itemId);
    assert.equal((await session.endOf(asked)).state, 'completed');
    const [told, next] = outputs(agent);
    assert.match(told!, /^Name:\n[^]*\[The user stopped this command\.\]\n$/);
    assert.equal(next, 'next\n');
    const exit = agent.events('answer').find(({ id }) => id === 'reader:exit')!['result'] as { exitCode: number | null; signal: string | null };
    assert.ok(exit.signal !== null || exit.exitCode !== 0, JSON.stringify(exit));
    const [ended] = (await session.items(asked)).filter(({ itemId }) => itemId === waiting.itemId);
    assert.ok(ended!.state === 'cancelled' && ended!.data.kind === 'command' && ended!.data.waitsForInput === undefined && ended!.data.note === 'Stopped by hand.');
  });

  it('C25 a command that ended by a signal says which', async () => {
    const { session } = await play([{ terminal: { command: 'echo begun; kill -SEGV $$' } }]);
    const turn = await session.endOf(await session.submit('go'));
    const [data] = (await session.items(turn)).flatMap((item) => (item.data.kind === 'command' ? [item.data] : []));
    assert.deepEqual([data!.exitCode, data!.signal], [null, 'SIGSEGV']);
  });

  it('C35 values of variables are in no event and no log; the command is shown as it is', async () => {
    const said: string[] = [];
    const heard = (['log', 'warn', 'error'] as const).map((name) => ({ name, own: console[name] }));
    for (const { name } of heard) console[name] = (...given: unknown[]) => void said.push(given.join(' '));
    try {
      const { session, turn, events } = await playLogged([
        { terminal: { command: 'test -n "$PGPASSWORD" && echo there', env: [{ name: 'PGPASSWORD', value: 'demo-123-variable' }] } },
        { terminal: { command: '/no/such/program', args: ['--header', 'Authorization: Bearer demo-123-header'] } },
      ]);
      assert.doesNotMatch(events.join('\n'), /demo-123-variable/);
      const commands = (await session.items(turn)).flatMap(({ data, text }) => (data.kind === 'command' ? [{ ...data, text }] : []));
      assert.equal(commands[0]!.text, 'there\n');
      assert.deepEqual(commands[0]!.envNames, ['PGPASSWORD']);
      assert.match(commands[1]!.command, /Bearer demo-123-header/);
      assert.doesNotMatch(commands[1]!.note ?? '', /demo-123/);
    } finally {
      for (const { name, own } of heard) console[name] = own;
    }
    assert.doesNotMatch(said.join('\n'), /demo-123/);
    assert.doesNotMatch(story.gateway.log(), /demo-123/);
  });
});
