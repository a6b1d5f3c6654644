import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { AcpClient, allow, choose, type AcpClientOptions } from './support/acpClient.ts';
import { agentCacheFolder } from './support/agentCache.ts';
import { startModelServer, type ModelServer } from './support/modelServer.ts';
import { realAgent, realAgentNames, type RealAgent, type RealAgentName } from './support/realAgents.ts';

/** The facts of docs/agents.md that are marked there, one column for each agent. */
type Facts = {
  readonly sessionCapabilities: readonly string[];
  readonly writesThroughClientToo: boolean;
  readonly editOptions: readonly string[];
  readonly commandOptions: readonly string[];
  readonly newFileOldText: string | null | undefined;
  /** The diff of a request to edit: the whole texts, or only the passage. */
  readonly editDiff: 'whole' | 'passage';
  readonly announcesCommands: boolean;
  readonly rejected: { readonly stopReason: string; readonly toolStatus: string | undefined };
  readonly cancelledCommand: string | undefined;
  readonly unknownPrompt: number;
  readonly unknownLoad: number;
  readonly endsWithStdin: boolean;
};

const facts: Readonly<Record<RealAgentName, Facts>> = {
  codex: {
    sessionCapabilities: ['close', 'list', 'resume'],
    writesThroughClientToo: false,
    editOptions: ['approved', 'abort'],
    commandOptions: ['approved', 'approved-execpolicy-amendment', 'abort'],
    newFileOldText: undefined,
    editDiff: 'whole',
    announcesCommands: false,
    rejected: { stopReason: 'cancelled', toolStatus: undefined },
    cancelledCommand: 'in_progress',
    unknownPrompt: -32002,
    unknownLoad: -32002,
    endsWithStdin: false,
  },
  opencode: {
    sessionCapabilities: ['close', 'fork', 'list', 'resume'],
    writesThroughClientToo: true,
    editOptions: ['once', 'always', 'reject'],
    commandOptions: ['once', 'always', 'reject'],
    newFileOldText: '',
    editDiff: 'whole',
    announcesCommands: true,
    rejected: { stopReason: 'end_turn', toolStatus: 'failed' },
    cancelledCommand: 'completed',
    unknownPrompt: -32602,
    unknownLoad: -32603,
    endsWithStdin: true,
  },
  claude: {
    sessionCapabilities: ['additionalDirectories', 'close', 'delete', 'fork', 'list', 'resume', 'systemPrompt'],
    writesThroughClientToo: false,
    editOptions: ['allow-once', 'allow-with-updates', 'reject'],
    commandOptions: ['allow-once', 'reject'],
    newFileOldText: null,
    editDiff: 'passage',
    announcesCommands: true,
    rejected: { stopReason: 'end_turn', toolStatus: 'failed' },
    cancelledCommand: 'failed',
    unknownPrompt: -32002,
    unknownLoad: -32002,
    endsWithStdin: true,
  },
};

const uuid = '00000000-0000-4000-8000-000000000000';

