// The scripted model in a process of its own, so that it takes no time from whom is measured; says its port over IPC.
//   node modelProcess.ts
import { startModelServer } from '../../agents/support/modelServer.ts';

const { port } = await startModelServer();
process.on('disconnect', () => process.exit());
process.send?.(port);
