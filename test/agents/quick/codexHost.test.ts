import { realStory } from '../support/realStory.ts';

realStory('codex');
