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
/** Lengths of the sections in bytes. */
export const LINE_BYTES = 17;
export const TEXT_BYTES = 18;
export const LINK_BYTES = 19;
export const REQUEST_BYTES = 20;
export const HEAD_BYTES = 21;
export const ROW_BYTES = 22;
// Lengths of the texts. Half a character at the end of one meets an ASCII character of the next, never its other half.
export const TITLE = 23;
export const URL_TEXT = 24;
export const LANGUAGE = 25;
export const VIA = 26;
export const MIME = 27;
export const IP = 28;
export const PARENT = 29;
export const TRUNCATED = 30;
export const CHARSET = 31;
export const ROBOTS = 32;
/** What few captures have, as JSON. */
export const RARE = 33;
export const WORDS = 34;

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
