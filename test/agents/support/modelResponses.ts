import type { ServerResponse } from 'node:http';
import { planAnswer, type ModelPlan, type ModelTurn } from './modelPlan.ts';
import { breakOff, objects, plainText, sendParts, startEvents, type JsonObject } from './modelWire.ts';

type Emit = (type: string, details: JsonObject) => void;

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
};
let answers = 0;

/** OpenAI's responses format. */
export async function answerResponses(body: JsonObject, response: ServerResponse, log: (entry: JsonObject) => void): Promise<void> {
  const tools = objects(body['tools']).map((tool) => ({ name: String(tool['name'] ?? tool['type']), type: tool['type'] }));
  const turns = turnsOf(body['input']);
  const plan = planAnswer(turns, tools.map(({ name }) => name));
  log({ api: 'responses', model: body['model'], tools: tools.map(({ name }) => name), plan: plan.kind, turns: turns.length });
  answers += 1;
  const id = `resp_${String(answers)}`;
  const send = startEvents(response);
  let sequence = 0;
  const emit: Emit = (type, details) => {
    send({ type, sequence_number: sequence, ...details }, type);
    sequence += 1;
  };
  const whole = (status: string, output: readonly unknown[]): JsonObject => ({
    response: { id, object: 'response', created_at: 1, status, model: body['model'], output, usage },
  });
  emit('response.created', whole('in_progress', []));
  if (plan.kind === 'tool') {
    const custom = tools.some(({ name, type }) => name === plan.name && type === 'custom');
    const item = emitTool(plan, custom, emit);
    emit('response.completed', whole('completed', [item]));
  } else {
    const item = await emitMessage(plan, response, emit);
    if (item === null) return;
    emit('response.completed', whole('completed', [item]));
  }
  response.end();
}

function turnsOf(input: unknown): ModelTurn[] {
  if (typeof input === 'string') return [{ role: 'user', text: input }];
  return objects(input).map((item) => {
    if (item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output') {
      return { role: 'tool', text: plainText(item['output']) || JSON.stringify(item['output']) };
    }
    return { role: String(item['role']), text: plainText(item['content']) };
  });
}

function emitTool(plan: Extract<ModelPlan, { kind: 'tool' }>, custom: boolean, emit: Emit): JsonObject {
  const call = { call_id: `call_${String(answers)}`, name: plan.name, status: 'completed' };
  const item = custom
    ? { type: 'custom_tool_call', id: `ctc_${String(answers)}`, ...call, input: plan.args['input'] }
    : { type: 'function_call', id: `fc_${String(answers)}`, ...call, arguments: JSON.stringify(plan.args) };
  emit('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
  emit('response.output_item.done', { output_index: 0, item });
  return item;
}

/** Null when the answer broke off on purpose. */
async function emitMessage(plan: Exclude<ModelPlan, { kind: 'tool' }>, response: ServerResponse, emit: Emit): Promise<JsonObject | null> {
  const id = `msg_${String(answers)}`;
  const place = { item_id: id, output_index: 0, content_index: 0 };
  const message = (status: string, content: readonly unknown[]): JsonObject => ({ type: 'message', id, role: 'assistant', status, content });
  const delta = (text: string): void => emit('response.output_text.delta', { ...place, delta: text });
  emit('response.output_item.added', { output_index: 0, item: message('in_progress', []) });
  emit('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } });
  if (await breakOff(plan, response, delta)) return null;
  await sendParts(plan, response, delta);
  const text = plan.parts.join('');
  const item = message('completed', [{ type: 'output_text', text, annotations: [] }]);
  emit('response.output_text.done', { ...place, text });
  emit('response.output_item.done', { output_index: 0, item });
  return item;
}
