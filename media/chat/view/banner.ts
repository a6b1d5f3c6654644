import { Component, type VNode } from 'preact';
import type { Banner } from '../format/banners.ts';
import { inOneLine, t } from '../l10n.ts';
import { el, icon, draw, type Surroundings, SurroundingsContext } from './dom.ts';

export function BannerView({ banner }: { readonly banner: Banner }, { actions }: Surroundings): VNode {
  return el('section', { class: `banner ${banner.tone}`, 'data-banner': banner.id, 'aria-label': t('Status') },
    icon(banner.icon),
    el('div', { class: 'banner-inside' },
      el('p', { dir: 'auto' }, el('strong', null, banner.text), inOneLine(banner.text, banner.next).slice(banner.text.length), banner.retryAt !== null && draw(Countdown, { at: banner.retryAt, body: connecting })),
      banner.actions.length > 0 && el('div', { class: 'buttons' }, banner.actions.map(({ label, command }, index) =>
        el('button', { class: `button small ${index === 0 && banner.id !== 'other-window' ? 'primary' : 'secondary'}`, type: 'button', key: command, onClick: () => (command === 'tryAgain' ? actions.resumeQueue() : actions.run(command)) }, label)))));
}
BannerView.contextType = SurroundingsContext;

const connecting = (left: number): VNode => el('span', { class: 'countdown' }, ` ${left === 0 ? t('Connecting…') : t('Next attempt in {0} s.', left)}`);

const secondsTo = (at: number): number => Math.max(0, Math.ceil((at - Date.now()) / 1000));

interface CountdownProps {
  readonly at: number;
  readonly body: (secondsLeft: number) => VNode;
}

/** How long until a moment, told anew each second. */
export class Countdown extends Component<CountdownProps> {
  #timer: ReturnType<typeof setInterval> | undefined;

  override componentDidMount(): void {
    this.#timer = setInterval(() => this.setState({}), 1000);
  }

  override componentWillUnmount(): void {
    clearInterval(this.#timer);
  }

  override render({ at, body }: CountdownProps): VNode {
    return body(secondsTo(at));
  }
}
