import { realAgentNames } from '../support/realAgents.ts';
import { realStory } from '../support/realStory.ts';

// The quick one has a file of its own, which runs with every test run.
for (const name of realAgentNames.filter((candidate) => candidate !== 'codex')) realStory(name);
