import type { ItemKey } from '../../protocol/ids.ts';
import type { ReportOp } from '../../protocol/host/commands.ts';
import { MAX_PICTURES } from '../../protocol/limits.ts';
import type { AttachedContent } from '../../protocol/turn/attachment.ts';
import type { ItemState, PlanEntry } from '../../protocol/item/state.ts';
import { toolCallKey } from '../toolCallKey.ts';
import { keptPicture, pictureIn } from './contentPicture.ts';
import { contentText } from './contentText.ts';
import { parentCall } from './parentCall.ts';
import { type Keeper, ToolCallItem } from './toolCallItem.ts';
import { fields, firstWithin, list, text, textOrNull, wholeStart, type Fields } from './wire.ts';

export interface TurnMapperOptions extends Keeper {
  /** Takes every report of the turn, in order. */
  readonly report: (ops: readonly ReportOp[]) => void;
  readonly log: (message: string) => void;
}

type Ended = Exclude<ItemState, 'started'>;
type SpokenKind = 'agent_message' | 'thought';

interface Spoken {
  readonly key: ItemKey;
  readonly kind: SpokenKind;
  readonly messageId: string | null;
  /** What it has shown; words that come then begin another one. */
  readonly pictures: readonly AttachedContent[];
}

interface Tool {
  readonly item: ToolCallItem;
  /** The call that runs the sub-agent this one belongs to, '' for none. */
  readonly parent: string;
  open: boolean;
}

const maxDelta = 32 * 1024;

/**
 * Turns the updates of one turn into reports. Alone decides where an item begins and ends; after `end` nothing of the turn
 * is open and nothing more is reported. No clock, no files, no processes.
 */
export class TurnMapper {
  readonly #options: TurnMapperOptions;
  readonly #tools = new Map<string, Tool>();
  /** The agent's id to the one it goes by here, where it was used again. */
  readonly #reused = new Map<string, string>();
  /** What is being said, by who says it: the tool call that runs a sub-agent, '' for the agent itself. */
  readonly #spoken = new Map<string, Spoken>();
  #plan: ItemKey | null = null;
  #lastMessage: ItemKey | null = null;
  #count = 0;
  #ended = false;

  constructor(options: TurnMapperOptions) {
    this.#options = options;
  }

  /** The key of the agent's last message, null when it has said nothing. */
  get lastMessageKey(): ItemKey | null {
    return this.#lastMessage;
  }

  update(update: Fields): void {
    const kind = update['sessionUpdate'];
    if (this.#ended) {
      this.#options.log(`dropped ${String(kind)} that came after the end of the turn`);
      return;
    }
    switch (kind) {
      case 'agent_message_chunk':
        return this.#speak('agent_message', update);
      case 'agent_thought_chunk':
        return this.#speak('thought', update);
      case 'tool_call':
      case 'tool_call_update':
        return void this.toolCall(update, kind === 'tool_call');
      case 'plan':
        return this.#setPlan(update['entries']);
      case 'notice':
        return this.#notice(update);
      // The echo of the prompt: it is shown already.
      case 'user_message_chunk':
        return;
      default:
        this.#options.log(`left out an update of unknown kind ${String(kind)}`);
    }
  }

