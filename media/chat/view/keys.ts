/** True while an input method composes a word: then Enter and Escape belong to it. 229 is what older engines report. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;

export const isMac = navigator.platform.startsWith('Mac');
