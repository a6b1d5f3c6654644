// The page's own script, beside which the others lie, and whose permission to run they share.
const own = typeof document !== 'undefined' && document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;

/** Runs another script of the page; then says whether it came. */
export function loadScript(name: string, done: (came: boolean) => void): void {
  if (own === null) return;
  const script = document.createElement('script');
  script.src = new URL(name, own.src).href;
  script.nonce = own.nonce;
  script.addEventListener('load', () => done(true));
  script.addEventListener('error', () => done(false));
  document.head.append(script);
}
