/** The kinds of pictures that models read; one of another kind is a file like any other. */
export const isPicture = (mimeType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
