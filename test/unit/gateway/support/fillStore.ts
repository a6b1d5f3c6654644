import { CoreHarness, WORKSPACE } from './coreHarness.ts';
import { answerOf, commandItem, digestOf, hex, itemStart, Story } from './story.ts';

const BEFORE = 'export const total = (a, b) => a + b;\n'.repeat(3);
const AFTER = BEFORE.replace('a + b', 'a - b');
const change = {
  path: `${WORKSPACE}/src/cart.ts`, label: 'src/cart.ts', before: digestOf(BEFORE), after: digestOf(AFTER), added: 1, removed: 1,
  lines: [{ t: '-' as const, text: 'a + b' }, { t: '+' as const, text: 'a - b' }], linesCut: false,
};
/** Texts that a store must not change: characters of four bytes, half of one, a zero. */
export const ODD_TEXTS = ['Grüße 👩‍👩‍👧 \u0000 end', `half \ud83d of a pair`, '\u0001 first', 'line\r\nline\u2028line'];

/** Everything a gateway keeps, once: what is open, ended, closed, deleted, retired and recreated. Closes the store when it is done, unless it is to go on. */
export async function fillStore(file: string): Promise<void> {
  const gw = new CoreHarness(file);
  await fill(gw);
  gw.close();
}

export async function fill(gw: CoreHarness): Promise<Record<'running' | 'closed' | 'deleted' | 'old', Story>> {
  const closed = await finished(gw, 'closed-goal');
  await closed.onSession('session/close');
  const deleted = await finished(gw, 'deleted-goal');
  await deleted.host.call('session/delete', { commandId: deleted.host.command(), sessionId: deleted.sessionId });
  const old = await finished(gw, 'recreated-goal');
  await old.submit('never run');
  await old.recreate();
  const retired = await Story.begin(gw, { goalId: 'retired-goal', hostSessionId: hex('retired') });
  await retired.retire();
  const running = await waiting(gw);
  await running.host.call('turn/cancel', { commandId: 'early', sessionId: running.sessionId, clientTurnId: 'to-come' });
  return { running, closed, deleted, old };
}

async function put(story: Story, text: string): Promise<void> {
  await story.host.call('blob/put', { workspace: WORKSPACE, digest: digestOf(text), size: Buffer.byteLength(text), offset: 0, base64: Buffer.from(text).toString('base64') });
}

/** Turns that ended in each way. */
async function finished(gw: CoreHarness, goalId: string): Promise<Story> {
  const story = await Story.begin(gw, { goalId, hostSessionId: hex(goalId) });
  await put(story, BEFORE);
  await put(story, `${AFTER}${goalId}`);
  const own = { ...change, after: digestOf(`${AFTER}${goalId}`) };
  const first = await story.run('claim-1', ODD_TEXTS[0]);
  await story.report([
    itemStart('thought', { kind: 'thought' }), { op: 'item.delta', itemKey: 'thought', text: ODD_TEXTS[1]! }, { op: 'item.end', itemKey: 'thought', state: 'completed' },
    itemStart('plan', { kind: 'plan', entries: [{ content: 'look', status: 'completed' }] }), { op: 'item.end', itemKey: 'plan', state: 'completed' },
    { ...itemStart('edit', { kind: 'edit', mode: 'hosted', change: own }), state: 'completed', text: '' } as Parameters<Story['report']>[0][number],
    itemStart('answer'), ...ODD_TEXTS.map((text) => ({ op: 'item.delta' as const, itemKey: 'answer', text })),
  ]);
  await story.complete(first, { outcome: 'completed', stopReason: 'end_turn', message: { itemKey: 'answer' } }, { completionId: 'c1' });
  const second = await story.run('claim-2', 'fail');
  await story.complete(second, { outcome: 'failed', code: 'agent_failed', message: 'no', next: 'again' }, { claimId: 'claim-2', completionId: 'c2' });
  const third = await story.run('claim-3', 'long');
  await story.complete(third, answerOf('x'.repeat(300)), { claimId: 'claim-3', completionId: 'c3' });
  return story;
}

/** A turn that waits for an answer, with text under way and another message behind it. */
async function waiting(gw: CoreHarness): Promise<Story> {
  const story = await Story.begin(gw, { goalId: 'goal', hostSessionId: hex('running') });
  await story.run();
  await story.report([commandItem('command'), { ...itemStart('answer'), text: 'so ' } as Parameters<Story['report']>[0][number], { op: 'item.delta', itemKey: 'answer', text: 'far' }]);
  const { approvalId, actionDigest } = await story.ask(undefined, { itemKey: 'command' });
  const pattern = { kind: 'command' as const, match: 'exact' as const, argv: ['touch', 'a.txt'], cwd: WORKSPACE };
  await story.host.call('approval/decide', { commandId: story.host.command(), approvalId, actionDigest, optionId: 'allow', remember: { scope: 'workspace', pattern } });
  await story.report([{ op: 'effect.begin', itemKey: 'command', approvalId, actionDigest }]);
  await story.ask({ kind: 'edit', mode: 'hosted', changes: [change] } as Parameters<Story['ask']>[0]);
  await story.submit('waits');
  return story;
}
