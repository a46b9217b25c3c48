// What `text-run.ts` and its code share. Read by tsc and by AssemblyScript: plain whole numbers only.

/** Longer pages are read without the module. */
export const MAX_RUN_BYTES = 1 << 20;

/** Kinds of tags that may be skipped, as bits, and the bit of tags that do not end a word. */
export const PASS_START = 1;
export const PASS_END = 2;
export const PASS_INLINE = 4;

// The memory: two cells, the table of tag names, what may be passed, the page.
export const SLOTS_AT = 64;
export const SLOTS = 1024;
export const PACKED_AT = SLOTS_AT + SLOTS;
export const LENGTHS_AT = PACKED_AT + 4 * 256;
export const PASSABLE_AT = LENGTHS_AT + 256;
export const PAGE_AT = 4096;
/** Blocks are read whole, and two bytes further. */
export const MARGIN_BYTES = 64;
