// What a window needs once somebody uses it, but for its acts: the link to the gateway, the check of what pages say, and what runs sessions.
export { connectOrStart } from '../../connector/connect.ts';
export { writeLauncher } from '../../connector/launcher.ts';
export { lineDiff } from '../../execution/lineDiff.ts';
export { createProcessTools } from '../../execution/processTools.ts';
export { AttachedHost } from '../../host/attachedHost.ts';
export { asFromPanel, fromPanel } from '../../protocol/panelSchema.ts';
export { EditorPlane } from '../editor/editorPlane.ts';
export { GatewayLink } from '../gateway/gatewayLink.ts';
