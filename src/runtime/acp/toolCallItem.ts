import type { FileLocation, ItemDataOf, ItemState } from '../../protocol/item/state.ts';
import { MAX_PICTURES } from '../../protocol/limits.ts';
import type { AttachedContent } from '../../protocol/turn/attachment.ts';
import type { ShownChange, TurnSink } from '../agent.ts';
import { withFirstLines } from '../changeLines.ts';
import { commandText } from '../commandText.ts';
import { keptPicture, type PictureBlock } from './contentPicture.ts';
import { toolContent } from './contentText.ts';
import { amount, clip, fields, firstWithin, list, pretty, text, textOrNull, type Fields } from './wire.ts';

export const maxToolText = 200_000;

/** What keeps that which is too large for an item. */
export type Keeper = Pick<TurnSink, 'describe' | 'keepPicture'>;

/** One tool call as its updates have told it so far. Pure: says what it is, not what is to be reported. */
export class ToolCallItem {
  readonly id: string;
  data: ItemDataOf<'tool_call'> = { kind: 'tool_call', toolKind: 'other', title: 'Tool', locations: [] };
  text = '';
  /** The command it says it runs, null when it says none. */
  command: string | null = null;
  cwd: string | null = null;
  diffs: readonly ShownChange[] = [];
  declined = false;
  #hasTerminal = false;
  #shown = '';
  /** What became of each picture so far: an agent repeats its content with every update. */
  readonly #pictures = new Map<string, AttachedContent | null>();

  constructor(id: string) {
    this.id = id;
  }

  /** Takes over what the update carries. Returns the state it has come to an end with, null while it goes on. */
  apply(update: Fields, keeper: Keeper): Exclude<ItemState, 'started'> | null {
    const toolKind = text(update['kind'], 100);
    const title = text(update['title'], 10_000) || (this.data.title === 'Tool' ? text(update['name'], 10_000) : '');
    this.data = {
      ...this.data,
      ...(toolKind === '' ? {} : { toolKind }),
      ...(title === '' ? {} : { title }),
      ...(Array.isArray(update['locations']) ? { locations: locations(update['locations']) } : {}),
    };
    this.#takeInput(update['rawInput']);
    if (Array.isArray(update['content'])) this.#takeContent(update['content'], keeper);
    this.#takeOutput(update['rawOutput']);
    return endOf(update['status'], this.declined);
  }

  #takeInput(raw: unknown): void {
    const input = pretty(raw, 20_000);
    if (input === '' || input === '{}') return;
    this.data = { ...this.data, input };
    this.command = commandIn(raw) ?? this.command;
    const { cwd, workdir } = fields(raw);
    this.cwd = textOrNull(cwd) ?? textOrNull(workdir) ?? this.cwd;
  }

  #takeContent(value: unknown, keeper: Keeper): void {
    const content = toolContent(value, (block) => this.#keep(block, keeper));
    if (content.pictures.length > 0) this.data = { ...this.data, pictures: [...content.pictures] };
    this.text = clip(content.text, maxToolText);
    this.#hasTerminal ||= content.hasTerminal;
    const shown = JSON.stringify(content.diffs);
    if (shown === this.#shown || (content.diffs.length === 0 && this.diffs.length > 0)) return;
    this.#shown = shown;
    this.diffs = content.diffs;
    if (content.diffs.length > 0) this.data = { ...this.data, changes: withFirstLines(content.diffs.slice(0, 50).map((change) => keeper.describe(change))) };
  }

  #keep(block: PictureBlock, keeper: Keeper): AttachedContent | null {
    const known = this.#pictures.get(block.data);
    if (known !== undefined) return known;
    const kept = this.#pictures.size < MAX_PICTURES ? keptPicture(block, keeper) : null;
    this.#pictures.set(block.data, kept);
    return kept;
  }

  /** What the agent shows wins; its raw result is better than nothing. */
  #takeOutput(raw: unknown): void {
    if (this.text !== '' || this.#hasTerminal || this.diffs.length > 0) return;
    const { output, formatted_output: formatted, stdout } = fields(raw);
    const plain = [formatted, output, stdout].map(textOrNull).find((value) => value !== null && value !== '');
    this.text = plain === undefined || plain === null ? pretty(raw, 20_000) : clip(plain, maxToolText);
  }
}

const maxLocationChars = 64 * 1024;

function locations(value: unknown): FileLocation[] {
  const places = list(value).slice(0, 200).flatMap((entry) => {
    const path = text(fields(entry)['path'], 4096);
    const line = amount(fields(entry)['line']);
    if (path === '') return [];
    return [line === null || line > Number.MAX_SAFE_INTEGER ? { path } : { path, line: Math.floor(line) }];
  });
  return firstWithin(places, maxLocationChars, ({ path }) => path.length);
}

/** `command`, `cmd` or `script` of a tool's input: a text, or an argument vector. */
export function commandIn(raw: unknown): string | null {
  const { command, cmd, script } = fields(raw);
  for (const value of [command, cmd, script]) {
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')) return commandText(value);
  }
  return null;
}

function endOf(status: unknown, declined: boolean): Exclude<ItemState, 'started'> | null {
  switch (status) {
    case 'completed':
      return 'completed';
    case 'failed':
      return declined ? 'declined' : 'failed';
    case 'cancelled':
    case 'canceled':
      return 'cancelled';
    case 'rejected':
    case 'declined':
      return 'declined';
    default:
      return null;
  }
}
