import assert from 'node:assert/strict';
import type { AgentOption, AgentState } from '../../../src/protocol/session/state.ts';
import { CoreHarness, refused, WORKSPACE } from './support/coreHarness.ts';
import { hex, Story } from './support/story.ts';

const option = (id: string, value: string): AgentOption => ({ id, name: id, category: id, value, choices: ['ask', 'plan', 'auto'].map((each) => ({ value: each, name: each })) });

describe('session/configure', () => {
  let gw: CoreHarness;
  let story: Story;

  beforeEach(async () => {
    gw = new CoreHarness();
    story = await Story.begin(gw);
  });
  afterEach(() => gw.close());

  const tell = (agent: Partial<AgentState>, declined: { id: string; value: string }[] = []) =>
    story.host.call('host/agent', { sessionId: story.sessionId, hostRunId: story.hostRunId, agent: agent as never, ...(declined.length === 0 ? {} : { declined }) });
  const offers = (...options: AgentOption[]) => tell({ options });
  const choose = (options: { id: string; value: string }[], by = gw.client('cli', 'cli')) => by.call('session/configure', { commandId: by.command(), sessionId: story.sessionId, changes: { options } });
  const mode = (permissionMode: 'ask' | 'askAlways' | 'acceptEdits' | 'readOnly', by = gw.client('cli', 'cli')) => by.call('session/configure', { commandId: by.command(), sessionId: story.sessionId, changes: { permissionMode } });
  const wanted = () => story.snapshot().session.wanted;

  it('any client may choose; the wish is told to the host and stands until the agent reports it', async () => {
    await offers(option('mode', 'ask'), option('model', 'ask'));
    await choose([{ id: 'mode', value: 'plan' }]);
    assert.deepEqual(wanted(), [{ id: 'mode', value: 'plan' }]);
    const told = gw.sessionEvents(story.sessionId).findLast((event) => event.type === 'session.updated');
    assert.deepEqual(told?.session.wanted, [{ id: 'mode', value: 'plan' }]);
    assert.equal(story.snapshot().session.agent.options[0]?.value, 'ask', 'what the agent has is what it says');
    gw.restart();
    await story.reconnect();
    assert.deepEqual(wanted(), [{ id: 'mode', value: 'plan' }], 'a wish outlives the gateway');
    await offers(option('mode', 'ask'), option('model', 'plan'));
    assert.deepEqual(wanted(), [{ id: 'mode', value: 'plan' }], 'a report about something else');
    await offers(option('mode', 'plan'), option('model', 'plan'));
    assert.deepEqual([wanted(), story.snapshot().session.agent.options[0]?.value], [[], 'plan']);
  });

  it('a newer wish replaces the older one, one for what there is takes it back, one that is declined or no longer offered vanishes', async () => {
    await offers(option('mode', 'ask'), option('model', 'ask'));
    await choose([{ id: 'mode', value: 'plan' }, { id: 'model', value: 'auto' }]);
    await choose([{ id: 'mode', value: 'auto' }]);
    assert.deepEqual(wanted(), [{ id: 'model', value: 'auto' }, { id: 'mode', value: 'auto' }]);
    await tell({}, [{ id: 'mode', value: 'plan' }]);
    assert.equal(wanted().length, 2, 'an older wish was declined');
    await tell({}, [{ id: 'mode', value: 'auto' }]);
    assert.deepEqual(wanted(), [{ id: 'model', value: 'auto' }]);
    await choose([{ id: 'model', value: 'ask' }]);
    assert.deepEqual(wanted(), []);
    await choose([{ id: 'model', value: 'plan' }]);
    await offers(option('mode', 'ask'));
    assert.deepEqual(wanted(), []);
  });

  it('what the agent does not offer is refused, and nothing of it is done', async () => {
    await refused(gw, 'agent_option_unknown', () => choose([{ id: 'mode', value: 'plan' }]));
    await offers(option('mode', 'ask'));
    await refused(gw, 'agent_option_value_unknown', () => choose([{ id: 'mode', value: 'yolo' }]));
    await refused(gw, 'agent_option_unknown', () => choose([{ id: 'mode', value: 'plan' }, { id: 'effort', value: 'plan' }]));
    await story.onSession('session/close');
    await refused(gw, 'session_closed', () => choose([{ id: 'mode', value: 'plan' }]));
  });

  it('C39 the permission mode changes by its control alone: not by restart, update of the agent, resume, take-over or a new goal lifetime', async () => {
    assert.equal(story.snapshot().session.permissionMode, 'ask');
    const before = story.snapshot().session.updatedAt;
    await gw.clock.advance(1000);
    assert.deepEqual([(await mode('readOnly')).session.permissionMode, story.snapshot().session.updatedAt], ['readOnly', before]);
    gw.restart();
    await story.reconnect();
    await offers(option('mode', 'auto'), option('permissionMode', 'auto'));
    await story.run();
    await story.report([{ op: 'session.agent', agent: { options: [option('mode', 'plan')] } }]);
    story.host.disconnect();
    await gw.clock.advance(30_000);
    story.host = gw.client('window');
    await story.onSession('session/resume');
    await story.host.call('session/replaceExecutor', { commandId: 'take', sessionId: story.sessionId, hostSessionId: hex('new'), hostSurface: 'vscode', executorEndpointId: 'offline', attachedCapabilities: [] });
    await story.recreate();
    assert.equal(story.snapshot().session.permissionMode, 'readOnly');
  });

  it('C39 a fork and a new session begin with the default', async () => {
    await mode('acceptEdits');
    const { turn } = await story.submit();
    const { session } = await story.host.call('session/fork', { commandId: 'f', turnId: turn.turnId, hostSessionId: hex('fork'), hostSurface: 'vscode', executorEndpointId: 'offline', attachedCapabilities: [] });
    assert.deepEqual([session.permissionMode, session.wanted, session.pinned, session.archivedAt], ['ask', [], false, null]);
    assert.equal((await Story.attached(gw, { hostSessionId: hex('new') })).snapshot().session.permissionMode, 'ask');
  });

  it('an untrusted folder widens nothing, and a mode that this build does not know allows nothing', async () => {
    await refused(gw, 'workspace_untrusted', () => mode('acceptEdits', gw.client('reader', 'editor', [{ path: WORKSPACE, trusted: false }])));
    story.tamper('sessions', { permissionMode: 'bypassAll' });
    assert.equal(story.snapshot().session.permissionMode, 'askAlways');
  });
});
