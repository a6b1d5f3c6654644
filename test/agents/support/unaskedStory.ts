import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Item } from '../../../src/protocol/item/state.ts';
import type { RealAgentName } from './realAgents.ts';
import { RealRig } from './realRig.ts';

export const unaskedCalls = (items: readonly Item[]): string[] => items.flatMap(({ data }) => (data.kind === 'tool_call' && data.unasked === true ? [data.toolKind] : []));
export const notices = (items: readonly Item[]): string[] => items.flatMap(({ data, text }) => (data.kind === 'notice' ? [`${data.level} ${data.code ?? ''}: ${text}`] : []));

/** C42: an agent whose own settings let it do everything, while Attaché is set to ask. */
export function unaskedStory(name: RealAgentName): void {
  describe(`C42 ${name}, told by its own settings not to ask`, () => {
    let rig: RealRig;
    before(async () => {
      rig = await RealRig.start(name, { asks: false });
    });
    after(() => rig.end());

    it('does what it is told, and each act is flagged, once in words', async () => {
      const { session, story } = rig;
      const file = join(story.folder, 'cart.txt');
      await writeFile(file, 'a\nprice 10\nc\n');
      const ran = await session.endOf(await session.submit('FAKE:shell echo ran > ran.txt'));
      assert.equal(ran.state, 'completed');
      const edited = await session.endOf(await session.submit(`FAKE:edit ${file} price 10 => price 12`));
      assert.equal(edited.state, 'completed');
      assert.deepEqual([await readFile(join(story.folder, 'ran.txt'), 'utf8'), await readFile(file, 'utf8')], ['ran\n', 'a\nprice 12\nc\n']);
      assert.deepEqual((await session.view()).approvals, []);
      const [first, second] = [await session.items(ran), await session.items(edited)];
      assert.deepEqual([unaskedCalls(first), unaskedCalls(second)], [['execute'], ['edit']]);
      assert.match(notices(first).join('\n'), /^warning not_asked: The agent did this without asking: [^\n]*ran[^\n]*Its own settings decide/);
      assert.match(notices(second).join('\n'), /^warning not_asked: [^\n]*What the file was before was not kept/);
    });
  });
}
