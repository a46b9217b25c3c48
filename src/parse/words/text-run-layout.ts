// What the parts of `text-run.ts` share: the places of its memory, and its parameters and locals by number.

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

// Parameters and locals.
export const AT = 0;
export const END = 1;
export const SPACE = 2;
export const UTF8 = 3;
export const PASSES = 4;
export const WORDS = 5;
export const IN_WORD = 6;
/** Bytes of the block that are read. */
export const COUNT = 7;
/** A bit for each byte of the block: separates words; belongs to one; begins a separator; begins one of three bytes. */
export const SPACES = 8;
export const LETTERS = 9;
export const WIDE = 10;
export const WIDE_3 = 11;
export const LEFT = 12;
/** Where the text ends as far as it is known. */
export const TEXT_END = 13;
/** A tag: where it is read, its byte there, its name's beginning and its four last bytes, 1 for an end tag, its id. */
export const TAG = 14;
export const BYTE = 15;
export const NAME = 16;
export const PACKED = 17;
export const CLOSING = 18;
export const ID = 19;
export const BLOCK = 20;
export const NEXT = 21;
export const THIRD = 22;
/** Sixteen times what blocks are compared with. */
export const ALL_LESS_THAN = 23;
export const ALL_AMPERSAND = 24;
export const ALL_BLANK = 25;
export const ALL_SPACE = 26;
export const ALL_TAB = 27;
export const ALL_4 = 28;
export const ALL_VT = 29;
