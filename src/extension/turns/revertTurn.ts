import * as vscode from 'vscode';
import { digestOf } from '../../execution/digest.ts';
import { applyRevert, planRevert, type RevertibleChange, type RevertStep } from '../../execution/revertPlan.ts';
import type { ExecutionPlane } from '../../execution/plane.ts';
import type { RevertedFile } from '../../protocol/item/state.ts';
import { describeToPeople } from '../log.ts';
import type { Digest } from '../../protocol/ids.ts';
import type { BlobTexts } from '../approvals/blobTexts.ts';
import { turnFile } from './readTurn.ts';

export interface RevertParts {
  readonly plane: ExecutionPlane;
  readonly texts: BlobTexts;
  readonly workspace: string;
  /** How later turns left each file; asked only where a file is not as the turn left it. */
  readonly later: () => Promise<ReadonlyMap<string, readonly Digest[]>>;
}

interface PlannedFile {
  readonly label: string;
  readonly step: RevertStep;
}

interface StepRow extends vscode.QuickPickItem {
  readonly planned?: PlannedFile;
}

/** What was done, and what is to be said of it. */
export interface Reverted {
  readonly files: readonly RevertedFile[];
  readonly said: string;
  readonly isFailure: boolean;
}

/** Shows file by file how the turn can be taken back, and takes back what is chosen. What somebody has changed since is asked about once more. */
export async function revertTurn(changes: readonly RevertibleChange[], parts: RevertParts): Promise<Reverted | null> {
  const plan = await planFiles(changes, parts);
  const chosen = await vscode.window.showQuickPick(planRows(plan), {
    title: vscode.l10n.t('Revert Turn’s Changes'), placeHolder: vscode.l10n.t('Choose the files that are to become again what they were before the turn'), canPickMany: true, ignoreFocusOut: true, matchOnDescription: true,
  });
  return chosen === undefined ? null : carryOutAll(chosen.flatMap(({ planned }) => planned ?? []), parts);
}

/** Brings back all that a revert took away, as far as nobody has touched it since; the rest is asked about. */
export async function undoRevert(changes: readonly RevertibleChange[], parts: RevertParts): Promise<Reverted> {
  return carryOutAll(await planFiles(changes, parts), parts);
}

const planFiles = (changes: readonly RevertibleChange[], parts: RevertParts): Promise<PlannedFile[]> => Promise.all(changes.map((change) => planFile(change, parts)));

async function planFile(change: RevertibleChange, { plane, texts, workspace, later }: RevertParts): Promise<PlannedFile> {
  const { label, path } = change;
  const sides = await Promise.all([turnFile(texts, workspace, change), plane.read(path)]).catch(() => null);
  if (sides === null) return { label, step: { path, verdict: 'lost' } };
  const step = planRevert(...sides, []);
  return { label, step: step.verdict === 'changed' ? planRevert(...sides, (await later()).get(path) ?? []) : step };
}

const GROUPS: readonly { readonly verdict: RevertStep['verdict']; readonly title: string }[] = [
  { verdict: 'clean', title: vscode.l10n.t('As the turn left it') },
  { verdict: 'changed', title: vscode.l10n.t('Changed since: asked about once more') },
  { verdict: 'done', title: vscode.l10n.t('Nothing to do') },
  { verdict: 'lost', title: vscode.l10n.t('Cannot be given back') },
];

/** Only what nobody has touched since is chosen beforehand. */
export function planRows(plan: readonly PlannedFile[]): StepRow[] {
  return GROUPS.flatMap(({ verdict, title }) => {
    const members = plan.filter(({ step }) => step.verdict === verdict);
    if (members.length === 0) return [];
    return [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...members.map((planned) => ({ label: planned.label, description: stepText(planned.step), picked: verdict === 'clean', planned }))];
  });
}

const ACTS = { restore: vscode.l10n.t('gets its earlier text back'), delete: vscode.l10n.t('was created by the turn and is deleted'), recreate: vscode.l10n.t('is gone and is created again') };

