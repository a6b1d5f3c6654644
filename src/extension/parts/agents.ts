// The script for a window that starts agents.
export { AcpRuntime } from '../../runtime/acp/acpRuntime.ts';