for (const name of realAgentNames) {
  describe(`${name}, offline`, () => {
    const expected = facts[name];
    let model: ModelServer;
    let agent: RealAgent;
    let folder: string;
    let client: AcpClient;
    let sessionId: string;
    let onPermission: NonNullable<AcpClientOptions['onPermission']> = allow;
    /** Called after a permission; the number of tool calls the client knew by then. */
    let knownWhenAsked = 0;

    function start(): AcpClient {
      return new AcpClient({
        ...agent,
        cwd: folder,
        onPermission: (request) => {
          knownWhenAsked = client.updatesOf('tool_call').filter(({ toolCallId }) => toolCallId === request.toolCall.toolCallId).length;
          return onPermission(request);
        },
      });
    }

    function lastStatus(): string | undefined {
      const { toolCallId, status } = client.updatesOf('tool_call').at(-1) ?? {};
      const update = client.updatesOf('tool_call_update').findLast((candidate) => candidate.toolCallId === toolCallId);
      return update?.status ?? status;
    }

    before(async () => {
      model = await startModelServer();
      agent = await realAgent(name, { modelPort: model.port });
      await mkdir(join(agentCacheFolder(), 'work'), { recursive: true });
      folder = await mkdtemp(join(agentCacheFolder(), 'work', `${name}-`));
      client = start();
    });

    beforeEach(() => {
      onPermission = allow;
      client.updates.length = 0;
      client.permissions.length = 0;
      client.requests.length = 0;
    });

    after(async () => {
      client.process.kill('SIGKILL');
      await client.close();
      await model.close();
      await agent.dispose();
      await rm(folder, { recursive: true, force: true });
    });

    it('offers what the page says', async () => {
      const { agentCapabilities } = await client.initialize();
      assert.equal(agentCapabilities?.loadSession, true);
      assert.deepEqual(Object.keys(agentCapabilities.sessionCapabilities ?? {}).sort(), expected.sessionCapabilities);
      sessionId = await client.newSession();
    });

    it('streams an answer', async () => {
      const { stopReason } = await client.prompt(sessionId, 'FAKE:stream 20 20');
      assert.equal(stopReason, 'end_turn');
      assert.match(client.text(), /^0 lorem ipsum dolor .*19 lorem/s);
      assert.equal(client.updatesOf('agent_message_chunk').length, 20);
    });

    it('creates a file after consent', async () => {
      const file = join(folder, 'new.txt');
      await client.prompt(sessionId, `FAKE:write ${file}`);
      assert.equal(await readFile(file, 'utf8'), 'hello from the model\n');
      const [request] = client.permissions;
      assert.deepEqual(request?.options.map(({ optionId }) => optionId), expected.editOptions);
      const diff = request?.toolCall.content?.find((content) => content.type === 'diff');
      assert.deepEqual([diff?.path, diff?.oldText, diff?.newText], [file, expected.newFileOldText, 'hello from the model\n']);
    });

    it('edits a file after consent', async () => {
      const file = join(folder, 'cart.txt');
      await writeFile(file, 'a\nprice 10\nc\n');
      await client.prompt(sessionId, `FAKE:edit ${file} price 10 => price 12`);
      assert.equal(await readFile(file, 'utf8'), 'a\nprice 12\nc\n');
      const diff = client.permissions[0]?.toolCall.content?.find((content) => content.type === 'diff');
      const whole = ['a\nprice 10\nc\n', 'a\nprice 12\nc\n'];
      assert.deepEqual([diff?.oldText, diff?.newText], expected.editDiff === 'whole' ? whole : ['price 10', 'price 12']);
      const writes = client.requests.filter(({ method }) => method === 'fs/write_text_file');
      assert.equal(writes.length > 0, expected.writesThroughClientToo);
    });

    it('runs a command by itself after consent', async () => {
      await client.prompt(sessionId, 'FAKE:shell touch asked.txt');
      assert.equal(existsSync(join(folder, 'asked.txt')), true);
      assert.equal(client.permissions[0]?.toolCall.title, 'touch asked.txt');
      assert.equal(knownWhenAsked === 1, expected.announcesCommands);
      assert.deepEqual(client.permissions[0]?.options.map(({ optionId }) => optionId), expected.commandOptions);
      assert.equal(client.requests.some(({ method }) => method.startsWith('terminal/')), false);
    });

    it('runs nothing after a rejection', async () => {
      onPermission = (request: RequestPermissionRequest) => choose(request, 'reject_once');
      const { stopReason } = await client.prompt(sessionId, 'FAKE:shell touch rejected.txt');
      assert.equal(existsSync(join(folder, 'rejected.txt')), false);
      assert.deepEqual({ stopReason, toolStatus: lastStatus() }, expected.rejected);
    });

    it('stops in the middle of a stream and goes on afterwards', async () => {
      const answer = client.prompt(sessionId, 'FAKE:stream 400 20 50');
      await client.waitFor('the stream', () => client.updatesOf('agent_message_chunk').length > 2, 30_000);
      await client.cancel(sessionId);
      assert.equal((await answer).stopReason, 'cancelled');
      assert.equal((await client.prompt(sessionId, 'FAKE:stream 2 20')).stopReason, 'end_turn');
    });

    it('stops while a command runs', async () => {
      const answer = client.prompt(sessionId, 'FAKE:shell touch started && tail -f /dev/null');
      await client.waitFor('the command', () => existsSync(join(folder, 'started')), 30_000);
      // One of them tells of a command only some time after its start.
      await delay(1_000);
      await client.cancel(sessionId);
      assert.equal((await answer).stopReason, 'cancelled');
      await delay(300);
      assert.equal(lastStatus(), expected.cancelledCommand);
    });

    it('answers for sessions it does not know', async () => {
      await assert.rejects(client.prompt('nope', 'hi'), { code: expected.unknownPrompt });
      await assert.rejects(client.load(uuid), { code: expected.unknownLoad });
    });

    it('ends, or not, when its input ends', async () => {
      client.process.stdin?.end();
      const ended = once(client.process, 'exit').then(() => true);
      assert.equal(await Promise.race([ended, delay(4_000, false)]), expected.endsWithStdin);
      client.process.kill('SIGKILL');
      await ended;
    });

    it('goes on with the same conversation in a new process', async () => {
      client = start();
      await client.initialize();
      await client.load(sessionId);
      assert.match(client.text('user_message_chunk'), /FAKE:stream 20 20/);
      assert.match(client.text(), /0 lorem ipsum dolor/);
      client.updates.length = 0;
      assert.equal((await client.prompt(sessionId, 'FAKE:stream 3 20')).stopReason, 'end_turn');
      assert.match(client.text(), /^0 lorem.*2 lorem/s);
    });
  });
}
