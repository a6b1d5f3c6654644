/** What was dragged in from the editor or from outside. */
interface Dropped {
  readonly uris: readonly string[];
  readonly files: readonly File[];
}

// The editor's own lists first; text/uri-list is what other programs say.
const LISTS = ['application/vnd.code.uri-list', 'resourceurls', 'codefiles', 'text/uri-list'] as const;

const isOurs = (transfer: DataTransfer | null): transfer is DataTransfer => transfer !== null && (transfer.types.includes('Files') || LISTS.some((type) => transfer.types.includes(type)));

/** Takes files that are dropped anywhere on the page, and shows where they would go. Text is left to the field it is dropped on. */
export function watchDrops(root: HTMLElement, accepts: () => boolean, take: (dropped: Dropped) => void, signal: AbortSignal): void {
  const mark = (on: boolean): void => void root.classList.toggle('dropping', on);
  const over = (event: DragEvent): void => {
    if (!isOurs(event.dataTransfer) || !accepts()) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    mark(true);
  };
  document.addEventListener('dragenter', over, { signal });
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false), { signal });
  document.addEventListener('dragend', () => mark(false), { signal });
  document.addEventListener('drop', (event) => {
    mark(false);
    if (!isOurs(event.dataTransfer)) return;
    // Else the page itself would be replaced by the file.
    event.preventDefault();
    if (accepts()) take(droppedIn(event.dataTransfer));
  }, { signal });
}

/** Files of the editor are named; only what comes from outside is read here. */
export function droppedIn(transfer: Pick<DataTransfer, 'getData' | 'files'>): Dropped {
  for (const type of LISTS) {
    const uris = urisIn(transfer.getData(type));
    if (uris.length > 0 && uris.every((uri) => !/^https?:/i.test(uri))) return { uris, files: [] };
  }
  return { uris: [], files: [...transfer.files] };
}

function urisIn(text: string): string[] {
  if (text.trim().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text);
      return Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === 'string' && entry !== '') : [];
    } catch {
      return [];
    }
  }
  return text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Files on the clipboard. Where text stands beside its own picture, as from a table or a word processor, the text is meant. */
export function pastedIn({ types, files }: Pick<DataTransfer, 'types' | 'files'>): readonly File[] {
  return types.includes('text/html') && types.includes('text/plain') ? [] : [...files];
}
