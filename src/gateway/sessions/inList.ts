import type { Session } from '../../protocol/session/state.ts';

/** A session as it stands in a list: without what its agent offers, which may be long and is chosen from nowhere but in the session itself. */
export const inList = (session: Session): Session => ({ ...session, agent: { ...session.agent, options: [], commands: [] } });
