import { Component, type VNode } from 'preact';
import type { AttachmentKind, ComposerAttachment } from '../../../src/protocol/panelAttachment.ts';
import type { Attachment } from '../../../src/protocol/turn/attachment.ts';
import { isPicture } from '../../../src/protocol/turn/picture.ts';
import type { Pictures } from '../composer/pictures.ts';
import type { Tray } from '../composer/tray.ts';
import { t } from '../l10n.ts';
import { el, icon, iconButton, draw, type Surroundings, SurroundingsContext } from './dom.ts';

const ICONS: Readonly<Record<AttachmentKind, string>> = {
  picture: 'file-media', file: 'file', folder: 'folder', symbol: 'symbol-method', selection: 'list-selection', problems: 'warning', terminal: 'terminal', changes: 'git-compare',
};

interface TrayProps {
  readonly tray: Tray;
  readonly shown: readonly ComposerAttachment[];
  readonly remove: (attachment: ComposerAttachment) => void;
  /** Where the focus goes when there is nothing left to have it. */
  readonly focusInput: () => void;
}

/** What goes with the message, each to be looked at and taken out, and all that is to be known before it is sent. */
export function TrayView({ tray, shown, remove, focusInput }: TrayProps): VNode | null {
  const { notice, pending } = tray;
  if (shown.length === 0 && pending.length === 0 && notice === null) return null;
  return el('div', { class: 'tray', 'data-region': 'attachments' },
    notice !== null && el('p', { class: 'row tray-note bad', role: 'alert', 'data-note': 'refused' }, icon('error'), el('span', { class: 'grow', dir: 'auto' }, notice), iconButton('close', t('Dismiss'), () => tray.dismiss())),
    (shown.length > 0 || pending.length > 0) && el('ul', { class: 'tray-list', 'aria-label': t('Attached') },
      shown.map((attachment) => draw(Chip, { attachment, tray, key: attachment.id, remove: (element) => { moveFocus(element, focusInput); remove(attachment); } })),
      pending.map(({ id, name }) => el('li', { class: 'attached pending', key: id, 'data-state': 'pending' }, icon('loading'), el('span', { class: 'attached-name', dir: 'auto' }, name)))),
    el('div', { role: 'status' }, shown.flatMap(({ id, name, problem, warning }) => {
      const words = problem ?? warning;
      return words === null ? [] : [el('p', { class: `row tray-note ${problem === null ? 'need' : 'bad'}`, key: id, 'data-note': problem === null ? 'warning' : 'problem' }, icon(problem === null ? 'warning' : 'error'), el('span', { dir: 'auto' }, el('b', null, name), ' ', words))];
    })));
}

interface ChipProps {
  readonly attachment: ComposerAttachment;
  readonly tray: Tray;
  readonly remove: (element: Element) => void;
}

function Chip({ attachment, tray, remove }: ChipProps): VNode {
  const { id, kind, name, detail, problem, warning, digest } = attachment;
  const tone = problem !== null ? ' bad' : warning !== null ? ' need' : '';
  return el('li', { class: `attached${tone}`, 'data-attachment-kind': kind, 'data-state': problem === null ? 'ready' : 'problem' },
    el('button', {
      class: 'attached-open', type: 'button', title: `${name}\n${detail}`, 'aria-label': t('{0}: {1} Press Delete to remove it.', name, detail), onClick: () => tray.open(id),
      onKeyDown: (event) => {
        if (event.key !== 'Delete' && event.key !== 'Backspace') return;
        event.preventDefault();
        remove(event.currentTarget);
      },
    }, digest === null ? icon(ICONS[kind]) : draw(Picture, { digest, alt: '' }), el('span', { class: 'attached-name', dir: 'ltr' }, name)),
    iconButton('close', t('Remove {0}', name), (event) => remove(event.currentTarget)));
}

/** To the next one, else the one before, else to the text. */
function moveFocus(element: Element, focusInput: () => void): void {
  const item = element.closest('li');
  const next = [item?.nextElementSibling, item?.previousElementSibling].map((other) => other?.querySelector<HTMLElement>('.attached-open')).find((other) => other !== null && other !== undefined);
  if (next === undefined || next === null) focusInput();
  else next.focus();
}

interface SentProps {
  /** For who hears it. */
  readonly label: string;
  readonly itemId: string;
  readonly attachments: readonly Attachment[];
}

/** What went with a message that was sent, or the pictures that the agent sent. */
export function SentAttachments({ itemId, attachments, label }: SentProps, { actions }: Surroundings): VNode | null {
  if (attachments.length === 0) return null;
  return el('ul', { class: 'sent', 'aria-label': label }, attachments.map((attachment, index) => {
    const hasPicture = 'digest' in attachment && isPicture(attachment.mimeType);
    return el('li', { class: `attached${hasPicture ? ' picture' : ''}`, key: index },
      el('button', { class: 'attached-open', type: 'button', title: t('Show {0}', attachment.name), 'aria-label': t('Show {0}', attachment.name), onClick: () => actions.post({ type: 'openSent', itemId, index }) },
        hasPicture ? draw(Picture, { digest: attachment.digest, alt: attachment.name }) : icon(sentIcon(attachment)), el('span', { class: 'attached-name', dir: 'ltr' }, attachment.name)));
  }));
}
SentAttachments.contextType = SurroundingsContext;

function sentIcon(attachment: Attachment): string {
  if ('link' in attachment) return attachment.link;
  if (attachment.source === undefined) return 'note';
  return attachment.source.lines === undefined ? 'file' : 'list-selection';
}

interface PictureProps {
  readonly digest: string;
  /** Empty where the name stands beside it. */
  readonly alt: string;
}

/** A small copy of a picture, once it is there. */
class Picture extends Component<PictureProps> {
  static override contextType = SurroundingsContext;
  #forget: () => void = () => undefined;

  override componentDidMount(): void {
    this.#forget = this.#pictures.ask(this.props.digest, () => this.forceUpdate());
  }

  override componentWillUnmount(): void {
    this.#forget();
  }

  override render({ digest, alt }: PictureProps): VNode {
    const address = this.#pictures.get(digest);
    if (address === undefined || address === null) return icon('file-media', address === null ? 'gone' : '');
    return el('img', { class: 'thumbnail', src: address, alt });
  }

  get #pictures(): Pictures {
    return (this.context as Surroundings).pictures;
  }
}
