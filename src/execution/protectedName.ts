/** As the most forgiving of file systems would take it: case, invisible characters, trailing dots, streams. */
export const plainName = (name: string): string => name.normalize('NFKC').replaceAll(/\p{Cf}/gu, '').toLowerCase().replace(/:.*$/, '').replace(/[. ]+$/, '');

/** Of a plain name: Git's hooks and settings run commands. */
export const isOfGit = (plain: string): boolean => plain === '.git' || /^git~\d+$/.test(plain);

/** Of a plain name: settings of the workspace widen rights, files of variables hold secrets. */
export const isSensitive = (plain: string): boolean => plain === '.vscode' || plain.startsWith('.env') || plain.endsWith('.code-workspace') || /^(?:vscode|env)~\d+$/.test(plain);
