import type { AttachmentFacts } from '../attachments/describeAttachment.ts';
import type { AgentCatalogue } from '../agents/agentCatalogue.ts';
import type { WindowMemory } from '../memory.ts';
import type { Workspaces } from '../sessions/workspaces.ts';
import type { WindowFolders } from './windowFolders.ts';

interface Known {
  readonly memory: WindowMemory;
  readonly workspaces: Workspaces;
  readonly folders: WindowFolders;
  readonly catalogue: AgentCatalogue;
  /** The agent of new sessions. */
  readonly agentId: () => string;
}

/** How what is attached in a conversation would be given to its agent: from its session, else from how it would begin now. */
export function attachmentFacts(core: Known): (conversation: string) => AttachmentFacts {
  return (conversation) => {
    const { memory, workspaces, folders, catalogue } = core;
    const sessionId = memory.sessionOf(conversation) ?? '';
    const session = workspaces.session(sessionId) ?? memory.hostedSession(sessionId);
    const plan = session ?? memory.plan(conversation);
    const agentId = plan?.agentId ?? core.agentId();
    const workspace = plan?.workspace ?? folders.pathOf(conversation);
    return { workspace, agentLabel: catalogue.label(agentId), prompts: takenBy(core, sessionId, agentId) };
  };
}

/** What an agent declared in another session holds here, too. */
function takenBy({ workspaces }: Known, sessionId: string, agentId: string): AttachmentFacts['prompts'] {
  const own = workspaces.session(sessionId)?.agent.prompts;
  if (own !== undefined) return own;
  return workspaces.sessions.find((session) => session.agentId === agentId && session.agent.prompts !== undefined)?.agent.prompts ?? null;
}
