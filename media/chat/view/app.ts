import { isHeld } from '../../../src/protocol/session/held.ts';
import { type VNode } from 'preact';
import type { OutboxEntry, PanelState } from '../../../src/protocol/panel.ts';
import { isActive } from '../../../src/protocol/turn/phase.ts';
import { banners } from '../format/banners.ts';
import type { Actions } from '../actions.ts';
import { inOneLine, t, told } from '../l10n.ts';
import type { PageState, Toast } from '../store.ts';
import type { Entry } from '../rowWindow.ts';
import { BannerView, Countdown } from './banner.ts';
import type { ComposerDesk } from '../composer/desk.ts';
import { Composer } from './composer.ts';
import { type Surroundings, el, icon, iconButton, linkButton, draw, SurroundingsContext } from './dom.ts';
import { EmptyState, Skeleton } from './emptyState.ts';
import { Header } from './header.ts';
import type { PromptHistory } from './promptHistory.ts';
import { OutboxList, Queue } from './queue.ts';
import { RowView } from './turn.ts';

// Names a test may rely on:
//   header     [data-chip="goal|mode|agent|state"]
//   banner     [data-banner="no-folder|untrusted|disconnected|failed|store-loss|closed|stale-goal|retired-goal|no-lifetime|damaged-goal|unrecognized|dead-agent|no-agent|resume-failed|no-executor|other-window"]
//   transcript [data-region="transcript"], [data-region="empty"], [data-region="loading"], [data-region="earlier"], [data-region="jump"][data-unseen], [data-region="taken-over"]
//   turn       [data-turn-id][data-state], inside it its items
//   item       [data-item-id][data-kind][data-state]; items below a tool call are nested
//   request    [data-approval-id][data-status]; its answers are button[data-option-kind]; the same element becomes the receipt
//   outbox     [data-region="outbox"], inside it [data-client-turn-id][data-state="sending|failed"]
//   queue      [data-region="queue"][data-paused], inside it [data-turn-id][data-state="queued"]
//   composer   [data-region="composer"], its textarea is named "Message"; agent options are select[data-option-id]
//   others     [data-region="toast"], [data-region="page-error"], [data-region="find"]

/** Everything the page draws from. */
export interface Model {
  readonly state: PanelState;
  readonly page: PageState;
  readonly surroundings: Surroundings;
  /** The rows to be drawn, and the spaces of those left out. */
  readonly entries: readonly Entry[];
  readonly outbox: readonly OutboxEntry[];
  readonly draft: string;
  readonly following: boolean;
  readonly unseen: boolean;
}

/** What the page hands to its parts besides data. */
export interface Handles {
  readonly history: PromptHistory;
  readonly desk: ComposerDesk;
  readonly input: { current: HTMLTextAreaElement | null };
  readonly scroll: { current: HTMLElement | null };
  readonly content: { current: HTMLDivElement | null };
  readonly rows: { current: HTMLDivElement | null };
  readonly revealFirst: () => void;
  readonly jumpToEnd: () => void;
  /** Null while nobody looks for anything. */
  readonly findBar: () => VNode | null;
}

interface AppProps {
  readonly model: Model | null;
  readonly handles: Handles;
}

export function App({ model, handles }: AppProps): VNode {
  if (model === null) return draw(Skeleton, {});
  const { state, page, surroundings } = model;
  const active = state.view?.turns.find((turn) => isActive(turn.state));
  const stopping = active !== undefined && (active.state === 'cancelling' || active.turnId === page.stoppingTurnId);
  const busy = active !== undefined || model.outbox.some((entry) => entry.state === 'sending');
  const queued = state.view?.turns.filter((turn) => turn.state === 'queued') ?? [];
  return draw(SurroundingsContext.Provider, { value: surroundings, children: el('div', { class: 'panel' },
    draw(Header, { state, local: page, revealFirst: handles.revealFirst }),
    banners(state).map((banner) => draw(BannerView, { banner, key: banner.id })),
    draw(Transcript, { model, handles }),
    el('footer', { class: 'foot' },
      page.toast !== null && toast(page.toast, surroundings.actions),
      draw(Queue, { turns: queued, paused: state.view?.session.queue.paused ?? false, held: state.view !== null && isHeld(state.view.session) }),
      draw(Composer, { state, text: model.draft, running: busy, stopping, history: handles.history, tray: handles.desk.tray, mentions: handles.desk.mentions, input: handles.input }))) });
}

function Transcript({ model, handles }: { readonly model: Model; readonly handles: Handles }): VNode {
  const { state, page, entries, outbox } = model;
  const empty = entries.length === 0 && outbox.length === 0;
  return el('div', { class: 'middle' },
    handles.findBar(),
    el('main', { class: 'scroll', ref: handles.scroll, tabIndex: 0, 'aria-label': t('Transcript'), 'data-region': 'transcript' },
      el('div', { class: 'content', ref: handles.content },
        state.view !== null && state.view.earlier !== null && earlier(page.loadingEarlier, model.surroundings),
        empty && draw(EmptyState, { state }),
        state.view?.session.lastErrorCode === 'executor_replaced' && el('div', { class: 'row notice', 'data-region': 'taken-over' }, icon('info'), t('This session was taken over: from here on it runs in another window than before.')),
        el('div', { class: 'rows', ref: handles.rows, role: 'feed', 'aria-label': t('Messages'), 'aria-busy': page.loadingEarlier, hidden: entries.length === 0 }, entries.map((entry) => drawEntry(entry, model))),
        draw(OutboxList, { entries: outbox }))),
    !model.following && !empty && el('div', { class: 'jump-row' }, jump(model.unseen, handles)));
}

/** Where nobody looks there is only space. A space goes by the row before it, so that rows keep their places among their neighbours. */
function drawEntry(entry: Entry, { page, state }: Model): VNode {
  if ('gap' in entry) return el('div', { 'class': 'left-out', 'key': entry.key, 'aria-hidden': 'true', 'ref': (element) => { if (element !== null) element.style.height = `${entry.gap}px`; } });
  const { row } = entry;
  return draw(RowView, { row, stopping: page.stoppingTurnId === row.part.turn.turnId, turnCount: state.view?.turns.at(-1)?.turnIdx ?? 0, key: row.key });
}

function earlier(loading: boolean, { actions }: Surroundings): VNode {
  return el('div', { class: 'earlier', 'data-region': 'earlier' },
    linkButton(loading ? [icon('loading'), t('Loading earlier messages…')] : t('Show earlier messages'), () => actions.loadEarlier(), { 'aria-disabled': loading }));
}

function jump(unseen: boolean, { jumpToEnd }: Handles): VNode {
  return el('button', { class: `jump ${unseen ? 'unseen' : ''}`, type: 'button', 'data-region': 'jump', 'data-unseen': unseen, 'aria-label': unseen ? t('New output: jump to latest') : t('Jump to latest'), title: t('Jump to latest'), onClick: jumpToEnd },
    icon('arrow-down'), unseen ? t('New output') : t('Jump to latest'));
}

function toast({ message, next, again }: Toast, actions: Actions): VNode {
  return el('div', { class: 'toast', role: 'status', 'data-region': 'toast' },
    icon('info'), el('span', { class: 'grow', dir: 'auto' }, inOneLine(told(message), told(next)),
      again !== undefined && ' ', again !== undefined && draw(Countdown, { at: again.at, body: (left) => linkButton(left > 0 ? t('{0} in {1} s', again.label, left) : again.label, () => actions.tryAgain(again.command), { disabled: left > 0 }) })),
    iconButton('close', t('Dismiss'), () => actions.hideToast()));
}
