// Where the facts of a capture are in the frame in which it comes to its builder (crawl/hand-off/capture-frame.ts).

/*
 * A capture is sent as two parts, because a part of its own costs as much as copying a text: all facts, and the body. The
 * first one begins with words of 32 bits:
 *
 *   facts and lengths (WORDS) | prints of links | line of the log (UTF-8) | texts (UTF-8) | lines of links | request | response head (Latin-1) | rows (UTF-8)
 *
 * The texts stand there as one, so that each side has one string to write or to read; their lengths, in characters, are
 * among the words.
 */

// Places of the words; a number of 64 bits takes two.
export const FLAGS = 0;
export const STATUS = 1;
export const DEPTH = 2;
export const PAGE_WORDS = 3;
export const LINKS = 4;
export const LINKS_ALL = 5;
export const DATE = 6;
export const BYTES = 8;
export const DECODED_BYTES = 10;
export const CASH = 12;
export const SEED_LOW = 14;
export const SEED_HIGH = 15;
/** Links of which there are prints: all or none. */
export const PRINTS = 16;
/** How long the request took, for a line of the log that is left out. */
export const TOOK_MS = 17;
/** Lengths of the sections in bytes; that of a line which says nothing but the other facts is 0, and its reader composes it. */
export const LINE_BYTES = 18;
export const TEXT_BYTES = 19;
export const LINK_BYTES = 20;
export const REQUEST_BYTES = 21;
export const HEAD_BYTES = 22;
export const ROW_BYTES = 23;
// Lengths of the texts. Half a character at the end of one meets an ASCII character of the next, never its other half.
export const TITLE = 24;
export const URL_TEXT = 25;
export const LANGUAGE = 26;
export const VIA = 27;
export const MIME = 28;
export const IP = 29;
export const PARENT = 30;
export const TRUNCATED = 31;
export const CHARSET = 32;
export const ROBOTS = 33;
/** What few captures have, as JSON. */
export const RARE = 34;
export const WORDS = 35;

// Bits of FLAGS.
export const IS_PAGE = 1;
export const IS_DECHUNKED = 2;
export const HAS_PARENT = 4;
export const IS_TRUNCATED = 8;
export const HAS_LANGUAGE = 16;
export const HAS_DECODED = 32;
export const HAS_CASH = 64;
/** A page in which the crawler sees nothing unusual: what `templates/` may store. */
export const IS_PLAIN = 128;
