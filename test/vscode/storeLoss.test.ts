import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as vscode from 'vscode';
import { examine } from '../../src/extension/doctor.ts';
import { StoreLossNotice } from '../../src/extension/gateway/storeLossNotice.ts';
import { isAlive } from '../support/processes.ts';
import { Chat } from './support/chat.ts';
import { answering } from './support/dialogs.ts';
import { until } from './support/until.ts';

describe('a store that was found damaged', () => {
  it('is told once, in the first window, with what is lost and where the damaged files lie; it blocks nothing', async () => {
    const chat = await Chat.fresh();
    await chat.turnEnd(await chat.say('/help'));
    const { core, ui } = chat.window;
    const { connection, calls, dataRoot } = core;
    const { sessionId } = chat.view.session;
    /** Ends the gateway, does something to its files, and starts the next one. */
    const between = async (act: () => void): Promise<void> => {
      const { pid } = await calls.call('gateway/status', {});
      await connection.stop();
      process.kill(pid);
      await until('the gateway has ended', () => !isAlive(pid));
      act();
      connection.start();
      await until('the next gateway is connected', () => connection.state.state === 'connected');
    };
    let keptIn = '';
    const shown = await answering(() => null, async () => {
      await between(() => {
        const file = path.join(dataRoot, 'store.db');
        const store = new DatabaseSync(file);
        const page = Number(store.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'receipts'`).get()?.['rootpage']);
        store.close();
        const bytes = fs.readFileSync(file);
        bytes[page * 4096 - 100]! ^= 1;
        fs.writeFileSync(file, bytes);
      });
      await until('the loss is told', () => core.storeLoss.words);
      const { storeOutcome } = await calls.call('gateway/status', {});
      assert.ok(storeOutcome.kind === 'recovered');
      keptIn = storeOutcome.keptIn;
    });
    const folder = path.join(dataRoot, keptIn);
    try {
      assert.equal(shown.length, 1);
      assert.deepEqual(shown[0]?.rows, ['Show Kept Files', 'Doctor']);
      assert.match(shown[0]?.title ?? '', /^Attaché: The store was damaged and was repaired on \d{4}-\d\d-\d\d \(1 of the \d+ pages of its file are not what was written\)\. What could not be read is lost/);
      assert.ok(shown[0]?.title.includes(folder));
      assert.match(ui.panels.current === undefined ? '' : core.storeLoss.words ?? '', /^The store was damaged/);
      const findings = await examine({ connection, calls, catalogue: core.catalogue, agentId: core.agentId, dataRoot });
      assert.ok(findings.some(({ ok, detail }) => !ok && detail.includes(folder)));
      assert.ok(findings.some(({ ok, detail }) => !ok && detail.startsWith('The store was damaged')));
      const again = await chat.turnEnd(await chat.say('/help'));
      assert.equal(again.state, 'completed', 'work goes on');
      assert.equal(chat.view.session.sessionId, sessionId);
      // Another window of the same person, and this one after the next cut: nothing more is shown.
      const other = new StoreLossNotice({ connection, calls, dataRoot, log: core.log });
      const later = await answering(() => null, async () => {
        await connection.reconnect();
        await until('the link is back', () => connection.state.state === 'connected');
        await calls.call('gateway/status', {});
      });
      assert.deepEqual([later, other.words], [[], null]);
      other.dispose();
    } finally {
      fs.rmSync(folder, { recursive: true });
      await between(() => undefined);
    }
    await until('the chat does not say it any more', () => core.storeLoss.words === null);
    await vscode.commands.executeCommand('notifications.clearAll');
  });
});
