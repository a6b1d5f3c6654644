import { Component, type ComponentChildren } from 'preact';
import { t } from '../l10n.ts';
import { el } from './dom.ts';

interface BoundaryProps {
  /** What is shown instead, as plain text. */
  readonly raw: () => string;
  readonly onError: (error: unknown) => void;
  readonly children: ComponentChildren;
}

/** Keeps a part that cannot be drawn from taking the rest of the page with it. */
export class ErrorBoundary extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ComponentChildren {
    if (!this.state.failed) return this.props.children;
    return el('div', { class: 'raw', role: 'note' }, el('p', { class: 'meta' }, t('This part could not be drawn; here is its text.')), el('pre', { dir: 'auto', tabIndex: 0 }, this.props.raw()));
  }
}
