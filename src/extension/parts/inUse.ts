// The script for a window that somebody uses. Apart from basis.ts, since the acts need what asks for the rest.
export { asFromPanel, AttachedHost, connectOrStart, createProcessTools, EditorPlane, fromPanel, GatewayLink, lineDiff, writeLauncher } from './basis.ts';
export { createActs } from '../window/windowActs.ts';
