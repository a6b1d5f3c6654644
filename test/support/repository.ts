import path from 'node:path';

/** The root folder of this repository. */
export const repository = path.resolve(import.meta.dirname, '../..');