function stepText(step: RevertStep): string {
  switch (step.verdict) {
    case 'clean':
      return ACTS[step.act];
    case 'changed':
      return `${step.by === 'turn' ? vscode.l10n.t('changed by a later turn') : vscode.l10n.t('changed since by you or another session')}; ${ACTS[step.act]}`;
    case 'done':
      return vscode.l10n.t('is as it was before the turn');
    case 'lost':
      return vscode.l10n.t('what it was before is not kept, or cannot be read');
  }
}

interface Result {
  readonly label: string;
  readonly state: 'reverted' | 'left' | 'failed';
  readonly why: string;
  readonly file?: RevertedFile;
}

const KEEP = vscode.l10n.t('Keep Later Changes');
const DISCARD = vscode.l10n.t('Discard Later Changes');

async function carryOutAll(plan: readonly PlannedFile[], parts: RevertParts): Promise<Reverted> {
  const results: Result[] = [];
  for (const planned of plan) results.push(await carryOut(planned, parts));
  return { files: results.flatMap(({ file }) => file ?? []), said: summary(results), isFailure: results.some(({ state }) => state === 'failed') };
}

async function carryOut({ label, step }: PlannedFile, parts: RevertParts): Promise<Result> {
  if (step.verdict === 'done' || step.verdict === 'lost') return { label, state: 'left', why: stepText(step) };
  const choice = step.verdict === 'clean' ? 'replace' : await askAbout(label, step);
  if (choice === null) return { label, state: 'left', why: vscode.l10n.t('you left it as it is') };
  try {
    // What goes is kept first: also a file that is deleted can be brought back.
    const before = await keep(step, parts);
    await applyRevert(parts.plane, step, choice);
    const { text } = await parts.plane.read(step.path);
    return { label, state: 'reverted', why: '', file: { path: step.path, label, ...before, after: text === null ? null : digestOf(text) } };
  } catch (error) {
    return { label, state: 'failed', why: describeToPeople(error) };
  }
}

async function keep({ path, present }: Extract<RevertStep, { verdict: 'clean' | 'changed' }>, { plane, texts, workspace }: RevertParts): Promise<Pick<RevertedFile, 'before' | 'kept'>> {
  if (present === null) return { before: null, kept: null };
  const before = await texts.put(workspace, present);
  const { dirty } = await plane.read(path);
  const bytes = dirty ? null : await plane.readBytes(path);
  return bytes === null ? { before } : { before, kept: await texts.put(workspace, bytes) };
}

async function askAbout(label: string, step: Extract<RevertStep, { verdict: 'changed' }>): Promise<'replace' | 'merge' | null> {
  const who = step.by === 'turn' ? vscode.l10n.t('A later turn has changed it after the turn.') : vscode.l10n.t('You or another session have changed it after the turn.');
  const ways = step.merged === null ? vscode.l10n.t('The later changes are on the same lines, so they would go, too.') : vscode.l10n.t('The later changes are on other lines and can be kept.');
  const buttons = step.merged === null ? [DISCARD] : [KEEP, DISCARD];
  const answer = await vscode.window.showWarningMessage(vscode.l10n.t('Revert {0} all the same?', label), { modal: true, detail: `${who} ${ways}` }, ...buttons);
  return answer === KEEP ? 'merge' : answer === DISCARD ? 'replace' : null;
}

/** Empty when nothing was to be done. */
function summary(results: readonly Result[]): string {
  const names = (state: Result['state']): string => results.filter((result) => result.state === state).map(({ label, why }) => (why === '' ? label : `${label} (${why})`)).join(', ');
  const parts = [[vscode.l10n.t('reverted'), names('reverted')], [vscode.l10n.t('left as it is'), names('left')], [vscode.l10n.t('not reverted'), names('failed')]].filter(([, text]) => text !== '');
  return parts.length === 0 ? '' : `Attaché: ${parts.map(([what, files]) => `${what}: ${files}`).join('; ')}.`;
}
