import type { ServerResponse } from 'node:http';
import { planAnswer } from './modelPlan.ts';
import { breakOff, objects, plainText, sendParts, startEvents, type JsonObject } from './modelWire.ts';

const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
let answers = 0;

/** OpenAI's chat completions format. */
export async function answerChat(body: JsonObject, response: ServerResponse, log: (entry: JsonObject) => void): Promise<void> {
  const tools = objects(body['tools']).map((tool) => String((tool['function'] as JsonObject | undefined)?.['name']));
  const turns = objects(body['messages']).map((message) => ({ role: String(message['role']), text: plainText(message['content']) }));
  const plan = planAnswer(turns, tools);
  log({ api: 'chat', model: body['model'], tools, plan: plan.kind, turns: turns.length });
  answers += 1;
  const base = { id: `chat-${String(answers)}`, object: 'chat.completion.chunk', created: 1, model: body['model'] };
  if (body['stream'] !== true) {
    const message = { role: 'assistant', content: plan.kind === 'tool' ? '' : plan.parts.join('') };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...base, object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message }], usage }));
    return;
  }
  const send = startEvents(response);
  const delta = (value: JsonObject, finish: string | null = null): void =>
    send({ ...base, choices: [{ index: 0, delta: value, finish_reason: finish }] });
  delta({ role: 'assistant', content: '' });
  if (await breakOff(plan, response, (content) => delta({ content }))) return;
  if (plan.kind === 'tool') {
    const call = { name: plan.name, arguments: JSON.stringify(plan.args) };
    delta({ tool_calls: [{ index: 0, id: `call-${String(answers)}`, type: 'function', function: call }] });
    delta({}, 'tool_calls');
  } else {
    await sendParts(plan, response, (content) => delta({ content }));
    delta({}, 'stop');
  }
  send({ ...base, choices: [], usage });
  send('[DONE]');
  response.end();
}
