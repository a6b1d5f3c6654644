import type { Goal } from '../../../src/protocol/goal/state.ts';
import type { PanelState, ToPanel } from '../../../src/protocol/panel.ts';
import type { ComposerAttachment } from '../../../src/protocol/panelAttachment.ts';
import { ids } from './ids.ts';
import { codeMarkdown, hostile, richMarkdown } from './texts.ts';
import { ONCE_OR_NOT, SessionScript, WITH_ALWAYS } from './script.ts';
import { NOON, OTHER_WINDOW, change, chrome, fresh, session } from './states.ts';

const PLAN = [
  { content: 'Read how the cart rounds today', status: 'completed' },
  { content: 'Change the rounding rule', status: 'in_progress' },
  { content: 'Run the tests', status: 'pending' },
] as const;

function working(): PanelState {
  const script = new SessionScript();
  const turn = script.start('Prices are rounded wrongly: 2.5 becomes 3. Use half to even, and run the tests.');
  script.done(turn, { kind: 'plan', entries: [...PLAN] });
  script.done(turn, { kind: 'thought' }, 'Math.round goes **up** at a half.');
  script.done(turn, { kind: 'tool_call', toolKind: 'search', title: 'Searched “Math.round”', locations: [{ path: '/home/me/demo/src/cart.ts', line: 9 }] }, '3 results in 2 files');
  script.done(turn, { kind: 'agent_message' }, '`roundPrice` uses `Math.round`, which rounds halves up. I’ll switch it to half to even; callers stay as they are.');
  const edit = script.item(turn, { kind: 'edit', mode: 'hosted', change: change() });
  script.ask(edit, { kind: 'edit', mode: 'hosted', changes: [change()] }, { title: 'Edit src/cart.ts', options: [{ optionId: 'y', name: 'Approve', kind: 'allow_once' }, { optionId: 'n', name: 'Reject', kind: 'reject_once' }] });
  const command = script.item(turn, { kind: 'command', command: 'npm test -- --grep rounding', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 });
  script.ask(command, { kind: 'command', command: 'npm test -- --grep rounding', cwd: '/home/me/demo', envNames: [] }, { options: [...WITH_ALWAYS] });
  const readme = script.item(turn, { kind: 'edit', mode: 'hosted', change: change('README.md', { added: 3, removed: 0 }) });
  const settled = script.ask(readme, { kind: 'edit', mode: 'hosted', changes: [change('README.md', { added: 3, removed: 0 })] });
  script.settle(settled, 'approved', { decidedBy: { by: 'client', clientId: 'cli-1', clientKind: 'cli', rule: null } });
  script.endItem(readme);
  script.updateTurn(turn, { state: 'waiting' });
  script.queue('also update the changelog');
  return script.state();
}

function answered(): PanelState {
  const script = new SessionScript({ title: 'A finished turn' });
  const turn = script.start('Explain how rounding works here.');
  script.done(turn, { kind: 'thought' }, 'A short thought.', { endedAt: NOON + 65_000 });
  script.done(turn, { kind: 'tool_call', toolKind: 'read', title: 'Read src/cart.ts', locations: [{ path: '/home/me/demo/src/cart.ts' }] }, 'export function roundPrice…');
  script.done(turn, { kind: 'tool_call', toolKind: 'fetch', title: 'Fetch https://example.org/rounding', locations: [] }, 'timeout', { state: 'failed' });
  script.done(turn, { kind: 'agent_message' }, richMarkdown);
  script.endTurn(turn);
  return script.state();
}

