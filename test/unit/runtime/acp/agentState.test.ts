import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LIMITS } from '../../../../src/protocol/limits.ts';
import { agentState } from '../../../../src/protocol/session/state.ts';
import { AgentStateTracker } from '../../../../src/runtime/acp/agentStateTracker.ts';
import { permissionOptions } from '../../../../src/runtime/acp/permission.ts';

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }] };
const effort = { id: 'effort', name: 'Effort', type: 'select', currentValue: 'low', options: [{ group: 'g', name: 'G', options: [{ value: 'low', name: 'Low' }] }, { value: 'high', name: 'High' }] };

describe('AgentStateTracker', () => {
  it('a mode is one choice, however often the agent offers it', () => {
    const tracker = new AgentStateTracker();
    tracker.setSession({ modes, configOptions: [{ ...effort, id: 'm', category: 'mode' }] });
    assert.deepEqual(tracker.state.options.map(({ id }) => id), ['config:m']);
    tracker.setSession({ modes });
    tracker.setConfig([]);
    assert.deepEqual(tracker.state.options.map(({ id, value }) => [id, value]), [['mode', 'ask']]);
  });

  it('groups are taken apart, switches have two choices, models count', () => {
    const tracker = new AgentStateTracker();
    tracker.setSession({ models: { currentModelId: 'x', availableModels: [{ modelId: 'x', name: 'X' }] }, configOptions: [effort, { id: 'web', name: 'Web', type: 'boolean', currentValue: true }] });
    assert.deepEqual(tracker.state.options.map(({ id, value, choices }) => [id, value, choices.map((choice) => choice.value)]), [
      ['model', 'x', ['x']], ['config:effort', 'low', ['low', 'high']], ['config:web', 'true', ['true', 'false']],
    ]);
    assert.deepEqual(tracker.target('config:web'), { kind: 'config', configId: 'web', isBoolean: true });
  });

  it('however much it offers, the gateway takes it, and every choice can still be made', () => {
    const tracker = new AgentStateTracker();
    const many = Array.from({ length: 40 }, (_, n) => ({
      id: `o${String(n)}`, name: 'n'.repeat(600), type: 'select', currentValue: 'v0', options: Array.from({ length: 250 }, (_each, at) => ({ value: `v${String(at)}`, name: 'x'.repeat(300), description: 'd'.repeat(3000) })),
    }));
    tracker.setConfig(many);
    tracker.apply({ sessionUpdate: 'available_commands_update', availableCommands: Array.from({ length: 600 }, (_, n) => ({ name: `c${String(n)}`, description: '\u0000'.repeat(3000) })) });
    assert.ok(JSON.stringify(tracker.state).length <= LIMITS.entityChars / 2);
    assert.ok(tracker.state.options.length > 0 && tracker.state.commands.length > 0);
    assert.notEqual(tracker.target('config:o39'), null);
    tracker.setConfig([effort]);
    assert.deepEqual(tracker.state.options.map(({ id }) => id), ['config:effort']);
  });

  it('what it says later replaces what it said, and only a change is told', () => {
    const tracker = new AgentStateTracker();
    let told = 0;
    tracker.onChanged(() => { told += 1; });
    tracker.setSession({ modes });
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'code' };
    assert.equal(tracker.apply(update), true);
    assert.equal(tracker.apply(update), true);
    assert.equal(told, 2);
    assert.equal(tracker.state.options[0]?.value, 'code');
    assert.equal(tracker.apply({ sessionUpdate: 'agent_message_chunk' }), false);
  });

  it('whatever it is told, its state is one that the gateway takes', () => {
    const odd = fc.anything({ maxDepth: 4, values: [fc.string(), fc.constant('x'.repeat(3_000)), fc.double(), fc.boolean(), fc.constant(null)], key: fc.constantFrom('id', 'name', 'options', 'value', 'currentValue', 'category', 'type', 'availableModes', 'availableModels', 'description', 'input', 'hint') });
    fc.assert(fc.property(odd, odd, odd, (one, two, three) => {
      const tracker = new AgentStateTracker();
      tracker.setInfo(one, { image: true, embeddedContext: false });
      tracker.setSession({ modes: one, models: two, configOptions: three });
      tracker.apply({ sessionUpdate: 'available_commands_update', availableCommands: two });
      tracker.apply({ sessionUpdate: 'usage_update', used: three, size: one, cost: two });
      const checked = agentState.safeParse(tracker.state);
      assert.ok(checked.success, checked.error?.message);
    }), { numRuns: 300 });
  });
});

describe('permissionOptions', () => {
  it('keeps names and order, marks unknown kinds, drops what cannot be told apart', () => {
    assert.deepEqual(permissionOptions([
      { optionId: 'b', name: 'Yes', kind: 'allow_once' }, { optionId: 'a', kind: 'maybe' }, { optionId: 'b', name: 'Twice', kind: 'reject_once' }, { name: 'no id' }, null, 3,
    ]), [{ optionId: 'b', name: 'Yes', kind: 'allow_once' }, { optionId: 'a', name: 'a', kind: 'other' }]);
    assert.deepEqual(permissionOptions('none'), []);
  });
});
