import fs from 'node:fs';
import type { DataRootPaths } from '../../connector/dataRoot.ts';
import { gatewayFloor, type GatewayDescriptor } from '../../protocol/gateway/descriptor.ts';
import { replaceFile } from '../store/storeFiles.ts';

/** What holds for this run only: after a power cut nobody serves any more, and the next start writes it anew. So nobody waits for the disk. */
const replaceForThisRun = (file: string, text: string): void => replaceFile(file, text, false);

export const writeToken = (paths: DataRootPaths, token: string): void => replaceForThisRun(paths.token, token);

/** To be called after listening: whoever reads it may connect at once. */
export const writeDescriptor = (paths: DataRootPaths, descriptor: GatewayDescriptor): void => replaceForThisRun(paths.descriptor, JSON.stringify(descriptor));

export const removeDescriptor = (paths: DataRootPaths): void => fs.rmSync(paths.descriptor, { force: true });

/** Says that from now on only a build of at least this protocol version may use the data. */
export const writeFloor = (paths: DataRootPaths, minGatewayVersion: number): void => replaceFile(paths.floor, JSON.stringify({ minGatewayVersion }), true);

export function readFloor(paths: DataRootPaths): number {
  try {
    const text = fs.readFileSync(paths.floor, 'utf8');
    return gatewayFloor.parse(JSON.parse(text)).minGatewayVersion;
  } catch {
    return 0;
  }
}