/** Two sub-agents: one asks, one has done something without asking; a command waits for input. */
function nested(): PanelState {
  const script = new SessionScript({ title: 'Sub-agents at work' });
  const turn = script.start('Look into the failing tests and tidy up the docs.');
  const tests = script.item(turn, { kind: 'tool_call', toolKind: 'think', title: 'Look into the failing tests', locations: [] });
  script.done(turn, { kind: 'tool_call', toolKind: 'read', title: 'Read test/cart.test.ts', locations: [] }, '', { parentId: tests.itemId });
  const run = script.item(turn, { kind: 'tool_call', toolKind: 'execute', title: 'npm test -- --grep rounding', locations: [] }, '', { parentId: tests.itemId });
  script.ask(run, { kind: 'command', command: 'npm test -- --grep rounding', cwd: '/home/me/demo', envNames: [], from: 'Look into the failing tests' });
  const docs = script.item(turn, { kind: 'tool_call', toolKind: 'think', title: 'Tidy up the docs', locations: [] });
  const first = script.done(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Edit docs/rounding.md', locations: [], changes: [change('docs/rounding.md', { added: 2, removed: 1 })], unasked: true }, '', { parentId: docs.itemId });
  script.done(turn, { kind: 'notice', level: 'warning', code: 'not_asked' }, 'The agent did this without asking: Edit docs/rounding.md. What the file was before was not kept. Its own settings decide when it asks: change them if it is to ask.', { parentId: first.itemId });
  script.item(turn, { kind: 'command', command: 'npm login', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0, waitsForInput: true }, 'Username: ');
  script.updateTurn(turn, { state: 'waiting' });
  return script.state();
}

/** Its agent went down three times in a row. */
function held(): PanelState {
  const script = new SessionScript({ title: 'An agent that goes down' });
  const detail = 'Codex ended unexpectedly with code 3. Its last words: no licence found. Restart the agent, or choose another one.';
  for (const text of ['Fix the rounding.', 'Try again, please.', 'And now?']) {
    const turn = script.start(text);
    if (text === 'And now?') script.done(turn, { kind: 'notice', level: 'warning', code: 'session_quarantined' }, 'Three turns in a row went down with what runs them, so nothing more runs in this session until you choose Try Again. Messages wait; other sessions are not affected.');
    script.endTurn(turn, 'failed', { cause: 'execution_unavailable', detail });
  }
  script.queue('also update the changelog');
  script.updateSession({ lastErrorCode: 'session_quarantined', queue: { paused: true, pending: 1, oldestAt: NOON } });
  return script.state({ chrome: chrome({ agentProcess: { state: 'dead', message: 'Codex ended unexpectedly with code 3.', next: 'Restart the agent.' } }) });
}

function receipts(): PanelState {
  const script = new SessionScript({ title: 'Requests that were settled' });
  const turn = script.start('Do many things.');
  const edit = (label: string) => ({ kind: 'edit' as const, mode: 'hosted' as const, changes: [change(label)] });
  const all = [
    ['approved', 'src/a.ts', {}],
    ['approved', 'src/b.ts', { decidedBy: { by: 'client', clientId: 'x', clientKind: 'cli', rule: null } }],
    ['approved', 'src/c.ts', { decidedBy: { by: 'policy', clientId: null, clientKind: null, rule: 'policy:attache.approvals' } }],
    ['rejected', 'src/d.ts', { comment: 'Use the other helper instead.', decidedBy: { by: 'client', clientId: OTHER_WINDOW, clientKind: 'editor', rule: null } }],
    ['cancelled', 'src/e.ts', { cause: 'turn_cancelled' }],
    ['cancelled', 'src/f.ts', { cause: 'goal_retired' }],
    ['expired', 'src/g.ts', {}],
    ['orphaned', 'src/h.ts', { cause: 'executor_restarted' }],
  ] as const;
  for (const [status, label, more] of all) {
    const item = script.item(turn, { kind: 'edit', mode: 'hosted', change: change(label) });
    script.settle(script.ask(item, edit(label)), status, more);
    script.endItem(item, status === 'approved' ? 'completed' : 'declined');
  }
  const command = script.item(turn, { kind: 'command', command: 'rm -rf build && npm run build', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 });
  script.settle(script.ask(command, { kind: 'command', command: 'rm -rf build && npm run build', cwd: '/home/me/demo', envNames: [] }), 'orphaned', { cause: 'executor_lost' });
  script.endItem(command, 'interrupted', { outcome: 'unknown' });
  script.endTurn(turn, 'interrupted', { cause: 'executor_restarted', detail: 'The agent’s conversation is kept; Retry goes on in it.' });
  return script.state();
}

function requests(): PanelState {
  const script = new SessionScript({ title: 'Requests of every kind' });
  const turn = script.start('Ask me everything.');
  const tool = script.item(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Apply patch', locations: [] });
  script.ask(tool, { kind: 'edit', mode: 'agentApplied', changes: [change('src/cart.ts'), change('src/new/very/deep/folder/with-a-long-name/rounding.ts', { before: null, removed: 0 })] }, { title: 'Apply patch to 2 files', options: [...WITH_ALWAYS] });
  const command = script.item(turn, { kind: 'command', command: 'x', cwd: '/home/me/demo/packages/api', envNames: [], exitCode: null, signal: null, cut: 0 });
  script.ask(command, { kind: 'command', command: 'cd src && for f in *.ts; do\n  npx prettier --write "$f"\ndone', cwd: '/home/me/demo/packages/api', envNames: ['NODE_ENV', 'PGPASSWORD'] }, { title: 'Format the sources', expiresAt: NOON + 1_680_000 });
  const plan = script.item(turn, { kind: 'tool_call', toolKind: 'switch_mode', title: 'Ready to code?', locations: [] });
  script.ask(plan, { kind: 'plan', detail: '1. Change roundPrice\n2. Add a test for 2.5 and 3.5\n3. Run all tests' }, { title: 'Go on with this plan?', options: [{ optionId: 'a', name: 'Yes, and accept edits by itself', kind: 'allow_always' }, { optionId: 'b', name: 'Yes, and ask me for each edit', kind: 'allow_once' }, { optionId: 'c', name: 'No, keep planning', kind: 'reject_once' }] });
  const question = script.item(turn, { kind: 'tool_call', toolKind: 'other', title: 'Question', locations: [] });
  script.ask(question, { kind: 'question', detail: 'Both are used in the code base.' }, { title: 'Which helper should I use?', options: [{ optionId: 'a', name: 'roundHalfEven', kind: 'other' }, { optionId: 'b', name: 'bankersRound', kind: 'other' }] });
  script.updateTurn(turn, { state: 'waiting' });
  return script.state();
}

const text = (whole: string): { text: string; textLength: number } => ({ text: whole, textLength: whole.length });

function commands(): PanelState {
  const script = new SessionScript({ title: 'Commands' });
  const turn = script.start('Run some commands.');
  const base = { kind: 'command' as const, cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 };
  const tool = script.done(turn, { kind: 'tool_call', toolKind: 'execute', title: 'Run the tests', locations: [] });
  const first = script.item(turn, { ...base, command: 'npm test' }, '', { parentId: tool.itemId });
  script.settle(script.ask(first, { kind: 'command', command: 'npm test', cwd: '/home/me/demo', envNames: [] }), 'approved');
  script.endItem(first, 'completed', { data: { ...base, command: 'npm test', exitCode: 0 }, ...text(Array.from({ length: 40 }, (_, line) => `  ✔ test number ${line + 1}`).join('\n')) });
  script.done(turn, { ...base, command: 'true', exitCode: 0 });
  script.done(turn, { ...base, command: 'node broken.js', exitCode: 7 }, '\u001b[31mError: broken\u001b[0m\n    at main (broken.js:1:7)', { state: 'failed' });
  script.done(turn, { ...base, command: 'sleep 600', signal: 'SIGTERM', note: 'Stopped by you.' }, '', { state: 'cancelled' });
  script.done(turn, { ...base, command: 'cat big.log', exitCode: 0, cut: 940_000 }, 'first line\nlast line');
  script.item(turn, { ...base, command: 'cd src && printf "a" &&\nprintf "b"', cwd: '/home/me/demo/src' }, '[##     ] 10 %\r[####   ] 50 %\r[######] 99 %');
  return script.state();
}

function ends(): PanelState {
  const script = new SessionScript({ title: 'How turns end' });
  const say = (text: string) => script.start(text);
  const first = say('Count to five.');
  script.done(first, { kind: 'agent_message' }, 'one\ntwo\nthree', { state: 'interrupted' });
  script.endTurn(first, 'interrupted', { cause: 'executor_lost' });
  const second = say('Fix the build.');
  script.done(second, { kind: 'error', code: 'execution_unavailable', next: 'Restart the agent, or choose another one.' }, 'The agent ended with exit code 1.', { state: 'failed' });
  script.endTurn(second, 'failed', { cause: 'execution_unavailable', detail: 'The agent ended with exit code 1.' });
  const third = say('Rename everything.');
  script.done(third, { kind: 'notice', level: 'info' }, 'Stopped: the agent and the command “npm test”. A job it left in the background may still run.');
  script.endTurn(third, 'cancelled');
  script.endTurn(script.queue('Waited too long.'), 'expired', { cause: 'session_queue_expired' });
  script.endTurn(script.queue('Not needed any more.'), 'cancelled');
  const last = say('A very long one.');
  script.done(last, { kind: 'agent_message' }, 'I wrote until');
  script.endTurn(last, 'completed', { stopReason: 'max_tokens' });
  return script.state();
}

function queued(): PanelState {
  const script = new SessionScript({ title: 'A paused queue', queue: { paused: true, pending: 2, oldestAt: NOON } });
  const turn = script.start('Work on something.');
  script.endTurn(turn, 'cancelled');
  script.queue('also update the changelog');
  script.queue('and then write a very long message that does not fit into one line of this narrow panel, whatever its width');
  return script.state({
    draft: 'a draft\nof two lines',
    chrome: chrome({ outbox: [{ clientTurnId: 'o1', text: 'This one is on its way.', state: 'sending', message: null }, { clientTurnId: 'o2', text: 'This one did not arrive.', state: 'failed', message: 'The gateway could not be reached.' }] }),
  });
}

function strange(): PanelState {
  const script = new SessionScript({ title: 'שיחה על עיגול prices 2.5' });
  const turn = script.start('למה price.round(2.5) מחזיר 3 ולא 2?');
  script.done(turn, { kind: 'agent_message' }, hostile);
  const command = script.item(turn, { kind: 'command', command: 'x', cwd: '/home/me/demo', envNames: [], exitCode: null, signal: null, cut: 0 });
  script.ask(command, { kind: 'command', command: 'echo safe \u202E mr- fr ~\u2066# ok\u200B', cwd: '/home/me/demo', envNames: [] }, { title: 'echo', options: [...ONCE_OR_NOT] });
  return script.state();
}

/** The file changed between the answer and the writing: asked again, once without and once with a conflict. */
function askedAgain(): PanelState {
  const script = new SessionScript({ title: 'Asked again', goalId: 'g-x3shc6wr54' as ReturnType<typeof session>['goalId'], lifetime: 1, goalTitle: 'Asked again' });
  const subject = { kind: 'edit' as const, mode: 'hosted' as const, changes: [change()] };
  const again = (text: string, note: { note?: string }) => {
    const turn = script.start(text);
    const tool = script.item(turn, { kind: 'tool_call', toolKind: 'edit', title: 'Edit src/cart.ts', locations: [] });
    script.settle(script.ask(tool, subject), 'approved');
    const edit = script.item(turn, { kind: 'edit', mode: 'hosted', change: change(), ...note }, '', { parentId: tool.itemId });
    return { turn, tool, edit, second: script.ask(edit, subject, { options: [{ optionId: 'y', name: 'Approve', kind: 'allow_once' }, { optionId: 'n', name: 'Reject', kind: 'reject_once' }] }) };
  };
  const first = again('Change the price.', {});
  script.settle(first.second, 'rejected', { comment: 'use floor instead' });
  script.endItem(first.edit, 'declined');
  script.endItem(first.tool, 'failed');
  script.endTurn(first.turn);
  const second = again('Change it again.', { note: 'The file was changed on the same lines since the agent read it. Approving this replaces those changes.' });
  script.updateTurn(second.turn, { state: 'waiting' });
  return script.state();
}

function longCode(): PanelState {
  const script = new SessionScript({ title: 'Long code' });
  const turn = script.start('/run seq 1 20000');
  const rows = (count: number): string => Array.from({ length: count }, (_, row) => String(row + 1)).join('\n');
  script.done(turn, { kind: 'command', command: 'seq 1 20000', cwd: '/home/me/demo', envNames: [], exitCode: 0, signal: null, cut: 40_000 }, `${rows(500)}\n… 40000 characters left out …\n${rows(500)}`);
  script.done(turn, { kind: 'agent_message' }, `One line:\n\n\`\`\`\nls: cannot access 'nope': No such file or directory, whatever the width\n\`\`\`\n\nAll of it:\n\n\`\`\`\n${rows(400)}\n\`\`\`\n\nThat is all.`);
  script.endTurn(turn);
  return script.state();
}

function colouredCode(): PanelState {
  const script = new SessionScript({ title: 'Code in colours' });
  const turn = script.start('Show me code.');
  script.done(turn, { kind: 'agent_message' }, codeMarkdown);
  script.endTurn(turn);
  return script.state();
}

const COMMANDS = [
  { name: 'help', description: 'shows everything it can do' },
  { name: 'edit', description: 'changes a text in a file', hint: '<path> <old> => <new>' },
  { name: 'ls', description: 'lists a folder', hint: '[path]' },
];

function suggesting(): PanelState {
  const script = new SessionScript({ title: 'Commands of the agent', agent: { ...session().agent, commands: COMMANDS } });
  script.endTurn(script.start('hello'));
  return script.state({ draft: '/' });
}

export const attached = (change: Partial<ComposerAttachment> & Pick<ComposerAttachment, 'id'>): ComposerAttachment => ({ kind: 'file', name: change.id, detail: `The content of ${change.id}`, warning: null, problem: null, digest: null, token: null, ...change });

/** Of every kind, with what is said of them before they are sent; and what went with a message. */
function attachments(): PanelState {
  const script = new SessionScript({ title: 'Attachments' });
  const content = (name: string, digest: number, more: object = {}) => ({ name, mimeType: 'text/plain', digest: ids.digest(digest), size: 1234, ...more });
  const sent = [content('screenshot.png', 5, { mimeType: 'image/png' }), content('a second one with a long name.png', 6, { mimeType: 'image/png' }), content('src/cart.ts:3-9', 7, { source: { path: 'src/cart.ts', lines: { first: 3, last: 9 } } }), { name: 'notes/', link: 'folder' as const, source: { path: 'notes' } }];
  const turn = script.start('Why does @src/cart.ts:3-9 look like this?', { attachments: sent, userData: { kind: 'user_message', attachments: sent } });
  script.done(turn, { kind: 'agent_message' }, 'Both pictures show the same cart.');
  script.endTurn(turn);
  const busy = script.start('/slow 20');
  script.item(busy, { kind: 'agent_message' }, 'line 1');
  script.queue('and compare it with this one', { attachments: sent.slice(0, 2) });
  return script.state({
    draft: 'Compare @src/cart.ts with the picture',
    attachments: [
      attached({ id: '1', kind: 'picture', name: 'image.png', detail: 'The picture image.png (12 KB)', digest: ids.digest(8) }),
      attached({ id: '2', name: 'src/cart.ts', token: '@src/cart.ts' }),
      attached({ id: '3', kind: 'selection', name: 'src/a/very/long/way/down/to/the/file/of/rounding.ts:120-141' }),
      attached({ id: '4', name: '.env.local', warning: 'Files of this name often hold secrets. The agent gets it as it is.' }),
      attached({ id: '5', kind: 'problems', name: 'Problems', problem: 'Codex takes no files of this kind.' }),
    ],
  });
}

/** A picture in a message, one by itself, and those of a tool call; the last one was freed. */
function pictures(): PanelState {
  const script = new SessionScript({ title: 'Pictures of the agent' });
  const turn = script.start('Draw me the hills, then look at the page.');
  const picture = (name: string, digest: number) => ({ name, mimeType: 'image/png', digest: ids.digest(digest), size: 1234 });
  script.done(turn, { kind: 'agent_message', pictures: [picture('hills.png', 11)] }, 'These are the hills:');
  script.done(turn, { kind: 'tool_call', toolKind: 'fetch', title: 'Take a screenshot of the page', locations: [], pictures: [picture('page.png', 12), picture('page-2.png', 13)] }, '2 screenshots');
  script.done(turn, { kind: 'agent_message', pictures: [picture('a picture with a very long name that does not fit into a narrow panel.png', 14)] });
  script.done(turn, { kind: 'agent_message' }, 'That is all.');
  script.endTurn(turn);
  return script.state();
}

const withSession = (change: Parameters<typeof session>[0], more: Partial<PanelState> = {}): PanelState => {
  const script = new SessionScript(change);
  const turn = script.start('Count to five.');
  script.done(turn, { kind: 'agent_message' }, 'one, two, three, four, five');
  script.endTurn(turn);
  script.updateSession(change ?? {});
  return script.state(more);
};

const NO_WINDOW = { state: 'disconnected', windowId: null, surface: 'vscode' } as const;
const ELSEWHERE = { state: 'connected', windowId: OTHER_WINDOW, surface: 'vscode' } as const;

/** A session of a lifetime that is over, or of none. */
function history(bindingMatch: ReturnType<typeof session>['bindingMatch'], goal: Partial<Goal> | null = {}, more: Partial<PanelState> = {}): PanelState {
  const state = withSession({ bindingMatch, lifetime: bindingMatch === 'missing_goal_instance_id' ? 0 : 1, executor: NO_WINDOW }, more);
  const { view } = state;
  return view === null ? state : { ...state, view: { ...view, goal: goal === null || view.goal === null ? null : { ...view.goal, ...goal } } };
}

/** Another window runs it, and works. */
function workingElsewhere(): PanelState {
  const script = new SessionScript({ executor: ELSEWHERE });
  const turn = script.start('Count to five, slowly.');
  script.item(turn, { kind: 'agent_message' }, 'one, two, ');
  return script.state();
}

/** The window that ran it is gone for a moment, in the middle of a turn. */
function workedByNobody(): PanelState {
  const script = new SessionScript();
  const turn = script.start('Count to five, slowly.');
  script.item(turn, { kind: 'agent_message' }, 'one, two, ');
  script.updateSession({ executor: NO_WINDOW });
  return script.state();
}

const RECEIPT = 'This session was taken over: from here on it runs in another window than before.';

function takenOver(): PanelState {
  const script = new SessionScript();
  const turn = script.start('Count to five.');
  script.done(turn, { kind: 'agent_message' }, 'one, two, three, four, five');
  script.endTurn(turn);
  script.done(turn, { kind: 'notice', level: 'info', code: 'executor_replaced' }, RECEIPT);
  const next = script.start('And back again.');
  script.done(next, { kind: 'agent_message' }, 'five, four, three, two, one');
  script.endTurn(next);
  return script.state();
}

const offline = { agentId: 'offline', label: 'Offline Agent', installed: true };

/** Every state a person can meet, by name. null: the page has heard nothing yet. */
export const scenes: Readonly<Record<string, () => PanelState | null>> = {
  working,
  answered,
  requests,
  receipts,
  commands,
  ends,
  queued,
  strange,
  'asked-again': askedAgain,
  'long-code': longCode,
  'coloured-code': colouredCode,
  'suggesting': suggesting,
  'attachments': attachments,
  pictures,
  loading: () => null,
  'empty-offline': () => fresh({ chrome: chrome({ agent: offline }) }),
  'empty-agent': () => fresh(),
  'disconnected': () => withSession({}, { chrome: chrome({ connection: { state: 'disconnected', message: 'The link to the gateway is lost.', retryAt: Date.now() + 8000 } }) }),
  'failed': () => withSession({}, { chrome: chrome({ connection: { state: 'failed', message: 'The gateway could not be started or reached.', next: 'Run “Attaché: Doctor” to see why.' } }) }),
  'untrusted': () => fresh({ chrome: chrome({ trusted: false }) }),
  'no-folder': () => fresh({ chrome: chrome({ hasFolder: false, folderName: '' }) }),
  nested,
  held,
  'dead-agent': () => withSession({}, { chrome: chrome({ agentProcess: { state: 'dead', message: 'The agent ended with exit code 1.', next: 'Its last words are in the log.' } }) }),
  'no-agent': () => fresh({ chrome: chrome({ agent: { agentId: 'gemini', label: 'Gemini CLI', installed: false } }) }),
  'stale-goal': () => history('goal_instance_mismatch'),
  'stale-draft': () => history('goal_instance_mismatch', {}, { draft: 'This was being written when the goal was recreated.' }),
  'retired-goal': () => history('goal_not_registered', { state: 'retired', retiredAt: NOON }),
  'goal-gone': () => history('goal_not_registered', null),
  'no-lifetime': () => history('missing_goal_instance_id'),
  'folder-gone': () => withSession({}, { chrome: chrome({ folder: { path: '/home/me/demo/packages/api', name: 'api', isOpen: false } }) }),
  'store-loss': () => withSession({}, { chrome: chrome({ storeLoss: 'A part of the stored sessions could not be read and was left out: 2 sessions, from 12 to 14 May 2030.' }) }),
  'damaged-goal': () => history('invalid'),
  'carried-over': () => new SessionScript({ title: 'New session' }).state({ draft: '\n\nWhat was said before, in “Round prices half to even in the cart”:\n\nUser: Count to five.\n\nAgent: one, two, three, four, five' }),
  'closed': () => withSession({ status: 'closed', closedAt: NOON, readback: { sessionMode: null, sessionModeSource: 'unbound', sessionStatus: null, available: null } }),
  'other-window': () => withSession({ executor: ELSEWHERE }),
  'no-executor': () => withSession({ status: 'stale', executor: NO_WINDOW }),
  'take-over-refused': workingElsewhere,
  'take-over-later': workedByNobody,
  'taken-over': takenOver,
  'taken-over-empty': () => new SessionScript({ title: 'New session', lastErrorCode: 'executor_replaced', executor: ELSEWHERE }).state(),
  'unrecognized': () => withSession({ readback: { sessionMode: null, sessionModeSource: 'unrecognized', sessionStatus: null, available: null } }),
};

/** What the extension says on top of a scene. */
export const said: Readonly<Record<string, () => ToPanel>> = {
  'take-over-refused': () => ({ type: 'toast', message: 'The window that runs this session is alive and working.', next: 'Stop the turn, or wait until it ends.' }),
  'take-over-later': () => ({
    type: 'toast', message: 'The window that runs this session may still come back.', next: 'It has until 14:02:30.', again: { label: 'Take Over Here', command: 'takeOver', at: Date.now() + 23_000 },
  }),
};
