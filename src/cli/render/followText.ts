import type { Item, ItemData } from '../../protocol/item/state.ts';
import type { Turn } from '../../protocol/turn/state.ts';
import type { Change, ItemHead } from '../follow/changes.ts';
import type { Output } from '../output/output.ts';
import { accent, attention, bad, bold, dim, good, type Line, type Span, type Style } from '../output/spans.ts';
import { duration } from '../output/times.ts';
import { askedFor, changeLines, verdict } from './approvalText.ts';
import { StreamedText } from './streamedText.ts';

interface Look {
  readonly prefix: string;
  readonly style: Style;
}

/** How the running text of each kind of item looks: what an agent says is as it is, all else stands back. */
const LOOKS: Readonly<Record<Item['data']['kind'], Look>> = {
  user_message: { prefix: '› ', style: 'bold' },
  agent_message: { prefix: '', style: 'plain' },
  thought: { prefix: '┊ ', style: 'dim' },
  plan: { prefix: '  ', style: 'dim' },
  tool_call: { prefix: '  ', style: 'dim' },
  edit: { prefix: '  ', style: 'dim' },
  command: { prefix: '  ', style: 'dim' },
  approval: { prefix: '  ', style: 'dim' },
  notice: { prefix: '! ', style: 'attention' },
  error: { prefix: '✗ ', style: 'bad' },
};

/** Shows a followed session to a person: what is said as it is said, what is done by its name and its end. */
export class FollowText {
  readonly #output: Output;
  readonly #text: StreamedText;
  readonly #items = new Map<string, ItemHead>();
  readonly #nameOf: (approvalId: string) => string;
  #spoken: string | null = null;
  #shownSession = '';

  constructor(output: Output, nameOf: (approvalId: string) => string) {
    this.#output = output;
    this.#text = new StreamedText(output);
    this.#nameOf = nameOf;
  }

  async tell(change: Change): Promise<void> {
    switch (change.type) {
      case 'session':
        return this.#session(change);
      case 'turn':
        return undefined;
      case 'turn.ended':
        this.#items.clear();
        return this.#block(...turnEnd(change.turn));
      case 'item':
        return this.#item(change.item);
      case 'text':
        return this.#say(change);
      case 'item.ended':
        return this.#block(...itemEnd(change.item));
      case 'approval':
        return this.#approval(change);
    }
  }

  async #block(...lines: Line[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#text.endLine();
    this.#spoken = null;
    await this.#output.lines(lines);
  }

  /** Working and ready are seen by the turns; the rest is told when it changes. */
  async #session({ session }: Extract<Change, { type: 'session' }>): Promise<void> {
    const shown = JSON.stringify([session.executor.state, session.queue.paused, session.bindingMatch, session.status === 'closed']);
    if (shown === this.#shownSession) return;
    this.#shownSession = shown;
    const gone = session.status !== 'closed' && session.executor.state !== 'connected' ? [dim(' · no window runs it now')] : [];
    const paused = session.queue.paused ? [dim(' · the queue is paused')] : [];
    await this.#block([bold(session.title), dim(` · ${session.goalTitle} · ${session.agentId} · ${session.status}`), ...gone, ...paused]);
  }

  async #item(item: ItemHead): Promise<void> {
    const isNew = !this.#items.has(item.itemId);
    this.#items.set(item.itemId, item);
    // A changed plan is shown again; of other changes the end is enough.
    if (isNew || item.data.kind === 'plan') await this.#block(...itemStart(item.data));
  }

  async #say({ itemId, text, replaces }: Extract<Change, { type: 'text' }>): Promise<void> {
    const item = this.#items.get(itemId);
    const look = LOOKS[item?.data.kind ?? 'agent_message'] ?? LOOKS.agent_message;
    if (this.#spoken !== itemId) await this.#text.endLine();
    if (replaces === true) await this.#block([dim('  (its text is now:)')]);
    this.#spoken = itemId;
    await this.#text.say(text, look.prefix, look.style);
  }

  async #approval({ approval }: Extract<Change, { type: 'approval' }>): Promise<void> {
    const name = this.#nameOf(approval.approvalId);
    if (approval.status !== 'pending') return this.#block(['  ', ...verdict(approval), dim(`  ${askedFor(approval).split('\n', 1)[0] ?? ''}`)]);
    const { subject } = approval;
    await this.#block(
      [attention('? '), bold(askedFor(approval))],
      ...(subject.kind === 'edit' ? subject.changes.flatMap(changeLines) : []),
      [dim(`  attache approve ${name} · attache reject ${name}`)],
    );
  }
}

function itemStart(data: ItemData): Line[] {
  switch (data.kind) {
    case 'user_message':
      return [[], ...(data.attachments ?? []).map(({ name }): Line => [dim(`  + ${name}`)])];
    case 'agent_message':
    case 'thought':
      return [[]];
    case 'plan':
      return [[], ...data.entries.map(({ status, content }): Line => ['  ', planMark(status), ` ${content}`])];
    case 'tool_call':
      return [[], [accent('• '), data.title === '' ? data.toolKind : data.title]];
    case 'edit':
      return [[], [accent('± '), data.change.label, dim(`  +${data.change.added} −${data.change.removed}`)]];
    case 'command':
      return [[], [accent('$ '), bold(data.command)]];
    default:
      return [[]];
  }
}

function planMark(status: string): Span {
  if (status === 'completed') return good('✓');
  return status === 'in_progress' ? accent('▸') : dim('○');
}

function itemEnd({ data, state, outcome }: ItemHead): Line[] {
  const unknown = outcome === 'unknown' ? [attention(' · its outcome is not known')] : [];
  const isQuiet = data.kind === 'user_message' || data.kind === 'agent_message' || data.kind === 'thought' || data.kind === 'plan' || data.kind === 'notice' || data.kind === 'approval';
  if (data.kind === 'error') return [['  ', data.next]];
  if (data.kind === 'command') return [['  ', commandEnd(data, state), ...unknown]];
  const pictures = data.kind === 'agent_message' || data.kind === 'tool_call' ? (data.pictures ?? []).map(({ name }): Line => [dim(`  + ${name}`)]) : [];
  if (isQuiet && state === 'completed') return pictures;
  return [...pictures, ['  ', state === 'completed' ? good('done') : dim(state), ...unknown]];
}

function commandEnd({ exitCode, signal }: Extract<ItemData, { kind: 'command' }>, state: string): Span {
  if (signal !== null) return bad(`ended by ${signal}`);
  if (exitCode === null) return dim(state);
  return exitCode === 0 ? good('exit 0') : bad(`exit ${exitCode}`);
}

function turnEnd({ state, startedAt, endedAt, detail, cause }: Turn): Line[] {
  const took = startedAt === null || endedAt === null ? '' : ` · ${duration(endedAt - startedAt)}`;
  const why = detail ?? cause;
  const word = state === 'completed' ? good(state) : state === 'cancelled' ? attention(state) : bad(state);
  return [[], [dim('── '), word, dim(took), ...(why === null ? [] : [` ${why}`])]];
}
