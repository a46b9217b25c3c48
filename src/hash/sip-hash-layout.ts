// Where things are in the memory of `SipHash`. Read by tsc and by AssemblyScript: plain whole numbers only.

/** Texts per call. */
export const MAX_TEXTS = 128;
export const PRINTS_AT = 0;
export const LENGTHS_AT = PRINTS_AT + 8 * MAX_TEXTS;
export const MARKS_AT = LENGTHS_AT + 4 * MAX_TEXTS;
/** The byte before is 0: the last one of a text that has none. */
export const TEXT_AT = MARKS_AT + MAX_TEXTS + 8;