  /** Makes a tool call known, or changes it. Returns the id it goes by, which the key of its item is made from. */
  toolCall(update: Fields, isStart: boolean): string {
    const given = textOrNull(update['toolCallId']) ?? `unnamed-${String((this.#count += 1))}`;
    const id = this.#reused.get(given) ?? given;
    const known = this.#tools.get(id);
    if (this.#ended) return id;
    if (known === undefined) {
      this.#startTool(id, update);
      return id;
    }
    if (known.open) {
      this.#changeTool(known, update);
      return id;
    }
    if (!isStart) {
      this.#options.log(`dropped an update of tool call ${id}, which has ended`);
      return id;
    }
    const next = `${given}~${String((this.#count += 1))}`;
    this.#reused.set(given, next);
    this.#startTool(next, update);
    return next;
  }

  tool(id: string): ToolCallItem | null {
    return this.#tools.get(id)?.item ?? null;
  }

  /** The person said no: what the agent will call a failure is a refusal. */
  decline(id: string): void {
    const tool = this.#tools.get(id);
    if (tool !== undefined) tool.item.declined = true;
  }

  /** The open tool call that most likely stands behind a file or command request, null when none does. */
  openTool(fits: (item: ToolCallItem) => boolean, toolKind: string): string | null {
    const open = [...this.#tools.values()].filter((tool) => tool.open).map(({ item }) => item);
    const exact = open.findLast(fits);
    const ofKind = open.filter((item) => item.data.toolKind === toolKind);
    return (exact ?? (ofKind.length === 1 ? ofKind[0] : undefined))?.id ?? null;
  }

  /** What the open tool calls of a kind do, in words. */
  openWords(toolKind: string): string[] {
    return [...this.#tools.values()].filter(({ item, open }) => open && item.data.toolKind === toolKind).map(({ item }) => item.command ?? item.data.title);
  }

  /** Ends everything that is open. `tools`: how calls end that the agent left open. */
  end(tools: Ended, rest: Ended): void {
    if (this.#ended) return;
    for (const speaker of [...this.#spoken.keys()]) this.#closeSpoken(speaker, rest);
    for (const tool of this.#tools.values()) {
      if (tool.open) this.#options.report([{ op: 'item.end', itemKey: toolCallKey(tool.item.id), state: tool.item.declined ? 'declined' : tools }]);
      tool.open = false;
    }
    if (this.#plan !== null) this.#options.report([{ op: 'item.end', itemKey: this.#plan, state: rest }]);
    this.#ended = true;
  }

  #speak(kind: SpokenKind, update: Fields): void {
    const block = kind === 'agent_message' ? pictureIn(update['content']) : null;
    const picture = block === null ? null : keptPicture(block, this.#options);
    if (picture !== null) return this.#show(picture, update);
    const content = contentText(update['content']);
    if (content === '') return;
    const open = this.#goingOn(kind, update);
    const pieces = inPieces(content);
    const { key } = open !== null && open.pictures.length === 0 ? open : this.#startSpoken(kind, update, pieces.shift() ?? '');
    for (const piece of pieces) this.#options.report([{ op: 'item.delta', itemKey: key, text: piece }]);
  }

  #show(picture: AttachedContent, update: Fields): void {
    const open = this.#goingOn('agent_message', update);
    if (open === null || open.pictures.length >= MAX_PICTURES) return void this.#startSpoken('agent_message', update, '', [picture]);
    const pictures = [...open.pictures, picture];
    this.#spoken.set(this.#parentOf(update), { ...open, pictures });
    this.#options.report([{ op: 'item.update', itemKey: open.key, data: { kind: 'agent_message', pictures } }]);
  }

  /** What is open and the update belongs to, null where it begins something new. */
  #goingOn(kind: SpokenKind, update: Fields): Spoken | null {
    const messageId = textOrNull(update['messageId']);
    const open = this.#spoken.get(this.#parentOf(update));
    return open !== undefined && open.kind === kind && (open.messageId === messageId || messageId === null || open.messageId === null) ? open : null;
  }

  #startSpoken(kind: SpokenKind, update: Fields, start: string, pictures: readonly AttachedContent[] = []): Spoken {
    const speaker = this.#parentOf(update);
    this.#closeSpoken(speaker, 'completed');
    const key = this.#newKey(kind === 'thought' ? 'thought' : 'message');
    const spoken = { key, kind, messageId: textOrNull(update['messageId']), pictures };
    this.#spoken.set(speaker, spoken);
    // What a sub-agent says is not the answer.
    if (kind === 'agent_message' && speaker === '') this.#lastMessage = key;
    this.#options.report([{ op: 'item.start', itemKey: key, data: pictures.length === 0 ? { kind } : { kind: 'agent_message', pictures: [...pictures] }, text: start, ...under(speaker) }]);
    return spoken;
  }

  #closeSpoken(speaker: string, state: Ended): void {
    const spoken = this.#spoken.get(speaker);
    if (spoken !== undefined) this.#options.report([{ op: 'item.end', itemKey: spoken.key, state }]);
    this.#spoken.delete(speaker);
  }

  /** The known call that an update belongs to, '' for none. */
  #parentOf(update: Fields): string {
    const given = parentCall(update);
    const id = given === null ? null : (this.#reused.get(given) ?? given);
    return id !== null && this.#tools.has(id) ? id : '';
  }

  #startTool(id: string, update: Fields): void {
    const parent = this.#parentOf(update);
    this.#closeSpoken(parent, 'completed');
    const item = new ToolCallItem(id);
    const end = item.apply(update, this.#options);
    this.#tools.set(id, { item, parent, open: end === null });
    const start = { op: 'item.start', itemKey: toolCallKey(id), data: item.data, ...under(parent) } as const;
    const [first, ...rest] = inPieces(item.text);
    const ops: ReportOp[] = [first === undefined ? start : { ...start, text: first }];
    for (const piece of rest) ops.push({ op: 'item.delta', itemKey: start.itemKey, text: piece });
    if (end !== null) ops.push({ op: 'item.end', itemKey: start.itemKey, state: end });
    this.#options.report(ops);
  }

  #changeTool(tool: Tool, update: Fields): void {
    const { item } = tool;
    const before = { data: JSON.stringify(item.data), text: item.text };
    const end = item.apply(update, this.#options);
    const itemKey = toolCallKey(item.id);
    const data = JSON.stringify(item.data) === before.data ? {} : { data: item.data };
    const grown = item.text.startsWith(before.text) ? item.text.slice(before.text.length) : null;
    const replaced = grown === null ? { text: item.text } : {};
    const ops: ReportOp[] = inPieces(grown ?? '').map((piece) => ({ op: 'item.delta', itemKey, text: piece }));
    if (end !== null) ops.push({ op: 'item.end', itemKey, state: end, ...data, ...replaced });
    else if ('data' in data || 'text' in replaced) ops.push({ op: 'item.update', itemKey, ...data, ...replaced });
    tool.open = end === null;
    if (end !== null) this.#closeSpoken(item.id, 'completed');
    if (end !== null && end !== 'completed') this.#endBelow(item.id);
    if (ops.length > 0) this.#options.report(ops);
  }

  /** A sub-agent that came to nothing does nothing more. */
  #endBelow(id: string): void {
    for (const tool of this.#tools.values()) {
      if (tool.parent !== id) continue;
      this.#closeSpoken(tool.item.id, 'cancelled');
      this.#endBelow(tool.item.id);
      if (tool.open) this.#options.report([{ op: 'item.end', itemKey: toolCallKey(tool.item.id), state: tool.item.declined ? 'declined' : 'cancelled' }]);
      tool.open = false;
    }
  }

  #setPlan(value: unknown): void {
    const data = { kind: 'plan', entries: planEntries(value) } as const;
    if (this.#plan !== null) return this.#options.report([{ op: 'item.update', itemKey: this.#plan, data }]);
    this.#closeSpoken('', 'completed');
    this.#plan = this.#newKey('plan');
    this.#options.report([{ op: 'item.start', itemKey: this.#plan, data }]);
  }

  #notice(update: Fields): void {
    const words = [text(update['title'], 2_000), text(update['description'], 10_000)].filter((part) => part !== '').join('\n');
    if (words === '') return;
    this.#closeSpoken('', 'completed');
    const level = update['severity'] === 'warning' || update['severity'] === 'error' ? 'warning' : 'info';
    this.#options.report([{ op: 'item.start', itemKey: this.#newKey('notice'), data: { kind: 'notice', level }, text: words, state: 'completed' }]);
  }

  #newKey(kind: string): ItemKey {
    this.#count += 1;
    return `${kind}.${String(this.#count)}` as ItemKey;
  }
}

const under = (parent: string): { parent?: ItemKey } => (parent === '' ? {} : { parent: toolCallKey(parent) });

function inPieces(value: string): string[] {
  const pieces: string[] = [];
  let rest = value;
  while (rest !== '') {
    const piece = rest.length <= maxDelta ? rest : wholeStart(rest, maxDelta);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

const maxPlanChars = 128 * 1024;

function planEntries(value: unknown): PlanEntry[] {
  const entries = list(value).slice(0, 500).flatMap((entry): PlanEntry[] => {
    const { content, status, priority } = fields(entry);
    const words = text(content, 10_000);
    if (words === '') return [];
    return [{
      content: words,
      status: status === 'in_progress' || status === 'completed' ? status : 'pending',
      ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
    }];
  });
  return firstWithin(entries, maxPlanChars, ({ content }) => content.length);
}
