// Where things are in the engine's memory. Exported, so that JavaScript reads the same numbers.

/** Longer pages are read by the reference. Behind the page there are zeros, so that reading ahead finds nothing. */
export const MAX_PAGE: i32 = 4 << 20;
/** More links than this, or more bytes of them, are left to the reference. */
export const MAX_RECORDS: i32 = 16384;
export const MAX_LINES: i32 = 4 << 20;
/** The longest URL that is followed; the reference says why a longer one is not. */
export const MAX_URL: i32 = 2083;
/** How many words are kept as text, and the most pieces they may be in. */
export const FIRST_WORDS: i32 = 20;
export const MAX_PIECES: i32 = 1024;
export const MAX_ORIGINS: i32 = 255;

/** Results; see the names in page-engine.ts. */
export const CELLS: i32 = 1024;

// Tables by tag id, by byte, and of names: written once by JavaScript from those of the reference.
export const LENGTHS: i32 = 2048;
export const NAMES_AT: i32 = LENGTHS + 256; // u16 by id: where its name begins behind NAMES
export const NAMES: i32 = NAMES_AT + 512;
export const KIND: i32 = NAMES + 2048;
export const INLINE: i32 = KIND + 256;
export const TREATMENT: i32 = INLINE + 256;
export const WITH_ATTRIBUTES: i32 = TREATMENT + 256;
export const IN_TABLE: i32 = WITH_ATTRIBUTES + 256;
export const IN_SELECT: i32 = IN_TABLE + 256;
export const TABLE_PART: i32 = IN_SELECT + 256;
export const BREAK: i32 = TABLE_PART + 256;
export const LOWER: i32 = BREAK + 256;
export const WORD_BYTE: i32 = LOWER + 256; // three times 256: UTF-8, one byte per character, several
export const PATH_BYTE: i32 = WORD_BYTE + 768;
export const QUERY_BYTE: i32 = PATH_BYTE + 256;
export const HOST_BYTE: i32 = QUERY_BYTE + 256;
/** Elements that JavaScript is asked about. */
export const ASKED: i32 = HOST_BYTE + 256;
/** Ids of tags by their names as numbers: name and id. Then those of names that are too long for that. */
export const ENTRIES: i32 = ASKED + 256;
export const ENTRY: i32 = 16;
export const LAST_ENTRY: i32 = 1023 * ENTRY;
export const LONG_NAMES: i32 = ENTRIES + LAST_ENTRY + ENTRY;

/** Values of the attributes of the tag that was read last: from, to. */
export const VALUES: i32 = LONG_NAMES + 256;
/** Open tables, and the names of open elements of SVG: from, to. */
export const TABLES: i32 = VALUES + 256;
export const FOREIGN: i32 = TABLES + 4096;
/** The pieces of the first words: from, to; to < 0 ends a word. */
export const PIECES: i32 = FOREIGN + 2048;
/** The first words as text, where they are plain. */
export const FIRST_TEXT: i32 = PIECES + 8 * MAX_PIECES;
/** The base of the page's links, and a value without references. */
export const BASE: i32 = FIRST_TEXT + 2048;
export const PLAIN: i32 = BASE + 4096;
/** Eight words for each link, frame, base and meta element. */
export const RECORDS: i32 = PLAIN + 16384;
export const RECORD: i32 = 32;
/** Fingerprints that the page had already: the fingerprint and the number of the page. */
export const MET: i32 = RECORDS + RECORD * (MAX_RECORDS + 1);
/** For each distinct link: fingerprint, where its URL begins and ends, flags, number of its origin. */
export const LINKS: i32 = MET + 16 * 4 * MAX_RECORDS;
export const LINK: i32 = 24;
/** The number of a link that has this origin. */
export const ORIGINS: i32 = LINKS + LINK * (MAX_RECORDS + 1);
/** Origins that are known to be canonical, two to a hash: length, then the bytes. */
export const KNOWN_ORIGINS: i32 = ORIGINS + 4 * (MAX_ORIGINS + 1);
export const KNOWN_ORIGIN: i32 = 80;
export const KNOWN_PAIRS: i32 = 512;
/** The links as lines of a metadata record. */
export const LINES: i32 = KNOWN_ORIGINS + 2 * KNOWN_PAIRS * KNOWN_ORIGIN;
/** Fingerprints of links that are known for certain, in sets of two. */
export const KNOWN: i32 = LINES + MAX_LINES + 8192;
export const KNOWN_SETS: i32 = 1 << 15;
/** The numbers of the page's other links. */
export const DOUBTFUL: i32 = KNOWN + 16 * KNOWN_SETS;
export const PAGE: i32 = DOUBTFUL + 4 * MAX_RECORDS;
export const MARGIN: i32 = 64;
export const MEMORY_BYTES: i32 = PAGE + MAX_PAGE + MARGIN;
