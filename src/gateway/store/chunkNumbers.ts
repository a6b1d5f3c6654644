/** The pieces of an item's text have the numbers from `itemNo * CHUNKS_PER_ITEM`. Never to be changed: stores are written like that. */
export const CHUNKS_PER_ITEM = 2 ** 24;
