/*
 * Where everything stands in the memory of a `WasmSeenTable`. Read by tsc and by AssemblyScript: plain whole numbers only.
 * A page of fingerprints is made of buckets of eight, one line of the cache each, filled from the left; a low half of 0
 * marks an empty slot.
 */

/** A place, with 31 bits, is shifted by the word that stands here: that makes a place in the directory. */
export const SHIFT_AT = 0;
/** How many of the fingerprints that were searched for together are new. */
export const ADDED_AT = 4;
/** The bucket that is being dealt out. */
export const DEALT_AT = 64;
/** Fingerprints that are searched for together. */
export const FINGERPRINTS_AT = 128;
export const MAX_FINGERPRINTS = 128;
/** The bucket in which each search begins, and a 1 for each that is new. */
export const HOMES_AT = FINGERPRINTS_AT + 8 * MAX_FINGERPRINTS;
export const NEW_AT = HOMES_AT + 4 * MAX_FINGERPRINTS;
/** While a page is split: the taken slots of each bucket of the left page, then of the right one, in bytes. */
export const TAKEN_AT = 4096;
/** Full buckets of each page, in 16 bits. */
export const COUNTS_AT = 1 << 16;
export const MAX_PAGES = 1 << 16;
/** Pages by place, in 16 bits. */
export const DIRECTORY_AT = COUNTS_AT + 2 * MAX_PAGES;
/** Halvings of the hash's range. */
export const MAX_DEPTH = 17;
export const PAGES_AT = DIRECTORY_AT + (2 << MAX_DEPTH);

export const BUCKET_BITS = 6;
export const BUCKET_BYTES = 1 << BUCKET_BITS;
