import { unaskedStory } from '../support/unaskedStory.ts';

unaskedStory('codex');
