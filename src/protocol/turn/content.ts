import type { AttachedContent, Attachment } from './attachment.ts';

/** Whether its bytes go along; else it is only named. Free of zod, so that whoever only asks loads none. */
export const hasContent = (given: Attachment): given is AttachedContent => 'digest' in given;
