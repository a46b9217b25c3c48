// Where things are in the memory of the templates. Exported, so that JavaScript reads the same numbers.

/** Longer facts, links, bodies and texts are left to the writers. */
export const MAX_FACTS: i32 = 1 << 20;
export const MAX_BODY: i32 = 1 << 20;
export const MAX_LINKS: i32 = 8192;
export const MAX_URL: i32 = 4096;
export const MAX_TITLE: i32 = 8192;
export const MAX_METADATA: i32 = 256 * 1024;

/** Results; see the names in plain-pages.ts. Below are the texts of the templates, which the compiler puts there. */
export const CELLS: i32 = 1 << 16;
export const CRC_TABLES: i32 = CELLS + 256;
/** Random bytes for the ids of a page's records. */
export const RANDOM: i32 = CRC_TABLES + 8 * 1024;
export const RANDOM_BYTES: i32 = 48;
/** Pages whose random bytes are drawn with one call. */
export const RANDOM_PAGES: i32 = 64;
/** The name of the archive file and the id of its warcinfo. */
export const FILE_NAME: i32 = RANDOM + RANDOM_BYTES * RANDOM_PAGES;
export const MAX_FILE_NAME: i32 = 512;
export const WARCINFO_ID: i32 = FILE_NAME + MAX_FILE_NAME;
/** The end of a request in which nothing is secret. */
export const REST: i32 = WARCINFO_ID + 64;
export const MAX_REST: i32 = 4096;
/** The SHA-1 of payload, response, request and metadata of a page, 20 bytes each. */
export const DIGESTS: i32 = REST + MAX_REST + 16;
export const DIGEST_SLOT: i32 = 32;
/** Beginnings of index keys, by host: length of the host, of the key, both texts. */
export const HOSTS: i32 = DIGESTS + 4 * DIGEST_SLOT;
export const HOST_SLOTS: i32 = 256;
export const HOST_SLOT: i32 = 256;
export const MAX_HOST: i32 = 120;
/** What `KnownPayloads` remembers of a page. */
export const KNOWN: i32 = HOSTS + HOST_SLOTS * HOST_SLOT;
/** Lines that the records of a page share, and the header of a record. */
export const SHARED: i32 = KNOWN + 8192;
export const HEADER: i32 = SHARED + 8192;
/** A text that JavaScript answers. */
export const ANSWER: i32 = HEADER + 16384;
/** Codes of symbols, of lengths and of distances, each in a word; the header of a block; where four bytes were seen last. */
export const CODES: i32 = ANSWER + 16384;
export const LENGTH_CODES: i32 = CODES + 4 * (288 + 32);
export const DISTANCE_CODES: i32 = LENGTH_CODES + 4 * 260;
export const SEEN: i32 = DISTANCE_CODES + 1024;
/** Ids whose names were written lately, as `RecentIds` keeps them. */
export const NAMED: i32 = SEEN + 4 * 4096;
export const NAMED_SETS: i32 = 1 << 15;
export const NAMED_SET: i32 = 32;
/** The first part of a capture frame, and the metadata record made of it: room for its header, then its block. */
export const FACTS: i32 = NAMED + NAMED_SETS * NAMED_SET;
export const METADATA: i32 = FACTS + MAX_FACTS + 64;
export const METADATA_HEADER: i32 = 16384;

// What waits to be written. A page is only begun while less than a file's share waits.
export const MEMBERS: i32 = METADATA + METADATA_HEADER + MAX_METADATA + 64;
export const INDEX: i32 = MEMBERS + (4 << 20);
export const PAGES: i32 = INDEX + (256 << 10);
export const LOG: i32 = PAGES + (256 << 10);
export const NAMES: i32 = LOG + (256 << 10);
export const EDGES: i32 = NAMES + (1536 << 10);
export const MEMORY_BYTES: i32 = EDGES + (512 << 10) + 64;
