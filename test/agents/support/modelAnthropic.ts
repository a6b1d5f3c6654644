import type { ServerResponse } from 'node:http';
import { planAnswer, type ModelTurn } from './modelPlan.ts';
import { breakOff, objects, plainText, sendParts, startEvents, type JsonObject } from './modelWire.ts';

const usage = { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
let answers = 0;

/** Anthropic's messages format. */
export async function answerMessages(body: JsonObject, response: ServerResponse, log: (entry: JsonObject) => void): Promise<void> {
  const tools = objects(body['tools']).map((tool) => String(tool['name']));
  const turns = objects(body['messages']).flatMap(turnsOf);
  const plan = planAnswer(turns, tools);
  log({ api: 'messages', model: body['model'], tools, plan: plan.kind, turns: turns.length });
  answers += 1;
  const message = { id: `msg_${String(answers)}`, type: 'message', role: 'assistant', model: body['model'], stop_sequence: null, usage };
  if (body['stream'] !== true) {
    const content = plan.kind === 'tool' ? [] : [{ type: 'text', text: plan.parts.join('') }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, content, stop_reason: 'end_turn' }));
    return;
  }
  const send = startEvents(response);
  const emit = (type: string, details: JsonObject): void => send({ type, ...details }, type);
  const delta = (value: JsonObject): void => emit('content_block_delta', { index: 0, delta: value });
  emit('message_start', { message: { ...message, content: [], stop_reason: null } });
  if (plan.kind === 'tool') {
    const block = { type: 'tool_use', id: `toolu_${String(answers)}`, name: plan.name, input: {} };
    emit('content_block_start', { index: 0, content_block: block });
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(plan.args) });
  } else {
    emit('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    const say = (text: string): void => delta({ type: 'text_delta', text });
    if (await breakOff(plan, response, say)) return;
    await sendParts(plan, response, say);
  }
  emit('content_block_stop', { index: 0 });
  emit('message_delta', { delta: { stop_reason: plan.kind === 'tool' ? 'tool_use' : 'end_turn', stop_sequence: null }, usage });
  emit('message_stop', {});
  response.end();
}

/** A message of a user may carry results of tools, each of which is a turn of its own here. */
function turnsOf(message: JsonObject): ModelTurn[] {
  const { role, content } = message;
  const results = objects(content).filter((part) => part['type'] === 'tool_result');
  const text = typeof content === 'string' ? content : plainText(objects(content).filter((part) => part['type'] === 'text'));
  const said = text === '' ? [] : [{ role: String(role), text }];
  return [...results.map((part) => ({ role: 'tool', text: plainText(part['content']) })), ...said];
}
