import fs from 'node:fs';
import type { DataRootPaths } from '../../connector/dataRoot.ts';
import { gatewayFloor, type GatewayDescriptor } from '../../protocol/gateway/descriptor.ts';
import { replaceFile } from '../store/storeFiles.ts';

const writeAtomically = (file: string, text: string): void => replaceFile(file, text, true);

export const writeToken = (paths: DataRootPaths, token: string): void => writeAtomically(paths.token, token);

/** To be called after listening: whoever reads it may connect at once. */
export const writeDescriptor = (paths: DataRootPaths, descriptor: GatewayDescriptor): void => writeAtomically(paths.descriptor, JSON.stringify(descriptor));

export const removeDescriptor = (paths: DataRootPaths): void => fs.rmSync(paths.descriptor, { force: true });

/** Says that from now on only a build of at least this protocol version may use the data. */
export const writeFloor = (paths: DataRootPaths, minGatewayVersion: number): void => writeAtomically(paths.floor, JSON.stringify({ minGatewayVersion }));

export function readFloor(paths: DataRootPaths): number {
  try {
    return gatewayFloor.parse(JSON.parse(fs.readFileSync(paths.floor, 'utf8'))).minGatewayVersion;
  } catch {
    return 0;
  }
}
